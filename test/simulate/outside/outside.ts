import { createHash } from 'node:crypto';
import { hourMs, minuteMs } from '../../../src/time/units.ts';
import { ask, type Poller, type PublishedChange } from '../clients.ts';
import { Disk } from '../disk/disk.ts';
import { filesOf } from '../disk/files.ts';
import type { OutsideProgram } from '../history.ts';
import type { Process } from '../machine/process.ts';
import type { Live } from '../network.ts';
import type { Operator, Place, Told } from '../operator.ts';
import { always } from '../schedule.ts';
import { streamRows } from '../releases.ts';
import { clientKey, describeEnd, volume, type Release, type World } from '../world.ts';
import { checkExport, exportFolder } from './exports.ts';
import { createReader, type Reader } from './readers.ts';
import { createReceiver, formsOfSome, type Receiver } from './receivers.ts';
import { visitStreams } from './visitors.ts';

/** The addresses of the service: as it is, and through a proxy that lets no stream through. */
const [serviceOrigin, proxyOrigin] = ['http://service.test', 'http://proxy.test'];
/** The key of a client that may make few requests. */
const limitedKey = 'the-key-with-a-limit';
/** The longest time in which a stream says nothing, in milliseconds: comments come every 15 seconds. */
const silenceMs = 15_000 + 2000;
/** After its end a program is started again after this time, in milliseconds. */
const restartMs = 5000;
/** How often results of clients are collected, and the state of deliveries is looked at, in milliseconds. */
const lookEveryMs = 30_000;
/** How often tables are exported, in milliseconds. */
const exportEveryMs = 3 * hourMs;
/** How long before a restore those who stood still go on, and stop in the middle of a page, in milliseconds. */
const beforeRestoreMs = 25 * minuteMs;
/** How many messages a receiver takes then. */
const takesInMiddle = 2;
/** Some seconds after the first one hangs a receiver is given old changes again, in milliseconds. */
const replayAfterMs = 25_000;
/** How long endpoints hang then, in milliseconds. */
const hangsForMs = 15 * minuteMs;
/** With one request a minute, how soon a page of a stream follows the one before it, in milliseconds. */
const limitedPageMs = 61_000;
/** How long a client may take until it has its first page, in milliseconds. */
const beginsWithinMs = 2 * minuteMs;
/** The end of a client whose position is refused (`programs/client.ts`). */
const refusedCode = 3;

const clients = ['client', 'waiter', 'limited'] as const;
type ClientProgram = (typeof clients)[number];
const programs: readonly OutsideProgram[] = ['deliver', ...clients];
const hanging = ['hangs-1', 'hangs-2', 'hangs-3', 'hangs-4', 'hangs-5'];

const endpointsFile = '/deliver/endpoints.json';
const stillFile = '/clients/still';
const positionFile = (who: ClientProgram) => `/clients/${who}`;
const deliverOptions = ['--endpoints', endpointsFile, '--service', serviceOrigin, '--allow-private'];

/** Who reads the feed from outside: programs on a machine of their own, receivers of messages, and exports. */
export interface Outside extends Told {
  start(): void;
  stop(): Promise<void>;
  /** When the client that may ask once a minute has to have all `entries`, which it reads from the first one on. */
  limitedHasMs(entries: number): number;
  /** Fails the run unless each of them got the feed, or was told. */
  compareWith(poller: Poller): Promise<void>;
}

