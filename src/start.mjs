// The command of `npm start`.
import { setFlagsFromString } from 'node:v8';
import { runBundled } from './bundle.mjs';

// The heap may grow by half before V8 collects what nobody holds any more. Otherwise it may grow to four times its
// size, and hostile clients brought the process to 315 MB in place of 215 (test/campaign).
setFlagsFromString('--heap-growing-percent=50');

await runBundled('src/server.ts', ['src']);
