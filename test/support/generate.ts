import { parseItems } from '../../src/contract/items.ts';
import { appendBatch } from '../../build/ledger/batch.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/rows.ts';

/** What a made-up ledger is to hold. */
export interface LedgerShape {
  readonly filings: number;
  readonly companies: number;
  readonly batches: number;
  readonly seed?: number;
}

/** Forms with their weight in the recorded history of large companies, and whether others file them about a company. */
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
const nameWords = ['Apex', 'Borealis', 'Cobalt', 'Delta', 'Ember', 'Fjord', 'Granite', 'Harbor', 'Indigo', 'Juniper', 'Krypton', 'Lumen', 'Meridian', 'Nimbus', 'Orchard', 'Pioneer', 'Quartz', 'Ridge', 'Summit', 'Tundra'];
const kinds = ['Energy', 'Bancorp', 'Therapeutics', 'Software', 'Foods', 'Mining', 'Logistics', 'Capital', 'Media', 'Robotics'];
const ends = ['Inc.', 'CORP', 'Co', 'Holdings, Inc.', 'PLC', 'N.V.'];

function symbolOf(number: number): string {
  let text = '';
  for (let rest = number + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) text = (letters[(rest - 1) % 26] as string) + text;
  return number % 25 === 0 ? `${text}-B` : text;
}

/** A made-up company. Every tenth one has no symbol. */
export function madeUpCompany(number: number): LedgerCompany {
  const pick = (list: readonly string[], divisor: number) => list[Math.floor(number / divisor) % list.length] as string;
  const listed = number % 10 !== 9;
  return {
    cik: String(100_000 + number * 37).padStart(10, '0'),
    name: `${pick(nameWords, 1)} ${pick(kinds, nameWords.length)} ${symbolOf(number).replace('-', ' ')} ${pick(ends, 3)}`,
    tickers: listed ? [symbolOf(number), ...(number % 40 === 0 ? [`${symbolOf(number)}W`] : [])] : [],
    exchange: listed ? (number % 3 === 0 ? 'NYSE' : 'Nasdaq') : null,
    formerNames: number % 7 === 0 ? [`Old ${pick(nameWords, 2)} ${pick(kinds, 5)} Corp`] : [],
  };
}

/** Writes a ledger of made-up filings with the proportions of real ones: forms, joint filers, late rows, missing values. */
export async function generateLedger(directory: string, { filings, companies, batches, seed = 1 }: LedgerShape): Promise<void> {
  const random = createRandom(seed);
  const known = Array.from({ length: companies }, (_, number) => madeUpCompany(number));
  const total = forms.reduce((sum, [, weight]) => sum + weight, 0);
  for (let batch = 0; batch < batches; batch++) {
    const from = Math.floor((filings * batch) / batches);
    const to = Math.floor((filings * (batch + 1)) / batches);
    const rows: LedgerFiling[] = [];
    for (let number = from; number < to; number++) rows.push(madeUpFiling(number, filings, known, random, total));
    const createdAt = new Date(Date.UTC(2026, 0, 1) + batch * 86_400_000).toISOString();
    await appendBatch(directory, { run: { target: 'made up', status: 'success', message: null, createdAt }, filings: rows, companies: batch === 0 ? known : [], refusals: [] });
  }
}

function madeUpFiling(number: number, filings: number, companies: readonly LedgerCompany[], random: () => number, total: number): LedgerFiling {
  let left = random() * total;
  const [form, , byOthers] = forms.find(([, weight]) => (left -= weight) < 0) ?? ['4', 0];
  // A few companies file most: the square draws towards the front.
  const company = companies[Math.floor(random() ** 2 * companies.length)] as LedgerCompany;
  const joint = random() < 0.03 ? companies[Math.floor(random() * companies.length)] : undefined;
  const late = random() < 0.035 ? Math.floor(random() * 60) : 0;
  const day = Date.UTC(2000, 0, 3) + Math.floor((number / filings) * 9_600) * 86_400_000;
  const filedAt = new Date(day - late * 86_400_000).toISOString().slice(0, 10);
  const year = filedAt.slice(2, 4);
  const seconds = 6 * 3600 + Math.floor(random() * 16 * 3600);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0')).join('');
  const isXbrl = form.startsWith('10-');
  return {
    accessionNo: `${String(1_000_000 + (number % 997)).padStart(10, '0')}-${year}-${String(Math.floor(number / 997) % 1_000_000).padStart(6, '0')}`,
    form,
    filedAt,
    reportDate: random() < 0.3 ? null : filedAt,
    acceptedAt: random() < 0.01 ? null : `${filedAt.replaceAll('-', '')}${clock}`,
    items: form.startsWith('8-K') ? parseItems('current_report', random() < 0.4 ? '2.02,9.01' : random() < 0.5 ? '8.01' : '5.02,7.01,9.01') : [],
    primaryDocument: byOthers ? `xslF345X05/form4_${number}.xml` : `d${number}d${form.toLowerCase().replace(/\W/g, '')}.htm`,
    primaryDocDescription: random() < 0.2 ? null : form,
    sizeBytes: 4_000 + Math.floor(random() * 9_000_000),
    isXbrl,
    isInlineXbrl: isXbrl,
    subjectCik: byOthers ? company.cik : null,
    filerCiks: [...new Set([...(byOthers ? [] : [company.cik]), ...(joint && joint !== company ? [joint.cik] : [])])].sort(),
  };
}
