import { dayFrom, dayMs, hourMs, minuteMs } from '../../../src/time/units.ts';
import { mayHaveOwnership } from '../../../build/contents/ownership-file.ts';
import { renderedDocument } from '../../support/ownership-documents.ts';
import { randomOf, type Random } from '../random.ts';
import { drawDocument, type DocumentTimes } from './documents.ts';
import { easternHours, easternInstant, isHalfDay, isOpen, nextOpenDay } from './time.ts';

/** A role of a party, as the product calls it. */
export type Role = 'filer' | 'issuer' | 'reporting_owner' | 'subject' | 'filed_by';

/** A company or a person that EDGAR knows. */
export interface Entity {
  readonly cik: string;
  readonly isPerson: boolean;
  /** Its names, each from an instant on, oldest first. */
  readonly names: readonly { readonly name: string; readonly fromMs: number }[];
  /** Whether its submissions file writes Eastern clock times where it says UTC. */
  readonly writesEastern: boolean;
  /** How many rows of its submissions file are in the main file at least; older ones are on older pages. */
  readonly recentRows: number;
  /** Whether the universe of the follower has it. */
  readonly isFollowed: boolean;
}

/** What EDGAR says about a filing at some time. */
export interface Facts {
  readonly form: string;
  readonly filedAt: string;
  readonly parties: readonly { readonly cik: string; readonly role: Role }[];
}

/** A filing as EDGAR knows it. Instants are in milliseconds since 1970. */
export interface Filing extends Facts {
  readonly accessionNo: string;
  readonly acceptedMs: number;
  readonly items: readonly string[];
  readonly reportDate: string | null;
  readonly primaryDocument: string;
  readonly size: number;
  /** When the feed lists it; `Infinity` if never. */
  readonly listedMs: number;
  /** When submissions files list it. */
  readonly inFilesMs: number;
  /** The day whose daily index lists it; null if none does. */
  readonly indexDay: string | null;
  /** When EDGAR corrected it, and what it says since then. */
  readonly corrected: (Facts & { readonly atMs: number }) | null;
  /** When EDGAR withdrew it; `Infinity` if never. */
  readonly withdrawnMs: number;
  /** When EDGAR has its document about ownership; null if it has none. */
  readonly document: DocumentTimes | null;
}

/** A symbol, and who has it from an instant on; null if nobody has. */
export interface Holding {
  readonly ticker: string;
  readonly fromMs: number;
  readonly cik: string | null;
}

/** All that is true in a run. */
export interface Truth {
  readonly entities: ReadonlyMap<string, Entity>;
  /** In the order of acceptance. */
  readonly filings: readonly Filing[];
  readonly holdings: readonly Holding[];
}

/** How much of the truth is made up. */
export interface TruthOptions {
  readonly seed: number;
  /** The first day with filings, and the last, `YYYY-MM-DD`. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** How many entities are followed. */
  readonly followed: number;
  /** Whether a stranger files on each day, too, and on those of a month after the last day. */
  readonly isEveryone?: boolean;
}

/** EDGAR keeps 1,000 rows and those of a year in the main file; of some entities the model keeps so few. */
const recentOfFew = 15;

const cikOf = (number: number) => String(1_000_000 + number * 7).padStart(10, '0');

/** What filings look like: a form, how often it comes, and who takes part. */
const kinds = [
  { form: '8-K', weight: 30, parties: 'filer' },
  { form: '4', weight: 24, parties: 'owner' },
  { form: '10-Q', weight: 6, parties: 'filer' },
  { form: '10-K', weight: 2, parties: 'filer' },
  { form: '424B2', weight: 8, parties: 'registrants' },
  { form: '8-K/A', weight: 2, parties: 'filer' },
  { form: '144', weight: 8, parties: 'seller' },
  { form: 'SCHEDULE 13G', weight: 5, parties: 'holder' },
  { form: 'DEF 14A', weight: 3, parties: 'filer' },
  { form: '3', weight: 3, parties: 'owner' },
  { form: 'S-8', weight: 3, parties: 'filer' },
] as const;
const weights = kinds.reduce((sum, { weight }) => sum + weight, 0);
const itemCodes = ['1.01', '2.02', '5.02', '7.01', '8.01', '9.01'];

