import { dayFrom, dayMs, hourMs, minuteMs } from '../../src/time/units.ts';
import { checkFinal } from './checks/final.ts';
import { lasting, watch } from './checks/all-the-time.ts';
import { createPoller } from './clients.ts';
import { archiveMs } from './edgar/answers.ts';
import { easternDay, easternInstant, nextOpenDay } from './edgar/time.ts';
import type { History } from './history.ts';
import { createOperator, type Operator } from './operator.ts';
import { createOutside } from './outside/outside.ts';
import { createWatchlist } from './watchlist.ts';
import { createWorld, volume, Wrong, type Release, type World } from './world.ts';

/** The result of a run. */
export interface RunResult {
  /** What is wrong, in words of the domain; null if nothing is. */
  readonly failure: string | null;
  /** SHA-256 of everything that happened. */
  readonly digest: string;
  /** The last lines of the trace. */
  readonly last: readonly string[];
  readonly events: number;
  /** The virtual time that passed, in milliseconds. */
  readonly virtualMs: number;
}

/** How long everything may take after a jump of time to where EDGAR has something new. */
const settlingMs = 20 * minuteMs;

/** Lives through a history. `isLoud` prints the trace. */
export async function runHistory(
  history: History,
  releases: readonly Release[],
  isLoud = false,
): Promise<RunResult> {
  const startMs = easternInstant(history.startDay, 5.5);
  const endDay = dayFrom(history.startDay, history.days - 1);
  const bornMs =
    history.ranBefore === null ? startMs : easternInstant(dayFrom(history.startDay, -history.ranBefore), 15);
  const world = createWorld(history, endDay, bornMs, dayFrom(history.startDay, -20), isLoud);
  const operator = createOperator(world, releases);
  let virtualMs = 0;
  try {
    await live(world, operator, startMs, bornMs, (passedMs) => (virtualMs += passedMs));
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    world.fail(error.message);
  }
  return {
    failure: world.failure()?.message ?? null,
    digest: world.digest(),
    last: [...world.last],
    events: world.schedule.events,
    virtualMs,
  };
}

async function live(
  world: World,
  operator: Operator,
  startMs: number,
  bornMs: number,
  pass: (passedMs: number) => void,
): Promise<void> {
  const { schedule, history } = world;
  const failed = () => world.failure() !== null;
  const passUntil = async (untilMs: number) => {
    pass(untilMs - schedule.nowMs());
    // In steps, so that a failure ends the run soon.
    while (!failed() && schedule.nowMs() < untilMs)
      await schedule.runUntil(Math.min(untilMs, schedule.nowMs() + 10 * minuteMs));
  };
  const pollers = {
    service: createPoller(world, 'a client'),
    mirror: createPoller(world, 'a client of the mirror'),
    worker: createPoller(world, 'a client of the worker'),
    watchlist: createWatchlist(world),
  };
  const outside = history.isReadOutside
    ? createOutside(world, operator, operator.release, pollers.service)
    : null;
  if (outside) operator.tell(outside);
  const stopAll = async () => {
    if (outside) await world.until(outside.stop(), settlingMs);
    for (const who of lasting) await world.until(operator.stop(who), settlingMs);
  };
  if (bornMs < startMs) {
    for (const who of lasting) operator.start(who);
    await passUntil(bornMs + settlingMs);
    await stopAll();
    await schedule.runUntil(startMs);
  }
  for (const who of lasting) operator.start(who);
  watch(world, operator, pollers);
  outside?.start();
  operator.live(history.happenings);
  await passUntil(startMs + history.days * dayMs);
  if (failed()) return;

  // EDGAR has the last indexes on the evening of the next business day, and makes its quarterly ones on Saturdays.
  operator.heal();
  const next = easternInstant(nextOpenDay(easternDay(schedule.nowMs())), 22.8);
  const [first, second] = saturdaysAfter(next);
  for (const atMs of [next, first, easternInstant(nextOpenDay(easternDay(first)), 22.8), second]) {
    await stopAll();
    await schedule.runUntil(Math.max(atMs, schedule.nowMs()));
    if (atMs === first && history.losesCache) operator.loseCache();
    for (const who of lasting) operator.start(who);
    outside?.start();
    await passUntil(schedule.nowMs() + settlingMs);
    if (failed()) return;
  }
  if (outside) {
    // The client that may ask once a minute began again: it has a long feed later than everyone else.
    const hasMs = outside.limitedHasMs(pollers.service.entries.length);
    if (hasMs > schedule.nowMs()) await passUntil(hasMs);
    if (failed()) return;
  }
  const service = operator.running('service');
  if (!service) throw new Wrong('the service does not run');
  // By now each program answers: an error of a client is a failure.
  const settled = (work: Promise<void>) =>
    world.until(work, settlingMs).catch((error: unknown) => {
      throw new Wrong((error as Error).message);
    });
  // A cursor behind the end of a restored log is taken until the log is as long.
  if (world.restores.count > 0) for (const each of Object.values(pollers)) each.reset();
  await settled(pollers.service.poll(service));
  await settled(pollers.watchlist.poll(service, 0));
  pollers.watchlist.compareWith(pollers.service);
  await settled(
    checkFinal({
      world,
      service,
      poller: pollers.service,
      followedFromMs: bornMs + minuteMs,
      filledMs: history.followsEveryone ? archiveMs(bornMs) : bornMs,
      rebuiltMs: second,
    }),
  );
  for (const who of ['mirror', 'worker'] as const) {
    const server = operator.running(who);
    if (server) await settled(pollers[who].poll(server));
    const [own, ofService] = [pollers[who].entries.length, pollers.service.entries.length];
    if (own !== ofService) world.fail(`the ${who} has ${own} entries, the service ${ofService}`);
  }
  if (failed()) return;
  await outside?.compareWith(pollers.service);
  if (failed()) return;
  await world.until(operator.stop('follower'), settlingMs);
  await checkFiles(world, operator);
}

/** The commands find nothing wrong with the files, and the ledger gives the same bytes again. */
async function checkFiles(world: World, operator: Operator): Promise<void> {
  const ledger = `${volume}/ledger`;
  if ((await operator.command(['verify', '--ledger', ledger], hourMs)) !== 0) world.fail('verify fails');
  if ((await operator.command(['build', '--ledger', ledger, '--snapshots', '/fresh'], hourMs)) !== 0)
    return world.fail('the ledger cannot be built from nothing');
  const idOf = (folder: string) => {
    const pointer = world.look.readWhole(`${folder}/current.json`).toString();
    return (JSON.parse(pointer) as { snapshotId: string }).snapshotId;
  };
  if (idOf('/fresh') !== idOf(volume))
    world.fail(
      `the ledger gives ${idOf('/fresh')} when it is built from nothing, published is ${idOf(volume)}`,
    );
  const left = world.look.list(volume).filter(({ name }) => name.startsWith('.staging'));
  if (left.length > 0)
    world.fail(`${left.map(({ name }) => name).join(', ')} is left in the snapshots folder`);
}

/** The two Saturdays after an instant, when the quarterly indexes were made again. */
function saturdaysAfter(atMs: number): [number, number] {
  let day = easternDay(atMs);
  while (new Date(day).getUTCDay() !== 6) day = dayFrom(day, 1);
  return [easternInstant(day, 9), easternInstant(dayFrom(day, 7), 9)];
}
