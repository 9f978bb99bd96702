import { ask, type Poller, type PublishedChange, type Server } from '../clients.ts';
import type { Operator } from '../operator.ts';
import { randomOf } from '../random.ts';
import { always } from '../schedule.ts';
import { clientKey, volume, type World } from '../world.ts';

/** How soon a visitor comes after the service began to read a new pointer, at most, in milliseconds. */
const comesWithinMs = 40;
/** How long the page of a visitor waits for its turn then, and how long the service has much to do, in milliseconds. */
const [turnMs, busyMs] = [30, 60];
/** How long a visitor stays, in milliseconds, and how long before that a poll is asked for the same. */
const [staysMs, pollsBeforeMs] = [12_000, 5000];
/** The most companies that one request may name. */
const companiesMaximum = 25;
/** How many come for each publication. */
const visitorsOfPublication = 3;

/** What visitors need of a service. */
interface Visited {
  readonly load?: { turnMs: number };
  readonly beforeChecks?: (() => void)[];
  open?(
    path: string,
    headers: Readonly<Record<string, string>>,
    onGone: (listener: () => void) => void,
  ): Promise<Response>;
}

/**
 * Lets streams begin while the service takes a new snapshot: what becomes current while the page of a stream is read
 * has to be told at once.
 */
export function visitStreams(world: World, operator: Operator, poller: Poller): void {
  const { schedule } = world;
  const random = randomOf(world.history.seed, 'visitors');
  let [service, pointer]: [Server | null, string] = [null, ''];

  function look(): void {
    const now = operator.running('service');
    const { beforeChecks } = (now?.exports ?? {}) as Visited;
    if (now !== null && now !== service && beforeChecks) {
      service = now;
      beforeChecks.push(() => comeTo(now));
    }
    schedule.after(1000, always, look);
  }

  function comeTo(visited: Server): void {
    const at = `${volume}/current.json`;
    if (!world.look.exists(at)) return;
    const state = String(world.look.stat(at).ino);
    if (state === pointer) return;
    pointer = state;
    const { load } = visited.exports as Visited;
    if (!load) return;
    load.turnMs = turnMs;
    schedule.after(busyMs, always, () => void (load.turnMs = 0));
    for (let each = 0; each < visitorsOfPublication; each++)
      schedule.after(random.next() * comesWithinMs, always, () => {
        visit(visited).catch((error: Error) => world.trace(`no visitor: ${error.message.slice(0, 100)}`));
      });
  }

  async function visit(visited: Server): Promise<void> {
    const { open } = visited.exports as Visited;
    const from = poller.cursor();
    if (!open || !visited.isAlive || from === null) return;
    // The order of the companies makes each question one that nobody has asked before.
    const known = new Set(
      [...poller.filings.values()].flatMap(({ filing }) => filing.parties.map(({ cik }) => cik)),
    );
    const companies = world.universe
      .filter((cik) => known.has(cik))
      .map((cik) => ({ cik, order: random.next() }))
      .sort((a, b) => a.order - b.order)
      .slice(0, companiesMaximum)
      .map(({ cik }) => cik);
    if (companies.length === 0) return;
    const path = `/v1/sec/changes?tickers=${companies.join(',')}&cursor=${encodeURIComponent(from)}`;
    let leave = () => {};
    const response = await open(
      path,
      { 'x-api-key': clientKey, accept: 'text/event-stream' },
      (listener) => void (leave = listener),
    );
    if (response.status !== 200) return;
    let told = '';
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async (): Promise<void> => {
      const { done, value } = await reader.read();
      if (done) return;
      told += Buffer.from(value).toString();
      return read();
    };
    void read().catch(() => {});
    await schedule.wait(staysMs - pollsBeforeMs);
    const { status, text } = await ask(world, visited, `${path}&limit=50`);
    await schedule.wait(pollsBeforeMs);
    if (status === 200 && visited.isAlive && world.slowness === 1)
      for (const { sequence, filing } of (JSON.parse(text) as { data: PublishedChange[] }).data)
        if (!told.includes(`"sequence":${sequence},`))
          world.fail(
            `a stream has not told entry ${sequence}, ${filing.accessionNo}, ${pollsBeforeMs / 1000} seconds after a poll got it`,
          );
    leave();
    void reader.cancel().catch(() => {});
  }

  look();
}
