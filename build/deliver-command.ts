import { randomUUID, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Client,
  createClient,
  FilingEventsError,
  parsePosition,
  type Position,
} from '../clients/typescript/src/index.ts';
import { productVersion } from '../src/contract/product.ts';
import { createLog, linesOf, type Log } from '../src/log/log.ts';
import type { SettingsOf } from '../src/settings/settings-of-commands.ts';
import { apiKeyPattern, SettingsError } from '../src/settings/settings.ts';
import { setting } from './command-settings.ts';
import {
  type Action,
  addAction,
  checkPositions,
  lineOf,
  type PositionProblem,
  readActions,
} from './deliver/operator.ts';
import { deliver, lockPath } from './deliver/deliver.ts';
import { parseEndpoints, type Endpoint } from './deliver/webhook-endpoints.ts';
import { feedOf, leftOf, unknownText } from './deliver/feed.ts';
import { deliverFigures, type Delivering } from './deliver/deliver-figures.ts';
import { createPoster, headersOf, publicKeyText } from './deliver/post.ts';
import { readSigningKey } from './snapshot/sign.ts';
import { readState } from './deliver/delivery-state.ts';
import { tryLockFile } from './disk/lock.ts';
import { makeFolder } from '../src/files/local.ts';

/** The arguments of `npm run deliver` and of the commands below it. */
export interface DeliverCommandOptions {
  readonly endpoints: string;
  readonly service: string;
  readonly state?: string;
  readonly allowPrivate?: true;
}

/**
 * What the program gives the command: its settings and clocks, how it is stopped, and where results are
 * printed.
 */
export interface DeliverGiven {
  readonly settings: SettingsOf<'deliver'>;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  /** Ends the process at once: to close thousands of connections one by one would take seconds. */
  readonly exit: () => void;
}

const userAgent = `filing-event-intelligence/${productVersion}`;
const isPrivateAllowed = ({ allowPrivate }: DeliverCommandOptions) => allowPrivate === true;
const directoryOf = ({ endpoints, state }: DeliverCommandOptions) => state ?? `${endpoints}.state`;

/** Reads the file of endpoints. Only who sends to them checks where they are. Throws a `SettingsError`. */
function endpointsOf(options: DeliverCommandOptions, isAnyAllowed = true): Endpoint[] {
  const read = () => parseEndpoints(readFileSync(options.endpoints, 'utf8'), isAnyAllowed);
  return setting(read, `${options.endpoints}: `);
}

function endpointOf(options: DeliverCommandOptions, name: string, isAnyAllowed?: boolean): Endpoint {
  const found = endpointsOf(options, isAnyAllowed).find((each) => each.name === name);
  if (!found) throw new SettingsError(`${options.endpoints} has no endpoint ${name}`);
  return found;
}

function clientOf({ service }: DeliverCommandOptions, { settings }: DeliverGiven): Client {
  const { API_KEY: key, API_KEY_FILE: file } = settings;
  if (key === null && file === null)
    throw new SettingsError(
      'API_KEY: must be set to a key of the service, or API_KEY_FILE to a file with one',
    );
  const keyNow = () => keyIn(file ?? '');
  if (key === null) keyNow();
  return createClient({
    baseUrl: service,
    apiKey: key ?? keyNow,
    headers: { 'user-agent': userAgent },
  });
}

/** Reads the key of the service. Throws a `SettingsError`, which never has it. */
function keyIn(file: string): string {
  const key = setting(() => readFileSync(file, 'utf8'), 'API_KEY_FILE: ').trim();
  if (!apiKeyPattern.test(key)) throw new SettingsError(`API_KEY_FILE: ${file} has no key of the service`);
  return key;
}

const webhookKeyOf = ({ settings: { WEBHOOK_SIGNING_KEY_FILE: file } }: DeliverGiven): KeyObject | null =>
  file === null ? null : setting(() => readSigningKey(file, 'WEBHOOK_SIGNING_KEY_FILE'));

/** Prints the public key with which receivers check messages without a secret. */
export function printPublicKey(given: DeliverGiven): void {
  const key = webhookKeyOf(given);
  if (key === null)
    throw new SettingsError('WEBHOOK_SIGNING_KEY_FILE: must be set to a private Ed25519 key in PEM');
  given.print(publicKeyText(key));
}

/** Runs `npm run deliver`. It logs as the service does: one JSON object a line. */
export async function deliverCommand(options: DeliverCommandOptions, given: DeliverGiven): Promise<void> {
  const { settings, now, elapsed, random, signal } = given;
  endpointsOf(options, isPrivateAllowed(options));
  const signingKey = webhookKeyOf(given);
  const client = clientOf(options, given);
  const directory = directoryOf(options);
  await makeFolder(directory, 0o700);
  const log = createLog((lines) => void process.stdout.write(lines), now, settings.LOG_LEVEL);
  const { METRICS_PORT: metricsPort } = settings;
  const host = settings.METRICS_HOST ?? settings.HOST;
  const poster = createPoster({ isPrivateAllowed: isPrivateAllowed(options), userAgent });
  try {
    await deliver({
      file: options.endpoints,
      directory,
      isPrivateAllowed: isPrivateAllowed(options),
      feed: feedOf(client),
      poster,
      signingKey,
      log: linesOf(log, 'deliver'),
      now,
      elapsed,
      random,
      signal,
      ...(metricsPort === null
        ? {}
        : { watch: (delivering: Delivering) => watch(delivering, host, metricsPort, log) }),
    });
    log.flush();
    given.exit();
  } finally {
    log.flush();
    await poster.close();
  }
}

