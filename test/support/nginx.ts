import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closing } from './closing.ts';
import { freePort } from './servers.ts';

const program = '/usr/sbin/nginx';

/** An nginx that serves a directory. */
export interface Nginx {
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Starts nginx on a port of this machine, as anybody would serve files: nothing is configured but where they
 * are.
 */
export async function startNginx(directory: string): Promise<Nginx> {
  const port = await freePort();
  const own = mkdtempSync(join(tmpdir(), 'filing-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${own}/${name};`)
    .join(' ');
  // Its workers would have another user, who may not read what the tests make.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const config = `${user} daemon off; pid ${own}/pid; error_log ${own}/error.log; events {}
    http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; root ${directory}; } }`;
  writeFileSync(join(own, 'nginx.conf'), config);
  const child = spawn(program, ['-c', join(own, 'nginx.conf'), '-e', join(own, 'error.log')], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (
      await fetch(address).then(
        (response) => response.body?.cancel().then(() => true),
        () => false,
      )
    )
      break;
    if (tries === 100 || child.exitCode !== null) throw new Error(`nginx does not start; ${own} has its log`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    address,
    stop: closing(async () => {
      child.kill('SIGTERM');
      await ended;
    }),
  };
}
