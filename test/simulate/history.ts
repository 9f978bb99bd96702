import { dayFrom, dayMs, hourMs, minuteMs } from '../../src/time/units.ts';
import { easternInstant, isOpen } from './edgar/time.ts';
import { randomOf, type Random } from './random.ts';

/** What EDGAR or the way there does instead of answering well. */
export const edgarFaults = [
  'unavailable',
  'throttled',
  'too many',
  'reset',
  'cut',
  'silent',
  'garbage',
  'stale',
] as const;
/** See the list of the same name. */
export type EdgarFault = (typeof edgarFaults)[number];

/** What the host of the snapshots does instead of serving them well: it is down, or serves pointers late, very old ones, or other bytes. */
export type HostFault = 'down' | 'late' | 'old' | 'foreign';

/** Something that operation brings. */
export type Deed =
  /** A program is killed, and started again. */
  | { readonly kind: 'kill'; readonly who: Program; readonly downMs: number }
  /** The follower is killed in the middle of what it does: after so many changes of the disk. */
  | { readonly kind: 'kill at a call'; readonly calls: number; readonly downMs: number }
  /** The power of the machine fails: what was not synced is lost. */
  | { readonly kind: 'power cut'; readonly calls: number; readonly downMs: number }
  /** The operator stops a program in good order, and starts it again. */
  | { readonly kind: 'stop'; readonly who: Program; readonly downMs: number }
  | {
      readonly kind: 'edgar';
      readonly host: 'data' | 'www' | 'both';
      readonly fault: EdgarFault;
      /** One of so many requests meets it. */
      readonly oneIn: number;
      readonly forMs: number;
    }
  /** Somebody fills the disk, but for some room. */
  | { readonly kind: 'full disk'; readonly roomBytes: number; readonly forMs: number }
  | { readonly kind: 'sync fails' }
  /** The clock of the machine is set wrong, and later right. */
  | { readonly kind: 'clock'; readonly byMs: number; readonly forMs: number }
  /** The operator runs a command beside the follower, while the disk is so many times slower than usual. */
  | {
      readonly kind: 'command';
      readonly words: readonly string[];
      readonly times: number;
      readonly slowness: number;
      /** The command alone is so many times slower again, as with the lowest priority. */
      readonly ownSlowness?: number;
    }
  /** The clock of the machine goes wrong: so many milliseconds in an hour. */
  | { readonly kind: 'drift'; readonly byMs: number; readonly forMs: number }
  /** The operator signs with another key from now on: readers trust both keys before. */
  | { readonly kind: 'new key' }
  /** A second follower is started on the same volume, in a container of its own, with the same pid. */
  | { readonly kind: 'second follower'; readonly forMs: number }
  /** The operator removes what EDGAR answered before. */
  | { readonly kind: 'no cache' }
  /** A release with newer rules is installed: all programs are started again. */
  | { readonly kind: 'update' }
  /** The ledger is backed up, and after a time everything is lost and restored from the backup. */
  | { readonly kind: 'restore'; readonly forMs: number }
  /** Receivers of messages take connections and never answer. */
  | { readonly kind: 'endpoints hang' }
  /** A program outside is killed, and started again. */
  | { readonly kind: 'kill outside'; readonly who: OutsideProgram }
  /** The host of the snapshots does not serve them well. */
  | {
      readonly kind: 'host';
      readonly fault: HostFault;
      readonly forMs: number;
      /** Whether the service that reads it is started again meanwhile. */
      readonly restarts: boolean;
    };

/** A program that keeps running. */
export type Program = 'follower' | 'service' | 'mirror' | 'worker';

/** A program that reads the feed from outside: the one that delivers, or a client (`outside`). */
export type OutsideProgram = 'deliver' | 'client' | 'waiter' | 'limited';

/** What operation brings, and when. */
export type Happening = Deed & {
  readonly atMs: number;
  /** It waits until so many snapshots are on the disk: then one publication follows the other. */
  readonly snapshots?: number;
};

/** A run: everything that its seed has drawn. */
export interface History {
  readonly seed: number;
  readonly days: number;
  readonly startDay: string;
  /** How many days before the follower ran for some minutes; null if it starts with nothing. */
  readonly ranBefore: number | null;
  /** Whether the cache is lost before EDGAR makes its quarterly indexes again, as on a move to another machine. */
  readonly losesCache: boolean;
  readonly intervalSeconds: number;
  readonly feedEntries: number;
  /** Whether everyone is followed, not only some: the ledger is filled from the bulk archive first. */
  readonly followsEveryone: boolean;
  /** Whether programs outside follow the feed, and tables are exported. */
  readonly isReadOutside: boolean;
  readonly happenings: readonly Happening[];
}

