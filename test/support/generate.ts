import { sicCodes } from '../../src/domain/company-codes.ts';
import { parseItems } from '../../src/domain/items.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { madeUpContents } from './generate-contents.ts';

/** What a made-up ledger is to hold. */
export interface LedgerShape {
  readonly filings: number;
  readonly companies: number;
  readonly batches: number;
  /** Reporting owners beside the companies, most of them people who file a few times; none if left out. */
  readonly owners?: number;
  /** Whether filings have contents: lists of documents, and ownership. */
  readonly contents?: true;
  readonly seed?: number;
}

// biome-ignore format: a table, read by its lines
/**
 * Forms with their weight in the recorded history of large companies, and whether others file them about a
 * company.
 */
const forms: readonly (readonly [form: string, weight: number, byOthers?: true])[] = [
  ['4', 400, true], ['424B2', 200], ['8-K', 110], ['FWP', 60], ['10-Q', 30], ['144', 30, true], ['424B3', 25], ['SC 13G/A', 16, true], ['SCHEDULE 13G', 4, true],
  ['3', 20, true], ['4/A', 8, true], ['11-K', 6], ['S-8', 8], ['DEF 14A', 8], ['DEFA14A', 12], ['10-K', 9], ['8-K/A', 4], ['5', 6, true], ['SC 13G', 14, true],
  ['6-K', 15], ['UPLOAD', 5], ['CORRESP', 5], ['PX14A6G', 4], ['S-3ASR', 3], ['25-NSE', 1, true], ['NT 10-K', 1], ['ARS', 2], ['SD', 2], ['424B5', 8], ['CT ORDER', 1],
];

/** A small generator of repeatable pseudo-random numbers in [0, 1) (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const nameWords = [
  'Apex',
  'Borealis',
  'Cobalt',
  'Delta',
  'Ember',
  'Fjord',
  'Granite',
  'Harbor',
  'Indigo',
  'Juniper',
  'Krypton',
  'Lumen',
  'Meridian',
  'Nimbus',
  'Orchard',
  'Pioneer',
  'Quartz',
  'Ridge',
  'Summit',
  'Tundra',
];
const kinds = [
  'Energy',
  'Bancorp',
  'Therapeutics',
  'Software',
  'Foods',
  'Mining',
  'Logistics',
  'Capital',
  'Media',
  'Robotics',
];
const ends = ['Inc.', 'CORP', 'Co', 'Holdings, Inc.', 'PLC', 'N.V.'];

function symbolOf(number: number): string {
  let text = '';
  for (let rest = number + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = (letters[(rest - 1) % 26] as string) + text;
  return number % 25 === 0 ? `${text}-B` : text;
}

/** A made-up company. Every tenth one has no symbol. */
export function madeUpCompany(number: number): LedgerCompany {
  const pick = (list: readonly string[], divisor: number) =>
    list[Math.floor(number / divisor) % list.length] as string;
  const listed = number % 10 !== 9;
  return {
    cik: String(100_000 + number * 37).padStart(10, '0'),
    name: `${pick(nameWords, 1)} ${pick(kinds, nameWords.length)} ${symbolOf(number).replace('-', ' ')} ${pick(ends, 3)}`,
    tickers: listed ? [symbolOf(number), ...(number % 40 === 0 ? [`${symbolOf(number)}W`] : [])] : [],
    exchange: listed ? (number % 3 === 0 ? 'NYSE' : 'Nasdaq') : null,
    formerNames: number % 7 === 0 ? [`Old ${pick(nameWords, 2)} ${pick(kinds, 5)} Corp`] : [],
    facts: {
      sic: pick(sicCodes, 11),
      sicDescription: null,
      category: null,
      entityType: 'operating',
      stateOfIncorporation: pick(['DE', 'NV', 'MD', 'E9', 'DE'], 1),
      fiscalYearEnd: '1231',
      phone: `555-${String(number).padStart(7, '0')}`,
      businessStreet: `${number} ${pick(nameWords, 7)} STREET`,
      businessCity: pick(nameWords, 13),
      businessState: pick(['NY', 'CA', 'TX'], 17),
      businessZipCode: String(10_000 + (number % 90_000)),
    },
  };
}

