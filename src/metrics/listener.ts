import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { SettingsError } from '../settings/settings.ts';
import type { Figure } from './figures.ts';
import { createRegistry } from './figure-registry.ts';

const metricsPath = '/metrics';

/**
 * Starts a separate server that answers only `GET /metrics`. It asks for no key: the operator decides who can
 * reach its port. Rejects with a `SettingsError`.
 */
export async function listenForMetrics(
  host: string,
  port: number,
  figures: readonly Figure[],
): Promise<{ readonly server: Server; readonly port: number }> {
  const registry = createRegistry(figures);
  const app = new Hono();
  app.get(metricsPath, async () => {
    try {
      return plain(200, await registry.metrics(), { 'Content-Type': registry.contentType });
    } catch (error) {
      return plain(500, `${(error as Error).message}\n`);
    }
  });
  app.all(metricsPath, () => plain(405, 'Only GET is allowed.\n', { Allow: 'GET, HEAD' }));
  app.notFound(() => plain(404, `Nothing is here but ${metricsPath}.\n`));
  const server = createAdaptorServer({
    fetch: app.fetch,
    // For requests that name no host.
    hostname: 'localhost',
    serverOptions: { requestTimeout: 10_000, headersTimeout: 10_000 },
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new SettingsError(
          error.code === 'EADDRINUSE'
            ? `METRICS_PORT: ${port} is in use on ${host}`
            : `${error.code === 'EACCES' ? 'METRICS_PORT' : 'METRICS_HOST'}: ${error.message}`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  // This server must not keep the process alive.
  server.unref();
  server.on('connection', (socket) => void socket.unref());
  return { server, port: (server.address() as AddressInfo).port };
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(text)),
      'Cache-Control': 'no-store',
      ...headers,
    },
  });
}
