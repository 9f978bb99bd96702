import { createHash } from 'node:crypto';
import { dayMs, minuteMs } from '../../../src/time/units.ts';
import { ask, type Poller, type Server } from '../clients.ts';
import type { Watchlist } from '../watchlist.ts';
import { holdersAt } from '../edgar/truth.ts';
import type { HostFault, Program } from '../history.ts';
import type { Operator } from '../operator.ts';
import { randomOf } from '../random.ts';
import { always } from '../schedule.ts';
import { volume, type World } from '../world.ts';
import { createPointerWatch, isClockRight, keptForMs } from './pointer.ts';

/** How often clients ask, and how often the files and the pointer are looked at, in milliseconds. */
const [pollEveryMs, lookEveryMs, pointerEveryMs] = [5 * minuteMs, 30 * minuteMs, minuteMs / 2];
/** How often the client of the worker asks, in milliseconds: most isolates that answer it begin with nothing. */
const workerEveryMs = 60 * minuteMs;
/** What nobody needs is gone after this time, if the follower runs. */
const goneAfterMs = 50 * minuteMs;

/** A program that is asked all the time. */
type Watched = 'service' | 'mirror' | 'worker';

/** Who follows what is published. */
interface Clients extends Readonly<Record<Watched, Poller>> {
  readonly watchlist: Watchlist;
}
/** After this time, in milliseconds, a worker that got a request has looked at the pointer. */
const looksWithinMs = 10_000;
/** How long the watchlist lets an empty answer be held, in seconds. */
const heldSeconds = 40;

/** Looks at the services and at the files all the time, as clients and operators do. */
export function watch(world: World, operator: Operator, pollers: Clients): void {
  const { schedule } = world;
  const lookAtPointer = createPointerWatch(world);
  for (const who of ['service', 'mirror', 'worker'] as const) {
    const client = createClient(world, who, pollers[who]);
    schedule.every(who === 'worker' ? workerEveryMs : pollEveryMs, async () => {
      lookAtPointer();
      const service = operator.running(who);
      if (service) await client(service).catch(noAnswer(world));
    });
  }
  schedule.every(pollEveryMs, async () => {
    const service = operator.running('service');
    if (service) await pollers.watchlist.poll(service, heldSeconds).catch(noAnswer(world));
  });
  schedule.every(pointerEveryMs, lookAtPointer);
  let followerSinceMs = Infinity;
  schedule.every(lookEveryMs, () => {
    if (!operator.running('follower')) followerSinceMs = Infinity;
    else followerSinceMs = Math.min(followerSinceMs, schedule.nowMs());
    lookAtPointer();
    if (schedule.nowMs() - followerSinceMs > goneAfterMs) lookAtDisk(world);
  });
  expectFreshness(world, operator, pollers.service);
}

/** A service may be down: a client that gets no answer asks again later. */
const noAnswer = (world: World) => (error: Error) => world.trace(`no answer: ${error.message.slice(0, 100)}`);

