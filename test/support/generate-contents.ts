import type { LedgerContents } from '../../build/ledger/contents.ts';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { form4, transaction } from './contents.ts';

// biome-ignore format: a table, read by its lines
/** Transaction codes with their weight among the transactions of a year. */
const codes: readonly (readonly [code: string, weight: number])[] = [
  ['S', 380], ['M', 190], ['A', 170], ['F', 150], ['P', 50], ['G', 25], ['D', 15], ['C', 10], ['J', 6], ['X', 2], ['I', 1], ['W', 1],
];
const codesTotal = codes.reduce((sum, [, weight]) => sum + weight, 0);

/** So many of a hundred filings of Forms 3, 4 and 5 have a document that was read: together a quarter of all filings. */
const readPercent = 62;
/** Owners that documents name. */
const owners = 40_000;

/** What made-up filings say: lists of documents of all of them, and ownership of most Forms 3, 4 and 5. */
export function madeUpContents(filings: readonly LedgerFiling[], random: () => number): LedgerContents[] {
  return filings.map((filing) => ({ ...ownershipOf(filing, random), ...documentsOf(filing, random) }));
}

function ownershipOf({ accessionNo, form, filedAt }: LedgerFiling, random: () => number): LedgerContents {
  if (!/^[345](\/A)?$/.test(form) || random() * 100 >= readPercent) return { accessionNo };
  const count = form.startsWith('3') ? 0 : 1 + Math.floor(random() ** 3 * 6);
  const transactions = Array.from({ length: count }, (_, at) => {
    let left = random() * codesTotal;
    const code = codes.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'S';
    const price = random() < 0.1 ? null : code === 'A' ? 0 : Math.round(random() ** 2 * 40_000) / 100;
    const shares = Math.ceil(10 ** (1 + random() * 4.5));
    const isGained = 'MAPC'.includes(code);
    return transaction(at + 1, {
      code,
      on: filedAt,
      shares,
      price,
      value: price === null ? null : Math.round(shares * price * 100) / 100,
      direction: isGained ? 'acquired' : 'disposed',
      sharesAfter: Math.floor(random() * 1e6),
    });
  });
  const ownership = form4([3_000_000 + Math.floor(random() ** 2 * owners)], transactions);
  return { accessionNo, source: 'document', ownership: { ...ownership, documentType: form } };
}

function documentsOf(
  { form, primaryDocument }: LedgerFiling,
  random: () => number,
): Pick<LedgerContents, 'documents'> {
  const types = [
    ...(form.startsWith('8-K') && random() < 0.6 ? ['EX-99.1'] : []),
    ...(form.startsWith('8-K') && random() < 0.15 ? ['EX-10.1'] : []),
    ...(form.startsWith('10-') ? ['EX-31.1', 'EX-31.2', 'EX-32.1'] : []),
    ...(random() < 0.002 ? [`EX-99.${2 + Math.floor(random() * 90)}`] : []),
  ];
  const name = primaryDocument?.replace(/^.*\//, '') ?? null;
  return {
    documents: [form, ...types].map((type, at) => ({
      sequence: at + 1,
      type,
      description: at === 0 ? null : type,
      name: at === 0 ? name : `${type.toLowerCase().replace(/\W/g, '')}_${name ?? ''}`,
      size: 1000 + Math.floor(random() * 900_000),
    })),
  };
}