/** Makes up entities, filings and holders of symbols. */
export function makeTruth({ seed, firstDay, lastDay, followed, isEveryone }: TruthOptions): Truth {
  const random = randomOf(seed, 'truth');
  const [firstMs, lastMs] = [Date.parse(firstDay), Date.parse(lastDay) + dayMs];
  const spanMs = lastMs - firstMs;
  const entities = new Map<string, Entity>();
  for (let number = 1; number <= followed * 2; number++) {
    const isFollowed = number <= followed;
    const isPerson = number % 5 === 0;
    const name = isPerson ? `Person ${number}` : `Company ${number} Inc.`;
    const renamed = random.oneIn(6)
      ? [
          {
            name: `Renamed ${number} Corp.`,
            fromMs: firstMs + Math.floor(random.next() * spanMs),
          },
        ]
      : [];
    const cik = cikOf(number);
    entities.set(cik, {
      cik,
      isPerson,
      names: [{ name, fromMs: 0 }, ...renamed],
      writesEastern: random.oneIn(4),
      recentRows: number % 3 === 0 ? recentOfFew : Infinity,
      isFollowed,
    });
  }
  const all = [...entities.values()];
  // On half days a few of the drawn filings come: the days after them stay as they are.
  const half = randomOf(seed, 'half days');
  const comes = ({ acceptedMs }: Filing) => half.oneIn(easternHours(acceptedMs) < 13 ? 4 : 60);
  const filings: Filing[] = [];
  let numbers = 0;
  for (let day = firstDay; day <= lastDay; day = dayFrom(day, 1)) {
    if (!isOpen(day)) continue;
    // A universe of 20 files 10 to 30 times on most days, more often at the ends of quarters.
    const count = 10 + random.below(20) + (random.oneIn(20) ? 30 : 0);
    // On some days a dozen of them come one after the other, so that publications follow each other quickly.
    const rushAt = random.oneIn(2) ? 7 + random.below(12) : null;
    const ofDay = Array.from({ length: count }, (_, at) => {
      const isInRush = rushAt !== null && at < rushed;
      const hours = isInRush ? rushAt + (at * (60 + random.below(30))) / 3600 : drawHours(random);
      const filing = makeFiling(random, day, hours, all, ++numbers);
      return { ...filing, document: drawDocument(seed, filing) };
    });
    const come = isHalfDay(day) ? ofDay.filter(comes) : ofDay;
    filings.push(...come.sort((a, b) => a.acceptedMs - b.acceptedMs));
  }
  const holdings = makeHoldings(random, all, firstMs, spanMs);
  if (isEveryone !== true) return { entities, filings, holdings };
  entities.set(stranger.cik, stranger);
  const strange = strangeFilings(firstDay, dayFrom(lastDay, strangeDays));
  const byAcceptance = [...filings, ...strange].sort((a, b) => a.acceptedMs - b.acceptedMs);
  return { entities, filings: byAcceptance, holdings };
}

/** Somebody who files on each day, so that no index is empty. */
export const strangeCik = '0005000000';
const stranger: Entity = {
  cik: strangeCik,
  isPerson: false,
  names: [{ name: 'Stranger 0', fromMs: 0 }],
  writesEastern: false,
  recentRows: Infinity,
  isFollowed: false,
};
/** How many days after all others the stranger files. */
const strangeDays = 30;

/** The accession number of what the stranger files on a day. */
export const strangeAccession = (day: string) =>
  `${stranger.cik}-${day.slice(2, 4)}-${day.slice(5, 7)}${day.slice(8)}00`;

function strangeFilings(firstDay: string, lastDay: string): Filing[] {
  const filings: Filing[] = [];
  for (let day = nextOpenDay(dayFrom(firstDay, -1)); day <= lastDay; day = nextOpenDay(day)) {
    const acceptedMs = easternInstant(day, 10);
    filings.push({
      accessionNo: strangeAccession(day),
      form: '8-K',
      filedAt: day,
      parties: [{ cik: stranger.cik, role: 'filer' }],
      acceptedMs,
      items: ['8.01'],
      reportDate: day,
      primaryDocument: 'd0.htm',
      size: 1000,
      listedMs: acceptedMs + 5000,
      inFilesMs: acceptedMs + 5000,
      indexDay: day,
      corrected: null,
      withdrawnMs: Infinity,
      document: null,
    });
  }
  return filings;
}

/** How many filings come in a rush. */
const rushed = 12;

/** Most filings come in the afternoon, and some in the minutes before EDGAR closes. */
const drawHours = (random: Random) =>
  random.oneIn(30) ? 21.9 + random.next() / 10 : 6.1 + Math.max(random.next(), random.next()) * 15.7;

