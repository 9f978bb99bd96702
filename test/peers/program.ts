import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** This directory. */
export const here = fileURLToPath(new URL('.', import.meta.url));

/** Runs a program of a peer in this directory. Throws with what it printed if it fails. */
export function runProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, {
      cwd: here,
      env: { ...process.env, NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (output += text.toString()));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve(output)
        : reject(new Error(`${words.join(' ')} ended with ${code}\n${output.slice(-6000)}`)),
    );
  });
}
