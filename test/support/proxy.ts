import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './servers.ts';
import { until } from './wait.ts';
import { pathWithSbin } from './needs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A proxy before services, on a port of this machine. */
export interface Proxy {
  readonly port: number;
  /** The folder in which it keeps answers; null if it keeps none. */
  readonly cache: string | null;
  stop(): Promise<void>;
}

/**
 * A file of `deploy/`, in which each pattern stands exactly once and is replaced. Throws where one does not.
 */
function deployed(name: string, changes: readonly (readonly [pattern: string, text: string])[]): string {
  let text = readFileSync(join(root, 'deploy', name), 'utf8');
  for (const [pattern, replacement] of changes) {
    if (text.split(pattern).length !== 2)
      throw new Error(`deploy/${name} must have ${JSON.stringify(pattern)} once`);
    text = text.replace(pattern, () => replacement);
  }
  return text;
}

/** Runs nginx as `deploy/nginx` has it, in a folder of its own, before services on some ports. */
export async function startNginx(folder: string, services: readonly number[]): Promise<Proxy> {
  const [port, cache] = [await freePort(), join(folder, 'cache')];
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
  const server = 'server 127.0.0.1:8787 max_fails=1 fail_timeout=1s;';
  writeFileSync(
    join(folder, 'upstream.conf'),
    deployed('nginx/upstream.conf', [
      [server, services.map((each) => server.replace('8787', String(each))).join('\n')],
    ]),
  );
  writeFileSync(
    join(folder, 'filings.conf'),
    deployed('nginx/filings.conf', [
      ['/var/cache/nginx-filings', cache],
      ['listen 80;', `listen 127.0.0.1:${port};`],
      ['listen [::]:80;', ''],
    ]),
  );
  writeFileSync(
    join(folder, 'nginx.conf'),
    `
    ${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')};
    events { worker_connections 512; }
    http {
      access_log off; client_body_temp_path ${join(folder, 'body')}; proxy_temp_path ${join(folder, 'proxy')}; fastcgi_temp_path ${join(folder, 'fastcgi')}; uwsgi_temp_path ${join(folder, 'uwsgi')}; scgi_temp_path ${join(folder, 'scgi')};
      include ${join(folder, 'upstream.conf')}; include ${join(folder, 'filings.conf')};
    }`,
  );
  return running(
    spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: pathWithSbin(),
    }),
    port,
    cache,
  );
}

/** Runs Caddy as `deploy/caddy` has it, without HTTPS, before services on some ports. */
export async function startCaddy(folder: string, services: readonly number[]): Promise<Proxy> {
  const port = await freePort();
  writeFileSync(
    join(folder, 'Caddyfile'),
    `{\nadmin off\nauto_https off\n}\n${deployed('caddy/Caddyfile', [])}`,
  );
  const settings = {
    DOMAIN: `http://127.0.0.1:${port}`,
    UPSTREAMS: services.map((each) => `127.0.0.1:${each}`).join(' '),
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  return running(
    spawn('caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...settings },
    }),
    port,
    null,
  );
}

async function running(child: ChildProcess, port: number, cache: string | null): Promise<Proxy> {
  let said = '';
  child.stderr?.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-1000)));
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}: ${said}`);
    return fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return {
    port,
    cache,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
