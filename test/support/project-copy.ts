import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closing } from './closing.ts';
import { clearedSettings } from './command.ts';
import { until } from './wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the project whose service runs on the sample, as the README's first command starts it. */
export interface RunningCopy {
  /** The environment of the user's shell. */
  readonly environment: Readonly<Record<string, string>>;
  readonly address: string;
  readonly key: string;
}

/** Copies the project to a folder as a clone has it: without what is made in it. */
export function copyProject(folder: string): void {
  const isMade = /\/(node_modules|\.git|\.screenshots|\.cache)(\/|$)|\/snapshots\/(?!sample|README)/;
  cpSync(root, folder, {
    recursive: true,
    filter: (path) => !isMade.test(path.slice(root.length - 1)) && !path.includes('/test/'),
  });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** Starts a copy, which ends with the tests, and waits until it listens. Throws if it ends before. */
export async function startCopy(folder: string): Promise<RunningCopy> {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, command = ''] = /^npm ci --omit=dev && (npm start)/m.exec(readme) ?? [];
  const [program = '', ...words] = command.split(' ');
  const environment = Object.fromEntries(
    Object.entries({
      ...process.env,
      ...clearedSettings,
      PORT: '0',
      npm_config_update_notifier: 'false',
    }).map(([name, value]) => [name, value ?? '']),
  );
  const service = spawn(program, words, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = new Promise((resolve) => service.once('close', resolve));
  let printed = '';
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (printed += text));
  await until(() => printed.includes('"event":"listening"') || service.exitCode !== null, 240_000);
  if (service.exitCode !== null) throw new Error(`the copy ended: ${printed}`);
  closing(async () => {
    process.kill(-(service.pid ?? 0), 'SIGTERM');
    await ended;
  });
  return {
    environment,
    address: / at (http:\S+)/.exec(printed)?.[1] ?? '',
    key: /The key of this run is (\S+);/.exec(printed)?.[1] ?? '',
  };
}
