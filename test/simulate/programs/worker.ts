import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import worker, { type EdgeEnvironment } from '../../../src/edge.ts';
import type { Bucket } from '../../../src/remote/bucket.ts';

/** The address at which the bucket of the worker answers (`snapshots-host.ts`). */
const bucketOrigin = 'https://bucket.test';

const agent = new Agent();

async function ask(
  method: 'GET' | 'PUT' | 'DELETE',
  path: string,
  headers: Readonly<Record<string, string>> = {},
  text: string | null = null,
) {
  const answered = await agent.request({ origin: bucketOrigin, path, method, headers, body: text });
  const parts: Buffer[] = [];
  for await (const part of answered.body as Readable) parts.push(part as Buffer);
  return {
    status: answered.statusCode,
    etag: String(answered.headers['etag'] ?? ''),
    body: Buffer.concat(parts),
  };
}

/** The binding of the bucket, as R2 gives it to a worker. */
const bucket: Bucket = {
  async get(key, { range, onlyIf } = {}) {
    const { status, etag, body } = await ask('GET', `/${key}`, {
      ...(range ? { range: `bytes=${range.offset}-${range.offset + range.length - 1}` } : {}),
      ...(onlyIf ? { 'if-none-match': onlyIf.etagDoesNotMatch } : {}),
    });
    if (status === 404) return null;
    if (status === 304) return { etag, size: 0 };
    if (status >= 400) throw new Error(`get: Unspecified error (${status})`);
    const arrayBuffer = () => Promise.resolve(new Uint8Array(body).buffer);
    return { etag, size: body.length, arrayBuffer, text: () => Promise.resolve(body.toString()) };
  },
  async list({ prefix }) {
    const { body } = await ask('GET', `/?prefix=${encodeURIComponent(prefix)}`);
    return { objects: (JSON.parse(body.toString()) as string[]).map((key) => ({ key })) };
  },
  put: (key, text) => ask('PUT', `/${key}`, {}, text),
  delete: async (key) => void (await ask('DELETE', `/${key}`)),
};

const environment: EdgeEnvironment = { ...process.env, SNAPSHOTS: bucket };

/** Answers a request, as the platform lets an isolate do it. */
export async function answer(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const request = new Request(`https://worker.test${path}`, { headers });
  const response = await worker.fetch(request, environment, {
    waitUntil: (work) => void work.catch((error: Error) => console.error(error.message)),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
