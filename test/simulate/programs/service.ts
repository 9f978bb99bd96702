import { join } from 'node:path';
import { createApp } from '../../../src/app.ts';
import { exchangeOf } from '../../../src/http/exchange.ts';
import { smallFilesIn } from '../../../src/files/small-files.ts';
import { keysFileAt } from '../../../src/keys/file.ts';
import { createKeyRing } from '../../../src/keys/ring.ts';
import { createLog } from '../../../src/log/log.ts';
import { openCopies } from '../../../src/remote/copies.ts';
import { openPartHost } from '../../../src/remote/host.ts';
import { noTurns } from '../../../src/requests/turns.ts';
import { createCaches, createServices } from '../../../src/service.ts';
import { readRuntimeSettings } from '../../../src/settings/settings.ts';
import { acceptedFolder, createAcceptedPointers } from '../../../src/snapshot/accepted.ts';
import { openPartFolder } from '../../../src/snapshot/folder.ts';

/** How often the pointer is read, in milliseconds: less often than `src/server.ts` does, which costs a simulator much. */
const checkEveryMs = 60_000;

/** How long the work for an answer waits for its turn, in milliseconds, as where many requests come at once. */
export const load = { turnMs: 0 };
const begin = () =>
  load.turnMs === 0
    ? Promise.resolve()
    : new Promise<void>((resolve) => void setTimeout(resolve, load.turnMs));

const settings = readRuntimeSettings(process.env);
const { SNAPSHOTS_DIR: folder, SNAPSHOTS_URL: host } = settings;
const elapsed = () => performance.now();
const log = createLog((lines) => void process.stdout.write(lines), Date.now, settings.LOG_LEVEL);
const keys = createKeyRing(settings.API_KEYS, keysFileAt(join(folder, 'keys.json')), log.event);
const services = createServices(
  settings,
  {
    store:
      host === null
        ? openPartFolder(folder)
        : openPartHost(host, {
            now: Date.now,
            copies: openCopies(join(folder, 'cache'), 2 ** 30, log.event, Date.now),
          }),
    keys,
    journal: {
      record: () => Promise.reject(new Error('no intents are recorded')),
      close: () => Promise.resolve(),
    } as never,
    log,
    accepted: createAcceptedPointers(smallFilesIn(join(folder, acceptedFolder))),
    now: Date.now,
    elapsed,
    turns: { ...noTurns, begin },
    address: () => 'http://service.test',
    isLocal: false,
  },
  createCaches(8 * 2 ** 20, 2 ** 20),
);
const app = createApp(services);

/** The answers under way; null once the service stops, and takes no more requests. */
let answering: Set<Promise<unknown>> | null = new Set();

/** Answers a request, as the service of `src/server.ts` does behind its sockets. Rejects after a stop. */
export function answer(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  if (answering === null) return Promise.reject(new Error('the service takes no more requests'));
  const answered = Promise.resolve(app.request(path, { headers })).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }));
  const under = answering;
  under.add(answered);
  const ended = () => void under.delete(answered);
  answered.then(ended, ended);
  return answered;
}

/**
 * Answers a request whose client may go away. The body of a stream comes piece by piece. Rejects after a stop.
 */
export function open(
  path: string,
  headers: Readonly<Record<string, string>>,
  onGone: (listener: () => void) => void,
): Promise<Response> {
  if (answering === null) return Promise.reject(new Error('the service takes no more requests'));
  const exchange = exchangeOf({ method: 'GET', target: path, host: 'service.test', headers, body: '' });
  exchange.holdable = { onHold() {}, onGone };
  return Promise.resolve(app.request(path, { headers }, { exchange }));
}

/** They are called when the pointer is read, before anything of it is known. */
export const beforeChecks: (() => void)[] = [];

await main();

/** Looks at the pointer until the process is stopped. */
async function main(): Promise<void> {
  await keys.refresh();
  await services.served.check();
  const timer = setInterval(() => {
    for (const tell of beforeChecks) tell();
    void services.served.check();
  }, checkEveryMs);
  await new Promise<void>((resolve) => {
    process.on('SIGTERM', () => resolve());
  });
  clearInterval(timer);
  const under = answering;
  answering = null;
  services.held.close();
  await Promise.allSettled(under ?? []);
  await services.served.close();
}