// biome-ignore format: a table, read by its lines
const surnames = [
  'Smith', 'Johnson', 'Williams', 'Brown', 'Jones', 'Garcia', 'Miller', 'Davis', 'Rodriguez', 'Martinez', 'Hernandez', 'Lopez', 'Wilson', 'Anderson', 'Thomas', 'Taylor', 'Moore',
  'Jackson', 'Martin', 'Lee', 'Perez', 'Thompson', 'White', 'Harris', 'Sanchez', 'Clark', 'Ramirez', 'Lewis', 'Robinson', 'Walker', 'Young', 'Allen', 'King', 'Wright', 'Scott', 'Nguyen',
  'Hill', 'Green', 'Adams', 'Nelson', 'Baker', 'Hall', 'Campbell', 'Mitchell', 'Carter', 'Cohen', 'Patel', 'Schmidt', 'Kim', 'Chen', 'Wang', 'Murphy', 'Sullivan', 'Kelly', 'Fischer', 'Rossi',
];
const syllables = [
  'an',
  'bel',
  'cor',
  'dal',
  'er',
  'fen',
  'gra',
  'hol',
  'ik',
  'jor',
  'kin',
  'lin',
  'mar',
  'nov',
  'os',
  'pet',
  'ros',
  'sen',
  'tor',
  'ul',
  'ver',
  'wen',
  'yas',
  'zim',
];
// biome-ignore format: a table, read by its lines
const givenNames = [
  'James', 'Mary', 'Robert', 'Patricia', 'John', 'Jennifer', 'Michael', 'Linda', 'David', 'Elizabeth', 'William', 'Barbara', 'Richard', 'Susan', 'Joseph', 'Jessica', 'Thomas', 'Sarah', 'Charles',
  'Karen', 'Christopher', 'Lisa', 'Daniel', 'Nancy', 'Matthew', 'Sandra', 'Anthony', 'Ashley', 'Mark', 'Emily', 'Steven', 'Kimberly', 'Paul', 'Donna', 'Andrew', 'Michelle', 'Joshua', 'Carol', 'Wei', 'Priya',
];

const madeUpOwnerCik = (number: number) => String(2_000_000 + number).padStart(10, '0');

/**
 * A made-up reporting owner, named as in EDGAR: the surname first. Every twelfth one is a trust or a fund.
 */
function madeUpOwner(number: number): LedgerCompany {
  const random = createRandom(number + 0x51ed270b);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string;
  const made = `${pick(syllables)}${pick(syllables)}${random() < 0.5 ? pick(syllables) : ''}`;
  const surname = random() < 0.4 ? pick(surnames) : `${(made[0] as string).toUpperCase()}${made.slice(1)}`;
  const person = `${surname} ${pick(givenNames)} ${letters[Math.floor(random() * 26)] as string}${random() < 0.05 ? ' Jr.' : ''}`;
  const fund = random() < 0.5 ? `${surname} Family Trust` : `${surname} ${pick(kinds)} Fund L.P.`;
  return {
    cik: madeUpOwnerCik(number),
    name: number % 12 === 11 ? fund : random() < 0.3 ? person.toUpperCase() : person,
    tickers: [],
    exchange: null,
    formerNames: [],
  };
}

/** How many reporting owners the first so many filings name. */
const ownersOf = (filings: number, shape: LedgerShape) =>
  filings === 0 || shape.owners === undefined
    ? 0
    : Math.floor(((filings - 1) * (shape.owners ?? 0)) / shape.filings) + 1;

/**
 * Writes a ledger of made-up filings with the proportions of real ones: forms, joint filers, late rows,
 * missing values. One batch is in memory at a time.
 */
export async function generateLedger(directory: string, shape: LedgerShape): Promise<void> {
  const { filings, batches, seed = 1 } = shape;
  const random = createRandom(seed);
  const companies = madeUpCompanies(shape);
  for (let batch = 0; batch < batches; batch++) {
    const range = {
      from: Math.floor((filings * batch) / batches),
      to: Math.floor((filings * (batch + 1)) / batches),
    };
    await appendMadeUp(
      directory,
      shape,
      range,
      companies,
      random,
      firstRecordedMs + batch * 86_400_000,
      batch === 0,
    );
  }
}

/**
 * Appends the made-up batch of so many filings that follows those of a ledger of a shape and `number` such
 * batches.
 */
