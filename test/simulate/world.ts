import { createHash } from 'node:crypto';
import { hourMs, minuteMs } from '../../src/time/units.ts';
import { Disk } from './disk/disk.ts';
import { filesOf } from './disk/files.ts';
import { createEdgar, origins } from './edgar/answers.ts';
import { makeTruth, type Truth } from './edgar/truth.ts';
import type { Deed, History } from './history.ts';
import { keyPair } from './keys.ts';
import type { Program } from './machine/bundle.ts';
import { startProcess, type Ended, type Machine, type Process } from './machine/process.ts';
import { page, type Host, type Network, type NetworkAnswer, type NetworkRequest } from './network.ts';
import { randomOf, type Random } from './random.ts';
import { createSchedule, settled, type Schedule } from './schedule.ts';
import { createPublished, type Published } from './published.ts';
import { bucketHost, bucketOrigin, snapshotsHost, snapshotsOrigin } from './snapshots-host.ts';

/** The programs under test: those of one release. */
export interface Release {
  readonly build: Program;
  readonly service: Program;
  readonly worker: Program;
  /** Who follows the feed with the TypeScript client. */
  readonly client: Program;
}

/** The result of a check: what is wrong, in words of the domain. */
export class Wrong extends Error {}

/** Where the programs keep their files. */
export const volume = '/volume';
/** The key of the clients. */
export const clientKey = 'the-key-of-the-clients';