/** Draws the history of a seed. */
export function drawHistory(seed: number, days: number): History {
  const random = randomOf(seed, 'history');
  const isClosedDay = random.oneIn(3);
  let startDay = dayFrom('2026-01-05', random.below(350));
  while (isOpen(startDay) === isClosedDay) startDay = dayFrom(startDay, 1);
  const startMs = easternInstant(startDay, 5.5);
  const calm = random.oneIn(20);
  const happenings: Happening[] = [];
  // About six things go wrong on a day: an hour in which nothing does would teach little.
  const count = calm ? 0 : Math.max(1, Math.round(days * (2 + random.below(9))));
  for (let each = 0; each < count; each++) {
    const hours = 24 * days * random.next();
    happenings.push({
      ...drawDeed(random, startMs),
      atMs: startMs + Math.floor(hours * hourMs),
    });
  }
  const ranBefore = random.oneIn(2) ? null : random.pick([1, 3, 7, 8, 9, 13]);
  if (ranBefore === 7) happenings.push(...dayWithoutAnybody(startMs));
  const [losesCache, intervalSeconds, feedEntries] = [
    random.oneIn(3),
    random.pick([60, 180, 300, 300]),
    random.pick([20, 30, 40, 120]),
  ];
  const rare = drawRare(seed, startDay, days);
  happenings.push(...rare);
  const everyone = randomOf(seed, 'follows everyone');
  const followsEveryone = everyone.oneIn(12);
  if (followsEveryone) happenings.push(...archiveAgain(everyone, startMs, days));
  const outside = followsEveryone ? null : drawOutside(seed, startDay, days);
  const isLate = random.oneIn(8);
  if (isLate)
    happenings.push({ kind: 'host', fault: 'late', restarts: false, atMs: startMs, forMs: days * dayMs });
  return {
    seed,
    days,
    startDay,
    ranBefore,
    losesCache,
    // Many publications come while a late host still names an old one, and what is rare waits for many.
    intervalSeconds: isLate || rare.length > 0 ? 60 : intervalSeconds,
    // What was listed before is soon gone from a short feed: only the submissions files tell the rest of it.
    feedEntries: rare.some(({ kind }) => kind === 'edgar') ? 20 : feedEntries,
    followsEveryone,
    isReadOutside: outside !== null,
    happenings: (outside === null
      ? happenings
      : [...happenings.filter(goesWithRestores(outside)), ...outside]
    ).sort((a, b) => a.atMs - b.atMs),
  };
}

/**
 * On the day on which the pointer of a week ago ends EDGAR cannot be reached, so that it is only signed anew, and soon
 * after its end the host of the snapshots cannot, either.
 */
function dayWithoutAnybody(startMs: number): Happening[] {
  const forMs = 11 * hourMs;
  return [
    { kind: 'edgar', host: 'both', fault: 'unavailable', oneIn: 1, atMs: startMs, forMs },
    { kind: 'host', fault: 'down', restarts: true, atMs: startMs + 10.25 * hourMs, forMs: hourMs },
  ];
}

/** The operator compares the ledger with the archive of a night beside the follower. */
function archiveAgain(random: Random, startMs: number, days: number): Happening[] {
  const since = random.oneIn(2) ? [] : ['--since', dayOf(startMs - (1 + random.below(10)) * dayMs)];
  return [
    {
      kind: 'command',
      words: ['ingest', '--universe', 'all', ...since],
      times: 1,
      slowness: random.pick([1, 30]),
      atMs: startMs + Math.floor(24 * days * random.next() * hourMs),
    },
  ];
}

const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

/** How many snapshots may be on the disk while many publications follow one another: the pointer names three. */
const manySnapshots = 6;

/**
 * What single draws seldom bring together, on one business day: the submissions files cannot be had for a working day,
 * so that each filing is asked for in vain many times; while publications follow one another the disk fills, or
 * somebody builds with the lowest priority. It has random numbers of its own, so that all other draws stay.
 */
function drawRare(seed: number, startDay: string, days: number): Happening[] {
  const random = randomOf(seed, 'one day');
  const kind = random.below(36);
  const open = Array.from({ length: days }, (_, at) => dayFrom(startDay, at)).filter(isOpen);
  if (kind > 7 || open.length === 0) return [];
  const day = random.pick(open);
  const [openMs, morningMs] = [easternInstant(day, 6.5), easternInstant(day, 8 + random.below(3))];
  if (kind < 2)
    return [
      { kind: 'edgar', host: 'data', fault: 'unavailable', oneIn: 1, atMs: morningMs, forMs: 10 * hourMs },
    ];
  if (kind < 5)
    return [
      {
        kind: 'full disk',
        roomBytes: 60_000 + random.below(300_000),
        atMs: openMs,
        forMs: 3 * hourMs,
        snapshots: manySnapshots,
      },
    ];
  return [
    {
      kind: 'command',
      words: ['build', '--ledger', '/volume/ledger'],
      times: 1,
      slowness: 1,
      ownSlowness: 4000,
      atMs: openMs,
      snapshots: manySnapshots,
    },
  ];
}

/**
 * Of twelve seeds two are read from outside, by random numbers of their own: then the ledger is restored from a backup,
 * receivers hang, or both, and programs are killed. Null for the others.
 */