export async function appendFilings(
  directory: string,
  shape: LedgerShape,
  count: number,
  number: number,
): Promise<void> {
  const from = shape.filings + number * count;
  await appendMadeUp(
    directory,
    shape,
    { from, to: from + count },
    madeUpCompanies(shape),
    createRandom(from),
    firstRecordedMs + shape.batches * 86_400_000 + number * 1000,
    false,
  );
}

const firstRecordedMs = Date.UTC(2026, 0, 1);

const madeUpCompanies = ({ companies }: LedgerShape) =>
  Array.from({ length: companies }, (_, number) => madeUpCompany(number));

async function appendMadeUp(
  directory: string,
  shape: LedgerShape,
  { from, to }: { readonly from: number; readonly to: number },
  companies: readonly LedgerCompany[],
  random: () => number,
  recordedMs: number,
  isFirst: boolean,
): Promise<void> {
  const total = forms.reduce((sum, [, weight]) => sum + weight, 0);
  const filings: LedgerFiling[] = [];
  for (let number = from; number < to; number++)
    filings.push(madeUpFiling(number, shape, companies, random, total));
  const ownersBefore = ownersOf(from, shape);
  const owners = Array.from({ length: ownersOf(to, shape) - ownersBefore }, (_, at) =>
    madeUpOwner(ownersBefore + at),
  );
  const createdAt = new Date(recordedMs).toISOString();
  await appendBatch(directory, {
    run: { target: 'made up', status: 'success', message: null, createdAt },
    filings,
    companies: isFirst ? [...companies, ...owners] : owners,
    ...(shape.contents === true ? { contents: madeUpContents(filings, random) } : {}),
    refusals: [],
  });
}

/**
 * The reporting owner of a filing. Owners file for about a fifth of the time of the ledger, most often soon
 * after they were first named.
 */
function ownerOf(number: number, shape: LedgerShape, random: () => number): string {
  const newest = ownersOf(number + 1, shape) - 1;
  return madeUpOwnerCik(Math.max(0, newest - Math.floor(random() ** 2 * ((shape.owners ?? 0) / 5))));
}

function madeUpFiling(
  number: number,
  shape: LedgerShape,
  companies: readonly LedgerCompany[],
  random: () => number,
  total: number,
): LedgerFiling {
  let left = random() * total;
  const [form, , byOthers] = forms.find(([, weight]) => (left -= weight) < 0) ?? ['4', 0];
  // A few companies file most: the square prefers low numbers.
  const company = companies[Math.floor(random() ** 2 * companies.length)] as LedgerCompany;
  const joint = random() < 0.03 ? companies[Math.floor(random() * companies.length)] : undefined;
  const late = random() < 0.035 ? Math.floor(random() * 60) : 0;
  const day = Date.UTC(2000, 0, 3) + Math.floor((number / shape.filings) * 9_600) * 86_400_000;
  const filedAt = new Date(day - late * 86_400_000).toISOString().slice(0, 10);
  const year = filedAt.slice(2, 4);
  const seconds = 6 * 3600 + Math.floor(random() * 16 * 3600);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join('');
  const isXbrl = form.startsWith('10-');
  const owners = byOthers && shape.owners !== undefined ? [ownerOf(number, shape, random)] : [];
  return {
    accessionNo: `${String(1_000_000 + (number % 997)).padStart(10, '0')}-${year}-${String(Math.floor(number / 997) % 1_000_000).padStart(6, '0')}`,
    form,
    filedAt,
    reportDate: random() < 0.3 ? null : filedAt,
    acceptedEastern: random() < 0.01 ? null : `${filedAt.replaceAll('-', '')}${clock}`,
    items: form.startsWith('8-K')
      ? parseItems(
          'current_report',
          random() < 0.4 ? '2.02,9.01' : random() < 0.5 ? '8.01' : '5.02,7.01,9.01',
        )
      : [],
    primaryDocument: byOthers
      ? `xslF345X05/form4_${number}.xml`
      : `d${number}d${form.toLowerCase().replace(/\W/g, '')}.htm`,
    primaryDocDescription: random() < 0.2 ? null : form,
    sizeBytes: 4_000 + Math.floor(random() * 9_000_000),
    isXbrl,
    isInlineXbrl: isXbrl,
    subjectCik: byOthers ? company.cik : null,
    filerCiks: [
      ...new Set([
        ...owners,
        ...(byOthers ? [] : [company.cik]),
        ...(joint && joint !== company ? [joint.cik] : []),
      ]),
    ].sort(),
  };
}