/** Everything that a run has: time, machines, EDGAR, and what is recorded of them. */
export interface World {
  readonly history: History;
  readonly schedule: Schedule;
  readonly truth: Truth;
  readonly machine: Machine & { readonly disk: Disk };
  /** The machine with the service that reads snapshots from a host, and the platform of the worker. */
  readonly mirror: Machine & { readonly disk: Disk };
  readonly random: Random;
  /** The CIKs that are followed. */
  readonly universe: readonly string[];
  /** The snapshots that were current so far. */
  readonly published: Published;
  /** Faults under way. */
  readonly faults: Set<Deed>;
  /** When the last fault ended, in milliseconds since 1970; `Infinity` while one is under way. */
  wellSinceMs(): number;
  /** Records that something is wrong until a time. */
  unwell(untilMs: number): void;
  /** The clock of the machine of the follower. */
  readonly clock: WrongClock;
  /** How many times slower than usual the disk of the follower is. */
  slowness: number;
  /** Rollbacks under way, and how often one began or ended or the power was cut: only then an older snapshot comes back. */
  readonly backwards: { underway: number; times: number };
  /** How often the ledger was restored from a backup. */
  readonly restores: { count: number };
  /** Ends the process that makes this call; null lets all go on. */
  callEnds: { calls: number; end(): void } | null;
  trace(line: string): void;
  /** SHA-256 of the trace so far. */
  digest(): string;
  /** The last lines of the trace. */
  readonly last: readonly string[];
  /** Fails the run. */
  fail(text: string): void;
  readonly failure: () => Wrong | null;
  run(
    machine: Machine,
    name: string,
    program: Program,
    words: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Process;
  /** Runs virtual time until a promise is settled, at most for a time. */
  until<Result>(work: Promise<Result>, withinMs: number): Promise<Result>;
  /** The files of the machine, as a client of the disk sees them. */
  readonly look: ReturnType<typeof filesOf>;
}

/** Where programs that sign find their key. */
export const signingKeyFile = '/etc/signing.pem';

/** The environment of programs on the machine of the follower. Readers trust the keys with numbers up to `keys`. */
export const environmentWith = (keys: number): Readonly<Record<string, string>> => ({
  EDGAR_USER_AGENT: 'Simulator simulator@example.com',
  EDGAR_RPS: '10',
  SNAPSHOTS_DIR: volume,
  SIGNING_KEY_FILE: signingKeyFile,
  TRUSTED_KEY: Array.from({ length: keys }, (_, at) => keyPair(at).publicPem).join(''),
  API_KEYS: clientKey,
  HOST: '0.0.0.0',
});

/** Lines of the trace that a failure shows, without those that say that nothing has happened. */
const lastLines = 60;

/** Makes a world without programs. */
export function createWorld(
  history: History,
  lastDay: string,
  startMs: number,
  firstDay: string,
  isLoud: boolean,
): World {
  const schedule = createSchedule(startMs, settled);
  const truth = makeTruth({
    seed: history.seed,
    firstDay,
    lastDay,
    followed: 20,
    isEveryone: history.followsEveryone,
  });
  const random = randomOf(history.seed, 'world');
  const hash = createHash('sha256');
  const last: string[] = [];
  const faults = new Set<Deed>();
  const network: Network = new Map();
  let failure: Wrong | null = null;
  let unwellUntilMs = startMs + 20 * minuteMs;

  const trace = (line: string) => {
    const text = `${new Date(schedule.nowMs()).toISOString()} ${line}`;
    hash.update(`${text}\n`);
    if (isLoud) console.log(text);
    if (!text.includes('"event":"status"')) last.push(text);
    if (last.length > lastLines) last.shift();
  };
  const say = (process: Process, line: string) => trace(`${process.name}: ${line}`);

  const clock = createWrongClock(schedule.nowMs);
  const disk = new Disk(() => schedule.nowMs() + clock.nowAheadMs(), schedule.nowMs);
  const machine = {
    started: { count: 0 },
    seed: history.seed,
    schedule,
    network,
    live: new Map(),
    disk,
    aheadMs: clock.nowAheadMs,
    slowness: () => world.slowness,
    onCall() {
      const { callEnds } = world;
      if (callEnds === null || callEnds.calls-- > 0) return;
      world.callEnds = null;
      callEnds.end();
    },
    say,
  };
  const mirror = {
    ...machine,
    disk: new Disk(schedule.nowMs, schedule.nowMs),
    aheadMs: () => 0,
    slowness: () => 1,
    onCall() {},
  };

  const world: World = {
    history,
    schedule,
    truth,
    machine,
    mirror,
    random,
    universe: [...truth.entities.values()]
      .filter(({ isFollowed }) => isFollowed || history.followsEveryone)
      .map(({ cik }) => cik),
    published: createPublished(schedule.nowMs),
    faults,
    wellSinceMs: () => (faults.size > 0 ? Infinity : unwellUntilMs),
    unwell: (untilMs) => void (unwellUntilMs = Math.max(unwellUntilMs, untilMs)),
    clock,
    slowness: 1,
    backwards: { underway: 0, times: 0 },
    restores: { count: 0 },
    callEnds: null,
    trace,
    digest: () => hash.copy().digest('hex'),
    last,
    fail(text) {
      trace(`WRONG: ${text}`);
      failure ??= new Wrong(text);
    },
    failure: () => failure,
    run: (on, name, program, words, given) =>
      startProcess(on, { name, program, words, environment: given, pid: pids[name] ?? 100 }),
    async until(work, withinMs) {
      let isSettled = false;
      const ended = () => void (isSettled = true);
      work.then(ended, ended);
      const endMs = schedule.nowMs() + withinMs;
      while (!isSettled && schedule.nowMs() < endMs)
        await schedule.runUntil(Math.min(endMs, schedule.nowMs() + 1000));
      if (!isSettled) throw new Wrong(`it takes more than ${withinMs / minuteMs} minutes`);
      return work;
    },
    look: filesOf(disk, () => {}),
  };
  const edgar = createEdgar(truth, history.feedEntries);
  for (const origin of Object.values(origins)) network.set(origin, edgarHost(world, edgar.answer));
  network.set(snapshotsOrigin, snapshotsHost(world));
  network.set(bucketOrigin, bucketHost(world));
  for (const each of [disk, mirror.disk]) {
    const files = filesOf(each, () => {});
    files.mkdir('/etc', true);
    files.mkdir('/tmp', true);
    files.writeWhole(signingKeyFile, Buffer.from(keyPair(0).privatePem));
  }
  return world;
}

/** A clock that is ahead of the true time, or drifts away from it. */
export interface WrongClock {
  /** How far it was set ahead, in milliseconds. */
  aheadMs: number;
  /** How far it is ahead now. */
  nowAheadMs(): number;
  /** Lets it go wrong by so many milliseconds in an hour; 0 sets it right. */
  drift(byMs: number): void;
}

function createWrongClock(nowMs: () => number): WrongClock {
  let [sinceMs, driftMs] = [0, 0];
  const clock = {
    aheadMs: 0,
    nowAheadMs: () => clock.aheadMs + (driftMs === 0 ? 0 : (driftMs * (nowMs() - sinceMs)) / hourMs),
    drift: (byMs: number) => void ([sinceMs, driftMs] = [nowMs(), byMs]),
  };
  return clock;
}

/** In a container each program has the same small number at each start. */
const pids: Readonly<Record<string, number>> = {
  follower: 7,
  'second follower': 7,
  service: 1,
  mirror: 1,
};

/** EDGAR with the faults that are under way. It counts requests as EDGAR does, whoever sends them. */
function edgarHost(world: World, answer: (request: NetworkRequest, atMs: number) => NetworkAnswer): Host {
  const recent: number[] = [];
  const random = randomOf(world.history.seed, 'faults of EDGAR');
  return (request) => {
    const { atMs } = request;
    while ((recent[0] ?? Infinity) <= atMs - 1000) recent.shift();
    recent.push(atMs);
    if (recent.length > 10) world.fail(`EDGAR got ${recent.length} requests within a second; it allows 10`);
    const host = request.origin === origins.data ? 'data' : 'www';
    const fault = [...world.faults].find(
      (each) =>
        each.kind === 'edgar' && (each.host === 'both' || each.host === host) && random.oneIn(each.oneIn),
    );
    const result =
      fault?.kind === 'edgar' ? faulty(fault.fault, request, answer, random) : answer(request, atMs);
    world.trace(
      `EDGAR answers ${result.brokenAfter === 0 || result.stalledAfter === 0 ? 'nothing' : result.status} to ${request.path}`,
    );
    return result;
  };
}

function faulty(
  fault: Extract<Deed, { kind: 'edgar' }>['fault'],
  request: NetworkRequest,
  answer: (request: NetworkRequest, atMs: number) => NetworkAnswer,
  random: Random,
): NetworkAnswer {
  const good = answer(request, request.atMs);
  switch (fault) {
    case 'unavailable':
      return page(503, 'This page is temporarily unavailable.');
    case 'throttled':
      return page(403, 'Request Rate Threshold Exceeded');
    case 'too many':
      return { ...page(429, 'Too Many Requests'), headers: { 'retry-after': '30' } };
    case 'reset':
      return { ...good, brokenAfter: 0 };
    case 'cut':
      return { ...good, brokenAfter: 1 + random.below(Math.max(1, good.body.length - 1)) };
    case 'silent':
      return { ...good, stalledAfter: random.below(2) * random.below(good.body.length + 1) };
    case 'garbage':
      return {
        status: 200,
        headers: { etag: '"garbage"' },
        body: Buffer.from('<<<not what was asked for>>>'),
      };
    case 'stale':
      return answer(request, request.atMs - hourMs);
  }
}

/** How a program ended, for the trace. */
export const describeEnd = ({ code }: Ended) => (code === null ? 'was killed' : `ended with ${code}`);