/** A client that polls, looks at symbols, revalidates, and compares what it mirrors. */
function createClient(world: World, who: Watched, poller: Poller): (service: Server) => Promise<void> {
  const random = randomOf(world.history.seed, `client of ${who}`);
  const closed = new Map<string, string>();
  /** Digests of bodies by their ETag: a year of bodies would not fit into memory. */
  const held = new Map<string, string>();
  const holders = new Map<string, { readonly number: number; readonly batches: number }>();
  const moved = [
    ...new Set(world.truth.holdings.filter(({ fromMs }) => fromMs > 0).map(({ ticker }) => ticker)),
  ];
  const answered = new WeakSet<Server>();
  let goodMs = -Infinity;
  let newest = -1;
  let restores = 0;

  /** Whether the service may have nothing to answer with. */
  function mayFail(service: Server, snapshotId: string | null): boolean {
    if (who === 'service') return !answered.has(service);
    // An isolate begins with nothing: it needs its bucket, and the pointer there has to be good.
    if (who === 'worker' && isHostAtFault(world, ['down', 'foreign', 'late', 'old'])) return true;
    if (snapshotId === null) return world.schedule.nowMs() - goodMs > 6 * dayMs;
    // Of a host that is down or serves something else, a reader has only what it has copied, until it asks again.
    return (
      isHostAtFault(world, ['down', 'foreign']) ||
      world.schedule.nowMs() - world.published.currentAt(snapshotId) > keptForMs
    );
  }

  async function get(service: Server, snapshotId: string, path: string) {
    const answer = await ask(world, service, path);
    if (answer.status >= 500 && !mayFail(service, snapshotId))
      world.fail(`${who}: ${path} answers ${answer.status} from ${snapshotId}: ${answer.text.slice(0, 200)}`);
    return answer;
  }

  /** What was published after the backup that was restored never was. */
  function forgetRestored(): void {
    if (restores === world.restores.count) return;
    restores = world.restores.count;
    closed.clear();
    holders.clear();
    newest = -1;
  }

  return async (service) => {
    // An isolate that was there before answers what it has, and looks at the pointer meanwhile.
    if (who === 'worker') {
      await ask(world, service, '/health');
      await world.schedule.wait(looksWithinMs);
    }
    const health = await ask(world, service, '/health');
    if (health.status !== 200) {
      if (!mayFail(service, null))
        world.fail(`${who}: it has nothing to serve: ${health.text.slice(0, 200)}`);
      return;
    }
    const { snapshotId } = JSON.parse(health.text) as { snapshotId: string };
    answered.add(service);
    if (![...world.faults].some(({ kind }) => kind === 'host')) goodMs = world.schedule.nowMs();
    const number = world.published.numberOf(snapshotId);
    forgetRestored();
    if (who !== 'service' && number < newest)
      world.fail(`${who}: it went back to ${snapshotId}, which was published before the one that it served`);
    newest = Math.max(newest, number);
    const company = random.pick(world.universe);
    const list = await get(service, snapshotId, `/v1/sec/company/${company}/filings?limit=50`);
    await revalidate(
      service,
      list.headers.get('etag'),
      `/v1/sec/company/${company}/filings?limit=50`,
      list.text,
    );
    for (const ticker of moved) await lookAtSymbol(service, snapshotId, ticker);
    const bulk = await get(service, snapshotId, '/v1/sec/bulk');
    if (bulk.status === 200)
      for (const file of (
        JSON.parse(bulk.text) as { data: { name: string; sha256: string; closed: boolean }[] }
      ).data) {
        const before = closed.get(file.name);
        if (before !== undefined && before !== file.sha256)
          world.fail(`${who}: the closed bulk file ${file.name} has changed`);
        if (file.closed) closed.set(file.name, file.sha256);
      }
    if (!mayFail(service, snapshotId) || who === 'service') await poller.poll(service);
  };

  /** 304 has to mean that nothing has changed. */
  async function revalidate(service: Server, etag: string | null, path: string, text: string): Promise<void> {
    if (etag === null) return;
    const digest = createHash('sha1').update(text).digest('base64');
    if (held.get(etag) !== undefined && held.get(etag) !== digest)
      world.fail(`${who}: ${path} has the ETag ${etag} of another body`);
    held.set(etag, digest);
    const again = await ask(world, service, path, { 'if-none-match': etag });
    if (again.status === 200 && again.text === text)
      world.fail(`${who}: ${path} does not answer 304 to its own ETag`);
  }

  /** A symbol leads from one holder to the next, and back only in a snapshot from before, which a rollback made current. */
  async function lookAtSymbol(service: Server, snapshotId: string, ticker: string): Promise<void> {
    const { status, text } = await get(service, snapshotId, `/v1/sec/company/${ticker}/profile`);
    if (status !== 200) return;
    const { cik } = (JSON.parse(text) as { data: { cik: string } }).data;
    const holdings = world.truth.holdings.filter((each) => each.ticker === ticker);
    const number = holdings.findLastIndex(
      (each) => each.cik === cik && each.fromMs <= world.schedule.nowMs(),
    );
    if (number < 0) return world.fail(`${who}: the symbol ${ticker} leads to ${cik}, which never had it`);
    const batches = world.published.batchesOf(snapshotId);
    forgetRestored();
    const before = holders.get(ticker) ?? { number: 0, batches: -1 };
    if (batches < before.batches) return;
    if (number < before.number)
      world.fail(
        `${who}: the symbol ${ticker} goes back to ${cik}; EDGAR's ticker files give it to ${holdersAt(world.truth, world.schedule.nowMs()).get(ticker)}`,
      );
    if (number > before.number) holders.set(ticker, { number, batches });
  }
}

/** Whether the host of the snapshots has one of these faults, or had one a moment ago. */
const isHostAtFault = ({ history, schedule }: World, faults: readonly HostFault[]) =>
  history.happenings.some(
    (each) =>
      each.kind === 'host' &&
      faults.includes(each.fault) &&
      each.atMs <= schedule.nowMs() &&
      schedule.nowMs() <= each.atMs + each.forMs + minuteMs,
  );

/** What no reader needs any more is removed, whether publishing succeeds or not. */
function lookAtDisk(world: World): void {
  const folder = `${volume}/manifests`;
  if (!world.look.exists(folder)) return;
  const nowMs = world.schedule.nowMs();
  for (const { name } of world.look.list(folder)) {
    const id = name.replace(/\.json$/, '');
    const sinceMs = nowMs - world.published.namedAt(id);
    if (sinceMs > goneAfterMs && sinceMs < Infinity && isClockRight(world))
      world.fail(
        `the snapshot ${id} is still on the disk ${Math.round(sinceMs / minuteMs)} minutes after the pointer named it last`,
      );
  }
}

/** Each filing that the feed lists while all is well is published in time. */
function expectFreshness(world: World, operator: Operator, poller: Poller): void {
  const { schedule, truth } = world;
  const freshMs = world.history.intervalSeconds * 1000 + 3 * minuteMs;
  for (const { listedMs, accessionNo, parties, withdrawnMs } of truth.filings) {
    if (listedMs < schedule.nowMs() || listedMs === Infinity || withdrawnMs < listedMs + freshMs) continue;
    if (!parties.some(({ cik }) => world.universe.includes(cik))) continue;
    const look = async () => {
      const service = operator.running('service');
      if (world.wellSinceMs() > listedMs || poller.filings.has(accessionNo) || !service) return;
      await poller.poll(service);
      if (world.wellSinceMs() > listedMs || poller.filings.has(accessionNo)) return;
      world.fail(
        `${accessionNo} was listed ${freshMs / 1000} s ago while all was well, and is not published`,
      );
    };
    schedule.after(listedMs + freshMs - schedule.nowMs(), always, () => void look().catch(noAnswer(world)));
  }
}

/** The programs that run all the time. */
export const lasting: readonly Program[] = ['follower', 'service', 'mirror', 'worker'];