/** Makes those outside. */
export function createOutside(
  world: World,
  operator: Operator,
  release: () => Release,
  poller: Poller,
): Outside {
  const { schedule, history } = world;
  const disk = new Disk(schedule.nowMs, schedule.nowMs);
  const machine = { ...world.mirror, disk, started: { count: 0 } };
  // What is exported is on the machine of the follower: its processes are counted apart, so that others keep their numbers.
  const exporting = { ...world.machine, started: { count: 0 } };
  const files = filesOf(disk, () => {});
  const hangs = history.happenings.some(({ kind }) => kind === 'endpoints hang');
  const receivers = new Map<string, Receiver>(
    ['all', 'some', ...(hangs ? ['replayed', ...hanging] : [])].map((name) => [
      name,
      createReceiver(world, name),
    ]),
  );
  const readers = Object.fromEntries(
    clients.map((who) => [
      who,
      createReader(world, `the ${who}`, { from: 0, mayRepeat: false, wants: () => true }),
    ]),
  ) as Readonly<Record<ClientProgram, Reader>>;
  const processes = new Map<OutsideProgram, Process>();
  const collected = new WeakMap<Process, number>();
  let isStarted = false;
  let limitedStartedMs = 0;
  let place: Place = { cursor: null, sequence: 0 };
  let replaying = false;

  for (const folder of ['/tmp', '/deliver', '/clients']) files.mkdir(folder, true);
  write(
    endpointsFile,
    JSON.stringify({
      endpoints: [...receivers.keys()].map((name) => ({
        name,
        url: `http://${name}.test/`,
        secrets: [`whsec_${Buffer.alloc(32, 7).toString('base64')}`],
        // What came is compared with the whole feed.
        corrections: 'all',
        ...(name === 'some' ? { form: formsOfSome } : {}),
      })),
    }),
  );
  writeKeys(world);
  for (const [origin, takesStreams] of [
    [serviceOrigin, true],
    [proxyOrigin, false],
  ] as const)
    world.machine.live.set(origin, serviceAt(world, operator, takesStreams));
  visitStreams(world, operator, poller);
  schedule.every(lookEveryMs, () => {
    if (!isStarted) return;
    collect();
    lookAtDeliveries();
  });
  schedule.every(exportEveryMs, () => {
    if (isStarted) void exportTables();
  });

  function write(path: string, text: string): void {
    files.writeWhole(path, Buffer.from(text));
  }

  function startOne(who: OutsideProgram): void {
    if (!isStarted || processes.get(who)?.isAlive) return;
    const { build, client } = release();
    if (who === 'limited') {
      // It begins again each time, so that there is more than it may ask for in a minute.
      files.remove(positionFile(who), false, true);
      readers[who].goBackTo(0);
      limitedStartedMs = schedule.nowMs();
    }
    const process =
      who === 'deliver'
        ? world.run(machine, who, build, ['deliver', ...deliverOptions], { API_KEY: clientKey })
        : world.run(machine, who, client, [], {
            POSITION_FILE: positionFile(who),
            STILL_FILE: who === 'limited' ? '/clients/nothing' : stillFile,
            THROUGH: who === 'waiter' ? proxyOrigin : serviceOrigin,
            API_KEY: who === 'limited' ? limitedKey : clientKey,
          });
    processes.set(who, process);
    if (who === 'deliver') disturb();
    void process.ended.then((ended) => {
      world.trace(`the ${who} ${describeEnd(ended)}`);
      if (who === 'deliver') disturb();
      else collectFrom(who, process);
      if (processes.get(who) !== process) return;
      if (ended.code === 1) world.fail(`the ${who} ends while nothing is wrong with it`);
      if (ended.code === refusedCode && who !== 'deliver') goOn(who);
      schedule.after(restartMs, always, () => startOne(who));
    });
  }

  /** A client was told that its position is gone. Somebody lets it go on where the backup ended. */
  function goOn(who: ClientProgram): void {
    if (world.restores.count === 0)
      return world.fail(`the position of the ${who} is refused without a reason`);
    if (who === 'limited') return;
    if (place.cursor === null) files.remove(positionFile(who), false, true);
    else write(positionFile(who), `${place.cursor}\n`);
    readers[who].goBackTo(place.sequence);
  }

  /** Takes what clients have handled. */
  function collectFrom(who: ClientProgram, process: Process): void {
    const handled = (process.exports['handled'] ?? []) as readonly PublishedChange[];
    for (const change of handled.slice(collected.get(process) ?? 0)) readers[who].take(change);
    collected.set(process, handled.length);
  }

  function collect(): void {
    for (const who of clients) {
      const process = processes.get(who);
      if (process) collectFrom(who, process);
    }
  }

  function kill(who: OutsideProgram): void {
    const process = processes.get(who);
    process?.kill();
    if (who === 'deliver') disturb();
    else {
      if (process) collectFrom(who, process);
      readers[who].cut();
    }
  }

  function disturb(): void {
    for (const each of receivers.values()) each.disturb();
  }

  /** Where an endpoint is refused, the operator lets deliveries go on where the backup ended. */
  function lookAtDeliveries(): void {
    const path = `${endpointsFile}.state/state.json`;
    if (replaying || !files.exists(path) || !processes.get('deliver')?.isAlive) return;
    const { endpoints } = JSON.parse(files.readWhole(path).toString()) as {
      endpoints: Readonly<Record<string, { readonly refused: string | null }>>;
    };
    for (const [name, { refused }] of Object.entries(endpoints)) {
      if (refused === null) continue;
      if (world.restores.count === 0)
        world.fail(`the endpoint ${name} is refused without a reason: ${refused}`);
      if (place.cursor !== null) void replay(name, place);
      return;
    }
  }

  async function replay(name: string, { cursor, sequence }: Place): Promise<void> {
    replaying = true;
    const words = ['deliver', ...deliverOptions, 'replay', name, '--cursor', String(cursor)];
    const process = world.run(machine, 'command deliver', release().build, words, { API_KEY: clientKey });
    const { code } = await process.ended;
    world.trace(`the command deliver replay ${name} ended with ${code}`);
    // What is sent before the program knows of it comes again.
    receivers.get(name)?.disturb();
    if (code === 0) receivers.get(name)?.reader.goBackTo(sequence);
    replaying = false;
  }

  /** Endpoints take messages and never answer; another one, which works, gets old changes again meanwhile. */
  async function letHang(): Promise<void> {
    const fromMs = schedule.nowMs();
    for (const name of hanging) behave(name, 'hangs');
    const watch = async () => {
      const isHanging = hanging.every((name) => (receivers.get(name)?.askedMs() ?? 0) > fromMs);
      const old = isHanging ? await beginningOfFeed() : null;
      if (old === null) return void schedule.after(replayAfterMs / 5, always, () => void watch());
      behave('replayed', 'fails first');
      schedule.after(replayAfterMs, always, () => void replay('replayed', old));
      schedule.after(hangsForMs, always, () => {
        for (const name of ['replayed', ...hanging]) behave(name, 'well');
      });
    };
    await watch();
  }

  const behave = (name: string, behaviour: Receiver['behaviour']) => {
    const receiver = receivers.get(name);
    if (receiver) receiver.behaviour = behaviour;
  };

  /** The place behind the first entries; null if the service does not answer. */
  async function beginningOfFeed(): Promise<Place | null> {
    const service = operator.running('service');
    if (!service) return null;
    const answer = await ask(world, service, '/v1/sec/changes?since=1993-01-01&limit=3').catch(() => null);
    if (answer?.status !== 200) return null;
    const { data, meta } = JSON.parse(answer.text) as {
      data: readonly PublishedChange[];
      meta: { nextCursor: string };
    };
    return { cursor: meta.nextCursor, sequence: data.at(-1)?.sequence ?? 0 };
  }

  async function endOfFeed(): Promise<Place> {
    const service = operator.running('service');
    if (!service) return { cursor: null, sequence: 0 };
    const { status, text } = await ask(world, service, '/v1/sec/bulk');
    if (status !== 200) return { cursor: null, sequence: 0 };
    const { data, meta } = JSON.parse(text) as {
      data: readonly { lastSequence: number }[];
      meta: { nextCursor: string };
    };
    return { cursor: meta.nextCursor, sequence: data.at(-1)?.lastSequence ?? 0 };
  }

  /** Exports into the same folder again. Resolves to whether that succeeds. */
  async function exportTables(): Promise<boolean> {
    if (!world.look.exists(`${volume}/current.json`)) return false;
    const environment = { SNAPSHOTS_DIR: volume };
    const words = ['export', '--parquet', exportFolder];
    const process = world.run(exporting, 'command export', release().build, words, environment);
    const { code } = await process.ended;
    world.trace(`the command export ended with ${code}`);
    return code === 0;
  }

  return {
    start() {
      isStarted = true;
      programs.forEach(startOne);
    },
    async stop() {
      isStarted = false;
      for (const process of processes.values()) {
        if (!process.isAlive) continue;
        process.signal();
        await process.ended;
      }
    },
    limitedHasMs: (entries) =>
      limitedStartedMs + beginsWithinMs + Math.ceil(entries / streamRows) * limitedPageMs,
    live(happening) {
      if (happening.kind === 'endpoints hang') void letHang();
      else if (happening.kind === 'kill outside') {
        kill(happening.who);
        world.trace(`the ${happening.who} is killed`);
      } else return false;
      return true;
    },
    async backedUp(restoredAtMs) {
      const end = await endOfFeed();
      for (const who of clients) kill(who);
      write(stillFile, '');
      // What was exported last is more than the backup has.
      schedule.after(
        restoredAtMs - beforeRestoreMs / 2 - schedule.nowMs(),
        always,
        () => void exportTables(),
      );
      for (const name of ['all', 'some']) behave(name, 'down');
      schedule.after(restoredAtMs - beforeRestoreMs - schedule.nowMs(), always, () => {
        for (const name of ['all', 'some']) {
          const receiver = receivers.get(name);
          if (receiver) receiver.takesMore = takesInMiddle;
        }
        // Who waited long begins at once.
        kill('deliver');
      });
      return end;
    },
    beforeRestore() {
      programs.forEach(kill);
    },
    restored(end) {
      place = end;
      files.remove(stillFile, false, true);
      for (const name of ['all', 'some']) behave(name, 'well');
    },
    heal() {
      files.remove(stillFile, false, true);
      for (const name of receivers.keys()) behave(name, 'well');
    },
    async compareWith({ entries }) {
      collect();
      for (const each of [...Object.values(readers), ...[...receivers.values()].map(({ reader }) => reader)])
        each.compareWith(entries);
      if (!(await world.until(exportTables(), hourMs))) {
        if (world.restores.count === 0) return world.fail('the export fails in the end');
        // It has said that the tables are those of another log.
        world.look.remove(exportFolder, true, true);
        if (!(await world.until(exportTables(), hourMs)))
          return world.fail('the export into a new folder fails');
      }
      await checkExport(world, entries);
    },
  };
}