function drawOutside(seed: number, startDay: string, days: number): Happening[] | null {
  const random = randomOf(seed, 'read from outside');
  if (random.below(12) > 1) return null;
  const open = Array.from({ length: days }, (_, at) => dayFrom(startDay, at)).filter(isOpen);
  const happenings: Happening[] = [];
  const startMs = easternInstant(startDay, 5.5);
  for (let each = 0; each < 2 * days; each++)
    happenings.push({
      kind: 'kill outside',
      who: random.pick(['deliver', 'client', 'waiter', 'limited']),
      atMs: startMs + Math.floor(24 * days * random.next() * hourMs),
    });
  if (open.length === 0) return happenings;
  const day = random.pick(open);
  const [restores, hangs] = [random.below(4) > 0, random.below(4) > 0];
  if (hangs)
    happenings.push({
      kind: 'endpoints hang',
      atMs: easternInstant(day, 7 + 2 * random.next()),
    });
  if (restores)
    happenings.push({
      kind: 'restore',
      atMs: easternInstant(day, 10 + 2 * random.next()),
      forMs: (2 + random.below(4)) * hourMs,
    });
  return happenings;
}

/**
 * After a restore nobody remembers the numbers that were signed while a clock was ahead, and nobody may run on the
 * volume that the operator does not know of.
 */
const goesWithRestores =
  (outside: readonly Happening[]) =>
  ({ kind }: Happening) =>
    !outside.some((each) => each.kind === 'restore') || !['clock', 'drift', 'second follower'].includes(kind);

const spans = [20_000, 5 * minuteMs, 40 * minuteMs, 3 * hourMs, 10 * hourMs] as const;

function drawDeed(random: Random, startMs: number): Deed {
  const downMs = random.pick([200, 1000, 5000, 30_000, 10 * minuteMs, 3 * hourMs]);
  const who = random.pick(['follower', 'follower', 'service', 'mirror'] as const);
  const forMs = random.pick(spans);
  switch (random.below(24)) {
    case 0:
      return { kind: 'kill', who, downMs };
    case 1:
    case 2:
      return { kind: 'kill at a call', calls: 1 + random.below(400), downMs };
    case 3:
    case 4:
      return { kind: 'power cut', calls: random.below(400), downMs };
    case 5:
      return { kind: 'stop', who, downMs };
    case 6:
    case 7:
    case 8:
    case 9:
      return {
        kind: 'edgar',
        host: random.pick(['data', 'www', 'both']),
        fault: random.pick(edgarFaults),
        oneIn: random.pick([1, 1, 2, 10]),
        forMs,
      };
    case 10:
      return {
        kind: 'full disk',
        roomBytes: random.below(500_000),
        forMs: random.pick([40 * minuteMs, 3 * hourMs]),
      };
    case 11:
      return { kind: 'sync fails' };
    case 12:
      return { kind: 'clock', byMs: random.pick([-3, -1, 1, 26]) * hourMs, forMs };
    case 13:
    case 14:
    case 15:
      return {
        kind: 'command',
        words: drawCommand(random, startMs),
        times: random.pick([1, 1, 2, 3]),
        slowness: random.pick([1, 1, 30, 200]),
      };
    case 16:
      return { kind: 'no cache' };
    case 17:
      return { kind: 'update' };
    case 18:
      return { kind: 'drift', byMs: random.pick([-10, -1, 1, 10]) * minuteMs, forMs };
    case 19:
      return { kind: 'new key' };
    case 20:
      return { kind: 'second follower', forMs };
    default:
      return {
        kind: 'host',
        fault: random.pick(['down', 'late', 'late', 'old', 'foreign']),
        forMs,
        restarts: random.oneIn(2),
      };
  }
}

function drawCommand(random: Random, startMs: number): readonly string[] {
  const since = dayOf(startMs - 4 * dayMs);
  return random.pick([
    ['ingest', '--universe', 'EVERYONE', '--since', since],
    ['reconcile'],
    ['reconcile', '--since', since],
    ['build', '--ledger', '/volume/ledger'],
    ['build', '--ledger', '/volume/ledger'],
    ['rebuild', '--universe', 'EVERYONE', '--since', since],
    ['rollback'],
  ] as const);
}

/** Describes a happening in one line. */
export function describeHappening({ atMs, kind, ...rest }: Happening): string {
  const words = Object.entries(rest).map(([name, value]) =>
    name.endsWith('Ms')
      ? `${name.slice(0, -2)} ${spanOf(Number(value))}`
      : `${name} ${Array.isArray(value) ? value.join(' ') : String(value)}`,
  );
  return `${new Date(atMs).toISOString()} ${kind}${words.length === 0 ? '' : `: ${words.join(', ')}`}`;
}

const spanOf = (ms: number) =>
  Math.abs(ms) >= hourMs
    ? `${ms / hourMs} h`
    : Math.abs(ms) >= minuteMs
      ? `${ms / minuteMs} min`
      : `${ms / 1000} s`;