async function watch(delivering: Delivering, host: string, metricsPort: number, log: Log): Promise<void> {
  const { listenForMetrics } = await import('../src/metrics/listener.ts');
  const { port } = await listenForMetrics(host, metricsPort, deliverFigures(delivering));
  log.event('metrics', { host, port });
}

/** Prints a line for each endpoint. With a key of the service it asks the feed whether it still has their positions. */
export async function listEndpoints(options: DeliverCommandOptions, given: DeliverGiven): Promise<void> {
  const { print } = given;
  const directory = directoryOf(options);
  const { endpoints, removed } = await readState(directory);
  const actions = await readActions(directory);
  const left = new Map(removed);
  const standings = endpointsOf(options).map((endpoint) => ({
    endpoint,
    entry: endpoints.get(endpoint.name) ?? left.get(endpoint.name),
  }));
  let problems: ReadonlyMap<string, PositionProblem> = new Map();
  let unasked: string | null = null;
  try {
    problems = await checkPositions(feedOf(clientOf(options, given)), standings);
  } catch (error) {
    unasked = (error as Error).message;
  }
  for (const { endpoint, entry } of standings)
    print(lineOf(endpoint.name, entry, actions, problems.get(endpoint.name)));
  if (unasked !== null) print(`the feed was not asked whether it has these positions: ${unasked}`);
  if (!isRunning(directory)) print('no program delivers with this state at the moment');
}

function isRunning(directory: string): boolean {
  try {
    const lock = tryLockFile(lockPath(directory));
    lock?.release();
    return lock === null;
  } catch {
    return false;
  }
}

/** Sends a message to an endpoint, and asks the feed for its filter. Throws if one of them refuses it. */
export async function testEndpoint(
  name: string,
  options: DeliverCommandOptions,
  given: DeliverGiven,
): Promise<void> {
  const { now, elapsed, print } = given;
  const endpoint = endpointOf(options, name, isPrivateAllowed(options));
  const feed = feedOf(clientOf(options, given));
  const { unknown } = await feed.page(endpoint.filter, await feed.end());
  print('the feed takes the filter');
  if (unknown.length > 0) print(unknownText(unknown.join(', ')));
  const poster = createPoster({ isPrivateAllowed: isPrivateAllowed(options), userAgent });
  const begunMs = elapsed();
  const message = {
    id: `test.${randomUUID()}`,
    body: JSON.stringify({
      type: 'webhook.test',
      timestamp: new Date(now()).toISOString(),
      data: { endpoint: name },
    }),
  };
  const outcome = await poster
    .post(endpoint.url, headersOf(message, endpoint.secrets, now(), webhookKeyOf(given)), message.body)
    .finally(() => poster.close());
  if (outcome.kind === 'failed') throw new Error(`${name} does not accept it: ${outcome.reason}`);
  if (outcome.kind === 'gone') throw new Error(`${name} answers 410, which would disable it`);
  print(`${name} answers ${outcome.status} in ${Math.round(elapsed() - begunMs)} ms`);
}

/** Enables or disables an endpoint. */
export async function switchEndpoint(
  does: 'enable' | 'disable',
  name: string,
  options: DeliverCommandOptions,
  { print }: DeliverGiven,
): Promise<void> {
  endpointOf(options, name);
  await order(options, { does, endpoint: name }, print);
}

/**
 * Lets deliveries of an endpoint begin again behind a position; `now` is the end of the feed. Throws if the
 * feed no longer has it.
 */
export async function replayEndpoint(
  name: string,
  { cursor: text, ...options }: DeliverCommandOptions & { readonly cursor: string },
  given: DeliverGiven,
): Promise<void> {
  const { print } = given;
  const { filter } = endpointOf(options, name);
  const feed = feedOf(clientOf(options, given));
  const position = text === 'now' ? { cursor: await feed.end(), sequence: 0 } : positionIn(text);
  const { cursor, sequence, change } = position;
  const page = await feed.page(filter, cursor).catch((error: unknown) => {
    if (error instanceof FilingEventsError && error.code === 'invalid_cursor')
      throw new SettingsError(`--cursor: ${error.message}`);
    throw error;
  });
  const left = leftOf(page, { sequence, change }, filter);
  if (left === 'lost' || left === 'ahead')
    throw new SettingsError(
      `--cursor: the feed no longer has ${change}, behind which it begins; its first word alone begins earlier`,
    );
  const [first] = left;
  print(
    first
      ? `the first change is ${first.filing.accessionNo}.${first.revision}, observed at ${first.observedAt}`
      : 'nothing matches behind this cursor yet',
  );
  await order(options, { does: 'replay', endpoint: name, cursor, sequence, change }, print);
}

function positionIn(text: string): Position & { readonly cursor: string } {
  const { cursor, ...rest } = parsePosition(text);
  if (cursor === null) throw new SettingsError('--cursor: must be a cursor of the feed');
  return { ...rest, cursor };
}

async function order(
  options: DeliverCommandOptions,
  action: Omit<Action, 'number'>,
  print: DeliverGiven['print'],
): Promise<void> {
  const directory = directoryOf(options);
  await makeFolder(directory, 0o700);
  await addAction(directory, () => readState(directory), action);
  print(
    isRunning(directory)
      ? `${action.endpoint}: ${action.does}; it is done within seconds, see \`list\``
      : `${action.endpoint}: ${action.does}; it is done when the program runs with the state in ${directory}`,
  );
}
