// The commands of the build: `node build/start.mjs build --ledger DIR`. A thread of the follower runs it, too.
import { runBundled } from '../src/bundle.mjs';

await runBundled('build/main.ts', ['build', 'site', 'src']);