/** The service as the network reaches it. */
function serviceAt(world: World, operator: Operator, takesStreams: boolean): Live {
  return {
    connect() {
      const service = operator.running('service');
      const open = service?.exports['open'] as
        | ((path: string, headers: object, onGone: (listener: () => void) => void) => Promise<Response>)
        | undefined;
      if (!service?.isAlive || !service.ended || !open) return null;
      return {
        ended: service.ended,
        answer({ path, headers: { accept, ...others }, onGone }) {
          return open(path, takesStreams && accept ? { ...others, accept } : others, onGone);
        },
      };
    },
    heard(path, headers, silentMs) {
      const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (isStream && silentMs > silenceMs && world.slowness === 1)
        world.fail(
          `the stream ${path.replace(/[?].*/, '')} says nothing for ${Math.round(silentMs / 1000)} seconds`,
        );
    },
  };
}

/** Adds the key of a client that may make one request a minute. */
function writeKeys({ look, schedule }: World): void {
  look.mkdir(volume, true);
  const sha256 = createHash('sha256').update(limitedKey).digest('hex');
  const createdAt = new Date(schedule.nowMs()).toISOString();
  const key = { id: sha256.slice(0, 8), label: 'limited', sha256, createdAt, expiresAt: null, perMinute: 1 };
  const descriptor = look.open(`${volume}/keys.json`, 'w');
  look.write(descriptor, Buffer.from(JSON.stringify({ format: 1, keys: [key] })));
  look.sync(descriptor);
  look.close(descriptor);
}