function makeFiling(
  random: Random,
  day: string,
  hours: number,
  entities: readonly Entity[],
  number: number,
): Omit<Filing, 'document'> {
  let drawn = random.below(weights);
  const kind = kinds.find(({ weight }) => (drawn -= weight) < 0) ?? kinds[0];
  const companies = entities.filter(({ isPerson }) => !isPerson);
  const persons = entities.filter(({ isPerson }) => isPerson);
  // Two of three filings are by somebody who is followed.
  const liked = (from: readonly Entity[]) => {
    const ofUniverse = from.filter(({ isFollowed }) => isFollowed);
    return random.oneIn(3) ? random.pick(from) : random.pick(ofUniverse);
  };
  const company = liked(companies);
  const other = random.pick(companies.filter((each) => each !== company));
  const person = liked(persons);
  const partiesOf = {
    filer: () => [{ cik: company.cik, role: 'filer' }],
    owner: () => [
      { cik: company.cik, role: 'issuer' },
      { cik: person.cik, role: 'reporting_owner' },
    ],
    registrants: () => [
      { cik: company.cik, role: 'filer' },
      { cik: other.cik, role: 'filer' },
    ],
    seller: () => [
      { cik: company.cik, role: 'subject' },
      { cik: person.cik, role: 'reporting_owner' },
    ],
    holder: () => [
      { cik: company.cik, role: 'subject' },
      { cik: other.cik, role: 'filed_by' },
    ],
  } as const satisfies Record<string, () => Facts['parties']>;
  const parties: Facts['parties'] = partiesOf[kind.parties]();
  const acceptedMs = Math.floor(easternInstant(day, hours) / 1000) * 1000;
  const keepsDate = ['3', '4', '144', 'SCHEDULE 13G'].includes(kind.form);
  const isBackDated = random.oneIn(40);
  const filedAt = isBackDated
    ? dayFrom(day, -1 - random.below(20))
    : hours > 17.5 && !keepsDate
      ? nextOpenDay(day)
      : day;
  const lagMs = random.oneIn(8) ? random.below(15 * minuteMs) : random.below(20_000);
  const listedMs = random.oneIn(60) ? Infinity : acceptedMs + 1000 + random.below(30_000);
  const indexDay = random.oneIn(80) ? null : filedAt < day ? day : filedAt;
  const correctedForm = kind.form.endsWith('/A') ? kind.form.slice(0, -2) : `${kind.form}/A`;
  const corrected = random.oneIn(40)
    ? {
        atMs: acceptedMs + hourMs + random.below(30) * hourMs,
        form: random.oneIn(2) ? correctedForm : kind.form,
        filedAt,
        parties:
          random.oneIn(2) && kind.parties === 'filer'
            ? [...parties, { cik: other.cik, role: 'filer' as const }]
            : parties,
      }
    : null;
  return {
    accessionNo: `${company.cik}-${day.slice(2, 4)}-${String(number % 1_000_000).padStart(6, '0')}`,
    form: kind.form,
    filedAt,
    parties,
    acceptedMs,
    items: kind.form.startsWith('8-K')
      ? [...new Set([random.pick(itemCodes), ...(random.oneIn(2) ? ['9.01'] : [])])].sort()
      : [],
    reportDate: ['144', '424B2', 'SCHEDULE 13G', 'S-8'].includes(kind.form)
      ? null
      : dayFrom(day, -random.below(4)),
    primaryDocument: mayHaveOwnership(kind.form) ? renderedDocument(kind.form) : `d${number}.htm`,
    size: 1000 + number,
    listedMs,
    inFilesMs: (listedMs === Infinity ? acceptedMs : listedMs) + lagMs,
    indexDay,
    corrected,
    withdrawnMs: random.oneIn(100) ? acceptedMs + 2 * dayMs + random.below(4) * dayMs : Infinity,
  };
}

/** Every company has a symbol; some symbols move to another company or are given up. */
function makeHoldings(
  random: Random,
  entities: readonly Entity[],
  firstMs: number,
  spanMs: number,
): Holding[] {
  const companies = entities.filter(({ isPerson }) => !isPerson);
  const holdings: Holding[] = companies.map(({ cik }, at) => ({ ticker: `SYM${at}`, fromMs: 0, cik }));
  const followed = companies.filter(({ isFollowed }) => isFollowed);
  for (let moves = 1 + random.below(3); moves > 0; moves--) {
    const from = random.pick(followed);
    const to = random.pick(followed.filter((each) => each !== from));
    const ticker = holdings.find(({ cik }) => cik === from.cik)?.ticker ?? '';
    holdings.push({ ticker, fromMs: firstMs + Math.floor((0.8 + random.next() / 5) * spanMs), cik: to.cik });
  }
  return holdings.sort((a, b) => a.fromMs - b.fromMs);
}

/** The name of an entity at an instant. */
export const nameAt = ({ names }: Entity, atMs: number) =>
  names.findLast(({ fromMs }) => fromMs <= atMs)?.name ?? '';

/** What EDGAR says about a filing at an instant. */
export const factsAt = (filing: Filing, atMs: number): Facts =>
  filing.corrected !== null && filing.corrected.atMs <= atMs ? filing.corrected : filing;

/** Who has each symbol at an instant. */
export function holdersAt({ holdings }: Truth, atMs: number): Map<string, string> {
  const holders = new Map<string, string>();
  for (const { ticker, fromMs, cik } of holdings)
    if (fromMs <= atMs) {
      if (cik === null) holders.delete(ticker);
      else holders.set(ticker, cik);
    }
  return holders;
}
