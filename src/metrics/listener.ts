import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 10_000 },
    ({ method, url }, outgoing) => {
      if (url?.split('?')[0] !== metricsPath)
        return write(outgoing, 404, `Nothing is here but ${metricsPath}.\n`);
      if (method !== 'GET' && method !== 'HEAD')
        return write(outgoing, 405, 'Only GET is allowed.\n', { Allow: 'GET, HEAD' });
      registry.metrics().then(
        (text) => write(outgoing, 200, text, { 'Content-Type': registry.contentType }),
        (error: Error) => write(outgoing, 500, `${error.message}\n`),
      );
    },
  );
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

function write(
  outgoing: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'Cache-Control': 'no-store',
    ...headers,
  });
  outgoing.end(outgoing.req.method === 'HEAD' ? null : text);
}
