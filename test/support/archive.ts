import { createRandom, madeUpCompany } from './generate.ts';
import { submissionsOf, upstreamRow, type UpstreamRow } from './submissions.ts';
import type { Member } from './zip.ts';

/** What a made-up bulk archive is to hold. */
export interface ArchiveShape {
  readonly entities: number;
  /** In all: a few entities have most of them, and the others twenty or so. */
  readonly filings: number;
  readonly seed?: number;
  /** More filings than this go into older pages; 1,000 unless given. */
  readonly rowsOfMain?: number;
  /** 2,000 unless given. */
  readonly rowsOfPage?: number;
  /**
   * How many filings of each entity its next one lists, too, as reporting owners do. They are not counted in
   * `filings`; none unless given.
   */
  readonly shared?: number;
}

const forms = ['4', '4', '4', '8-K', '424B2', '10-Q', '144', 'SC 13G/A', '10-K', '6-K', 'D', '497'];

/**
 * Members of a made-up bulk archive, as upstream orders them: the pages of an entity stand before its main
 * file. Each is made when it is asked for, so that an archive of any size takes no memory.
 */
export function* archiveMembers({
  entities,
  filings,
  seed = 1,
  rowsOfMain = 1000,
  rowsOfPage = 2000,
  shared = 0,
}: ArchiveShape): Generator<Member> {
  const random = createRandom(seed);
  let made = 0;
  let before: UpstreamRow[] = [];
  for (let number = 0; number < entities; number++) {
    const company = madeUpCompany(number);
    // The shares of entities fall like 1/(n + 20), in mixed order, so that the long ones are not all at the
    // beginning.
    const rank = (number * 7919) % entities;
    const share = 1 / (rank + 20) / Math.log((entities + 20) / 20);
    const count =
      number === entities - 1
        ? filings - made
        : Math.min(filings - made, Math.round(filings * (0.6 * share + 0.4 / entities)));
    const own = Array.from({ length: Math.max(0, count) }, (_, at) =>
      filingRow(number, made + at, count - at, random),
    );
    made += own.length;
    const rows = [...own, ...before].sort((a, b) => (a.filingDate < b.filingDate ? 1 : -1));
    before = own.slice(0, shared);
    const pages: { name: string; filingCount: number; filingFrom: string; filingTo: string }[] = [];
    for (let from = rowsOfMain; from < rows.length; from += rowsOfPage) {
      const part = rows.slice(from, from + rowsOfPage);
      const name = `CIK${company.cik}-submissions-${String(pages.length + 1).padStart(3, '0')}.json`;
      pages.push({
        name,
        filingCount: part.length,
        filingFrom: part.at(-1)?.filingDate ?? '',
        filingTo: part[0]?.filingDate ?? '',
      });
      yield {
        name,
        body: Buffer.from(
          JSON.stringify((submissionsOf(company.cik, part)['filings'] as { recent: unknown }).recent),
        ),
      };
    }
    const described = {
      ...describedAs(number, random),
      name: company.name,
      tickers: company.tickers,
      exchanges: company.tickers.map(() => company.exchange),
    };
    const body = submissionsOf(company.cik, rows.slice(0, rowsOfMain), described, pages);
    yield { name: `CIK${company.cik}.json`, body: Buffer.from(JSON.stringify(body)) };
  }
}

/** Members of an entity beside its filings; most are not used, but have to be read. */
function describedAs(number: number, random: () => number): Record<string, unknown> {
  const digits = (count: number) => String(Math.floor(random() * 10 ** count)).padStart(count, '0');
  const address = () => ({
    street1: `${digits(4)} ${cities[number % cities.length]} Avenue`,
    street2: `Suite ${digits(3)}`,
    city: cities[Math.floor(random() * cities.length)],
    stateOrCountry: 'NY',
    zipCode: digits(5),
    stateOrCountryDescription: 'NY',
    isForeignLocation: 0,
    foreignStateTerritory: null,
    country: null,
    countryCode: null,
  });
  return {
    sicDescription: 'Services-Prepackaged Software',
    ownerOrg: '06 Technology',
    ein: digits(9),
    lei: null,
    description: '',
    website: '',
    investorWebsite: '',
    fiscalYearEnd: '1231',
    stateOfIncorporation: 'DE',
    stateOfIncorporationDescription: 'DE',
    addresses: { mailing: address(), business: address() },
    phone: digits(10),
    flags: '',
  };
}

const cities = ['Armonk', 'Boston', 'Cupertino', 'Dearborn', 'El Segundo', 'Fremont', 'Greenwich', 'Houston'];

function filingRow(entity: number, number: number, age: number, random: () => number): UpstreamRow {
  const filingDate = new Date(Date.UTC(2026, 1, 27) - Math.floor(age * (1 + random())) * 86_400_000)
    .toISOString()
    .slice(0, 10);
  const form = forms[Math.floor(random() * forms.length)] as string;
  const year = filingDate.slice(2, 4);
  return upstreamRow(number, {
    accessionNumber: `${String(1_000_000 + (entity % 9973)).padStart(10, '0')}-${year}-${String(number % 1_000_000).padStart(6, '0')}`,
    filingDate,
    form,
    items: form === '8-K' ? '2.02,9.01' : '',
    primaryDocument:
      form === '4' ? `xslF345X05/form4_${number}.xml` : `d${Math.floor(random() * 1e6)}d${number}.htm`,
  });
}
