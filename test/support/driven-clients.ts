import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { createChanges } from '../../clients/typescript/src/changes.ts';
import { fileCursor } from '../../clients/typescript/src/file-cursor.ts';
import {
  createClient,
  FilingEventsError,
  memoryCursor,
  verifyFiles,
  verifySnapshot,
  type BulkFile,
  type Change,
  type ChangeFilter,
  type Client,
  type CursorStore,
  type FileState,
  type MirrorOptions,
} from '../../clients/typescript/src/node.ts';
import { pagesByStream, type StreamBounds } from '../../clients/typescript/src/streaming.ts';
import { createTransport } from '../../clients/typescript/src/transport.ts';
import { pythonEnvironment } from './clients.ts';
import { has } from './needs.ts';
import { serviceKey } from './service.ts';

/** How a client is made. */
export interface DrivenSettings {
  readonly baseUrl: string;
  /** Several are given by a function, one after the other. */
  readonly keys?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly retries?: number;
  readonly timeout?: number;
}

/** Where a follower begins, and when it ends. */
export interface Following {
  readonly filter?: ChangeFilter;
  /** How many changes it takes. The last one is cut: the loop never asks for the next. */
  readonly most: number;
  /** The file of its cursor. */
  readonly file?: string;
  /** The cursor that its memory has. */
  readonly text?: string;
  readonly bounds?: StreamBounds;
}

/** What a follower had, and what it kept: its last cursor, and how often it saved one. */
export interface Followed {
  readonly changes: readonly Change[];
  readonly cursor: string | null;
  readonly saves: number;
}

/** What an update of a mirror did at once. */
export interface DrivenStep {
  readonly changes: number;
  readonly unknown: readonly string[];
}

/** A client of any language, which does what a test says. Each deed rejects with a `FilingEventsError`. */
export interface DrivenClient {
  /** Calls an operation by its name in the contract. Of bytes it gives the number. */
  call<Answer = unknown>(operation: string, parameters?: object): Promise<Answer>;
  history<Row = { readonly accessionNo: string }>(
    by: 'rows' | 'pages',
    operation: string,
    parameters: object,
  ): Promise<readonly Row[]>;
  changes(filter: ChangeFilter): Promise<readonly Change[]>;
  follow(following: Following): Promise<Followed>;
  /** Follows until it is told of so many failures, or has a change, whose sequence it gives; no time passes in its pauses. */
  pauses(filter: ChangeFilter, most: number): Promise<number | null>;
  mirror(
    database: string,
    options?: Pick<MirrorOptions, 'folder' | 'tickers' | 'since'>,
  ): Promise<readonly DrivenStep[]>;
  /** The states of the files of each folder, compared with a list; `isFetched`: also with the listed files themselves. */
  verifyFiles(
    folders: readonly string[],
    files: readonly BulkFile[],
    isFetched: boolean,
  ): Promise<readonly (readonly FileState['state'][])[]>;
  verifySnapshot(
    source: string,
    trustedKey: string,
    atLeast?: number,
  ): Promise<{ readonly number: number; readonly files: readonly string[] }>;
  /** The most megabytes that its process held since the last call; 0 of a client in this process. */
  peakMegabytes(): Promise<number>;
  /** What it told until now: failures, each with its pause, and companies that are unknown. */
  told(): Promise<{ readonly retries: readonly string[]; readonly unknown: readonly string[] }>;
}

/** What makes clients of one language. */
export interface DrivenLanguage {
  readonly language: 'TypeScript' | 'Python';
  open(settings: DrivenSettings): DrivenClient;
}

async function all<Row>(rows: AsyncIterable<Row>, most = Infinity): Promise<Row[]> {
  const read: Row[] = [];
  for await (const row of rows) if (read.push(row) >= most) break;
  return read;
}

