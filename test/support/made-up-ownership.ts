import type { Section16Document } from '../../src/contract/ownership-document.ts';
import type { LedgerCompany, LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { form4, holding, transaction } from './contents.ts';

/** Where addresses are, and what people are called in them. */
const streets = [
  'MAIN STREET',
  'MARKET STREET',
  'PARK AVENUE',
  'TECHNOLOGY DRIVE',
  'LAKE SHORE DRIVE',
  'OAK ROAD',
];
const cities = ['NEW YORK', 'SAN FRANCISCO', 'HOUSTON', 'CHICAGO', 'BOSTON', 'SEATTLE', 'DENVER', 'ATLANTA'];
const titles = [
  'Chief Financial Officer',
  'President and CEO',
  'EVP, General Counsel',
  'See Remarks',
  'SVP Sales',
];
const attorneys = ['Attorney-in-Fact', 'by Power of Attorney', 'attorney in fact for the reporting person'];
const codes = ['A', 'M', 'S', 'S', 'F', 'P', 'G', 'D'] as const;
const unpriced = new Set(['A', 'M', 'G']);

/**
 * The document of a made-up Form 3, 4 or 5. It has about as many rows and footnotes as recorded ones on average, and is as
 * hard to compress: in blocks of a table `ownership` takes 96 bytes and all else 250, of recorded ones 97 and 274.
 */
export function madeUpOwnership(
  filing: LedgerFiling,
  issuer: LedgerCompany,
  random: () => number,
): Section16Document {
  const below = (bound: number) => Math.floor(random() * bound);
  const pick = <Value>(values: readonly Value[]) => values[below(values.length)] as Value;
  const on = filing.reportDate ?? filing.filedAt ?? '2026-01-02';
  const hasRows = !filing.form.startsWith('3');
  const transactions = Array.from(
    { length: hasRows ? 1 + below(3) + (random() < 0.15 ? 2 : 0) : 0 },
    (_, at) => {
      const code = pick(codes);
      const shares = Math.ceil(Math.exp(3 + random() * 8));
      const price = unpriced.has(code) ? 0 : below(30_000) / 100;
      const isDerivative = code === 'M' || random() < 0.1;
      return transaction(at + 1, {
        security: pick(['Common Stock', 'Class A Common Stock', 'Common Shares', `${word()} Units`]),
        on,
        code,
        shares,
        price,
        value: Math.round(shares * price * 100) / 100,
        direction: code === 'S' || code === 'F' || code === 'G' || code === 'D' ? 'disposed' : 'acquired',
        sharesAfter: below(500_000),
        isDirect: random() < 0.8,
        nature: random() < 0.2 ? `By ${word()} Trust` : null,
        ...(isDerivative && {
          isDerivative,
          security: 'Stock Option (Right to Buy)',
          exercisePrice: below(20_000) / 100,
          exercisableOn: null,
          expiresOn: `${2026 + below(10)}${on.slice(4, 8)}15`,
          underlying: { security: 'Common Stock', shares, value: null },
        }),
      });
    },
  );
  const holdings = Array.from({ length: random() < 0.35 ? 1 + below(3) : 0 }, (_, at) => holding(at + 1));
  const footnotes = Array.from({ length: below(6) }, (_, at) => ({ id: `F${at + 1}`, text: footnote() }));
  const document = form4(
    [0],
    transactions,
    random() < 0.2 ? 'Exhibit 24: Power of Attorney.' : null,
    null,
    holdings,
  );
  const [owner] = document.ownership.owners;
  const isOfficer = random() < 0.6;
  return {
    ...document,
    ownership: {
      ...document.ownership,
      periodOfReport: on,
      owners: [
        {
          ...(owner as NonNullable<typeof owner>),
          cik: filing.filerCiks[0] ?? null,
          name: `${word()} ${word()} ${pick(['A', 'J', 'M', 'R'])}.`,
          isDirector: random() < 0.5,
          isOfficer,
          title: isOfficer ? pick(titles) : null,
        },
      ],
    },
    documentType: filing.form,
    schemaVersion: pick(['X0306', 'X0407', 'X0508']),
    issuer: { ...document.issuer, cik: issuer.cik, name: issuer.name, ticker: issuer.tickers[0] ?? 'NONE' },
    signatures: [
      { person: null, name: `/s/ ${word()} ${word()}, ${pick(attorneys)}`, title: null, on: filing.filedAt },
    ],
    ownerDetails: [
      {
        officerTitle: null,
        otherText: null,
        address: {
          street1: `C/O ${issuer.name.toUpperCase()}`,
          street2: `${1 + below(9_000)} ${pick(streets)}`,
          city: pick(cities),
          stateOrCountry: pick(['NY', 'CA', 'TX', 'IL', 'MA']),
          stateDescription: null,
          zipCode: String(10_000 + below(89_999)),
          isNonUs: null,
          nonUsTerritory: null,
          country: null,
        },
      },
    ],
    footnotes,
  };

  function words(count: number): string {
    return Array.from({ length: count }, word).join(' ');
  }

  /** A made-up name of two or three syllables. */
  function word(): string {
    const made = Array.from(
      { length: 2 + below(2) },
      () => pick('bcdfghklmnprstvwz'.split('')) + pick('aeiou'.split('')),
    );
    const [first = '', ...rest] = made.join('') + pick(['n', 'r', 's', '']);
    return first.toUpperCase() + rest.join('');
  }

  /** A footnote: a sentence that others have, too, with numbers, days and names, and one of its own. */
  function footnote(): string {
    const day = `${pick(['January', 'March', 'May', 'August', 'November'])} ${1 + below(28)}, 20${10 + below(18)}`;
    const dollars = () => `$${(below(30_000) / 100).toFixed(2)}`;
    const sentence = pick([
      `The restricted stock units vest in ${2 + below(4)} equal annual installments beginning on ${day}, subject to continued service through each vesting date.`,
      `The price reported is a weighted average price. These shares were sold in multiple transactions at prices ranging from ${dollars()} to ${dollars()}, inclusive. The reporting person undertakes to provide full information regarding the number of shares sold at each separate price.`,
      `Each unit represents a contingent right to receive one share of common stock of ${issuer.name}.`,
      `Includes ${below(20_000)} shares acquired under the employee stock purchase plan on ${day}.`,
      `The sales reported were effected pursuant to a Rule 10b5-1 trading plan adopted by the reporting person on ${day}.`,
      `Shares are held by the ${word()} Family Trust dated ${day}, of which ${word()} ${word()} is trustee.`,
    ]);
    return `${sentence} See the agreement of ${day} with ${words(5)} on ${below(90_000)} shares of ${words(3)}, as amended for ${words(2)}.`;
  }
}
