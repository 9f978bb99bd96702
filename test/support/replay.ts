import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { recordings } from './needs.ts';

export { recordings };

/** A replay of recorded answers. */
export interface Replay {
  readonly dataUrl: string;
  readonly wwwUrl: string;
  stop(): void;
}

/** Starts a replay of some folders of the recordings; the first that has a file wins. */
export async function startReplay(...roots: readonly string[]): Promise<Replay> {
  const child = spawn(process.execPath, ['replay.mjs', ...roots.flatMap((root) => ['--root', root])], {
    cwd: recordings,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { port } = JSON.parse(line) as { port: number };
    return {
      dataUrl: `http://127.0.0.1:${port}/data.sec.gov`,
      wwwUrl: `http://127.0.0.1:${port}/www.sec.gov`,
      stop: () => void child.kill('SIGKILL'),
    };
  }
  throw new Error('the replay did not start');
}