function openTypescript(given: DrivenSettings): DrivenClient {
  const { baseUrl, headers, retries, timeout } = given;
  const keys = [...(given.keys ?? [serviceKey])];
  const told: { retries: string[]; unknown: string[] } = { retries: [], unknown: [] };
  let whenTold = (_seconds: number) => {};
  const settings = {
    baseUrl,
    apiKey: keys.length === 1 ? keys[0] : () => (keys.length > 1 ? keys.shift() : keys[0]) ?? '',
    headers,
    retries,
    timeoutSeconds: timeout,
    onRetry({ code, message }: FilingEventsError, seconds: number) {
      told.retries.push(`${seconds > 60 ? seconds : 'short'}: ${code}: ${message}`);
      whenTold(seconds);
    },
    onUnknown: (entries: readonly string[]) => void told.unknown.push(...entries),
  };
  const client = createClient(settings);
  const methods = client as unknown as Record<string, (parameters: object) => Promise<unknown>>;
  return {
    async call<Answer>(operation: string, parameters: object = {}) {
      const answer = await methods[operation]?.(parameters);
      return (answer instanceof Uint8Array ? answer.length : answer) as Answer;
    },
    history: <Row>(by: 'rows' | 'pages', operation: string, parameters: object) =>
      all(
        (client[by] as Client['rows'])(operation as 'listLatestFilings', parameters),
      ) as Promise<unknown> as Promise<readonly Row[]>,
    changes: (filter) => all(client.changes(filter)),
    async follow({ filter = {}, most, file, text, bounds }) {
      const store = file === undefined ? memoryCursor(text) : fileCursor(file);
      let saves = 0;
      const cursor: CursorStore = {
        load: () => store.load(),
        save: (position) => (saves++, store.save(position)),
      };
      const transport = createTransport(settings);
      const changes =
        bounds === undefined
          ? client.changes(filter)
          : createChanges(
              {
                feed: client,
                source: (start, signal) => pagesByStream({ feed: client, transport }, start, signal, bounds),
                tellUnknown: settings.onUnknown,
              },
              filter,
            );
      const found = await all(changes.follow({ cursor }), most);
      return { changes: found, cursor: await store.load(), saves };
    },
    async pauses(filter, most) {
      const enough = new AbortController();
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout'],
        shouldAdvanceTime: true,
        advanceTimeDelta: 20,
      });
      whenTold = (seconds) => {
        if (told.retries.length >= most) enough.abort();
        else setImmediate(() => void vi.advanceTimersByTimeAsync(seconds * 1000));
      };
      try {
        const [first] = await all(client.changes(filter).follow({ signal: enough.signal }), 1);
        return first?.sequence ?? null;
      } catch (error) {
        if (!enough.signal.aborted) throw error;
        return null;
      } finally {
        vi.useRealTimers();
      }
    },
    mirror: (database, options) => all(client.mirror(database, options).update()),
    verifyFiles: (folders, files, isFetched) =>
      Promise.all(
        folders.map(async (folder) => {
          const states = await verifyFiles(
            folder,
            files,
            isFetched ? ({ name }) => client.getBulkFile({ file: name }) : undefined,
          );
          return states.map(({ state }) => state);
        }),
      ),
    async verifySnapshot(source, trustedKey, atLeast = 0) {
      const { number, files } = await verifySnapshot(source, { trustedKey, atLeast });
      return { number, files: files.map(({ sha256 }) => sha256) };
    },
    peakMegabytes: async () => 0,
    told: async () => told,
  };
}

/** A process that drives clients in Python: it starts with the first of them, and ends with this one. */
function startPython() {
  const program = fileURLToPath(new URL('../processes/client.py', import.meta.url));
  const child = spawn('python3', ['-W', 'error', program], {
    env: pythonEnvironment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.unref();
  process.once('exit', () => child.kill('SIGKILL'));
  const waiting = new Map<number, (answer: PythonAnswer) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as PythonAnswer;
    waiting.get(answer.number)?.(answer);
    waiting.delete(answer.number);
  });
  child.once('exit', () => {
    for (const each of waiting.values())
      each({ number: 0, error: { code: 'exit', message: 'Python ended' } });
  });
  let deeds = 0;
  return async (client: number, deed: string, values: object): Promise<unknown> => {
    const number = ++deeds;
    const { value, error } = await new Promise<PythonAnswer>((resolve) => {
      waiting.set(number, resolve);
      child.stdin.write(`${JSON.stringify({ number, client, deed, values })}\n`);
    });
    if (error === undefined) return value;
    const { message, code, ...facts } = error;
    throw new FilingEventsError(message, { ...facts, code: code as 'not_found' });
  };
}

interface PythonAnswer {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly status?: number | null;
    readonly requestId?: string | null;
    readonly retryAfterSeconds?: number;
  };
}

let python: ReturnType<typeof startPython> | null = null;
let pythonClients = 0;

function openPython(settings: DrivenSettings): DrivenClient {
  python ??= startPython();
  const doIn = python;
  const client = ++pythonClients;
  const opened = doIn(client, 'open', { keys: [serviceKey], ...settings });
  const deed = async <Value>(name: string, values: object = {}) => {
    await opened;
    return (await doIn(client, name, values)) as Value;
  };
  return {
    call: (method, parameters = {}) => deed('call', { method, parameters }),
    history: (by, operation, parameters) => deed('history', { by, operation, parameters }),
    changes: (filter) => deed('changes', { filter }),
    follow: ({ filter = {}, ...rest }) => deed('follow', { filter, ...rest }),
    pauses: (filter, most) => deed('pauses', { filter, most }),
    mirror: (database, options = {}) => deed('mirror', { database, options }),
    verifyFiles: (folders, files, isFetched) => deed('verifyFiles', { folders, files, isFetched }),
    verifySnapshot: (source, trustedKey, atLeast = 0) =>
      deed('verifySnapshot', { source, trustedKey, atLeast }),
    peakMegabytes: () => deed('peakMegabytes'),
    told: () => deed('told'),
  };
}

const languages: readonly DrivenLanguage[] = [
  { language: 'TypeScript', open: openTypescript },
  { language: 'Python', open: openPython },
];

/** The languages of the clients that this machine has: what holds for one holds for each. */
export const drivenLanguages = languages.filter(({ language }) => language !== 'Python' || has('python'));

/** What updates mirrors of the service at an address, by the language of the client. */
export const mirrorsOf = (address: () => string) =>
  drivenLanguages.map(({ language, open }) => ({
    language,
    update: (...[database, options]: Parameters<DrivenClient['mirror']>) =>
      open({ baseUrl: address(), retries: 0 }).mirror(database, options),
  }));
