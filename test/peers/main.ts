import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { argumentsOrExit, commands } from '../../src/settings/commands.ts';
import { here } from './program.ts';
import { startService, type RunningService } from './service.ts';

/** Something that a peer does with the running service. It throws if that fails. */
export interface Check {
  readonly name: string;
  run(service: RunningService): Promise<unknown>;
  /** Whether it mostly waits: then it runs beside the others. */
  readonly waits?: true;
}

/** The peers are a package of their own, so that nobody installs them who does not run them. */
function installPeers(): void {
  if (existsSync(join(here, 'node_modules'))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm ci in test/peers failed');
}

function checkTypes(): void {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(here, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', here],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stdout);
}

async function main(): Promise<void> {
  argumentsOrExit(commands.peers());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  installPeers();
  // Only what is installed now can be imported.
  const [{ mcpChecks }, { oauthChecks, startAuthorizationServer }, { a2aChecks }, { descriptionChecks }] =
    await Promise.all([
      import('./mcp.ts'),
      import('./oauth.ts'),
      import('./a2a.ts'),
      import('./descriptions.ts'),
    ]);
  const checks: readonly Check[] = [
    { name: 'the types of these checks', run: async () => checkTypes() },
    ...mcpChecks,
    ...a2aChecks,
    ...descriptionChecks,
    ...oauthChecks,
  ];
  const authorization = await startAuthorizationServer();
  const service = await startService({ OAUTH_ISSUER: `http://127.0.0.1:${authorization.port}` });
  const begun = new Map(checks.filter(({ waits }) => waits).map((each) => [each, each.run(service)]));
  for (const each of begun.values()) each.catch(() => {});
  let failed = 0;
  for (const check of checks) {
    const { name } = check;
    try {
      await (begun.get(check) ?? check.run(service));
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${(error as Error).stack}`);
    }
  }
  await service.stop();
  await authorization.stop();
  console.log(
    `Peers  ${failed > 0 ? `${failed} failed | ` : ''}${checks.length - failed} passed (${checks.length})`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

await main();
