/** A company whose listing moved to another one. */
export interface Succession {
  readonly predecessorCik: string;
  readonly successorCik: string;
  /** The day from which the successor was listed in place of the predecessor. */
  readonly since: string;
  /** What happened, in one sentence. */
  readonly description: string;
  /** The successor's report of it on Form 8-K12B or 8-K12G3, if it was read. */
  readonly accessionNo?: string;
}

// biome-ignore format: a table, read by its entries
/**
 * Companies whose listing moved to a new CIK. EDGAR keeps the histories apart, so a ticker alone would lose
 * the older one. A request for the ticker or for either CIK finds both histories; each filing keeps its own
 * CIK. EDGAR has no data that leads from one to the other: a successor reports on Form 8-K12B or 8-K12G3, but
 * only the text of the report says whom it succeeds, and some companies report so under the CIK that they keep
 * (Cisco in 2021). So this list is kept by hand. It has large companies whose CIKs are certain; not those whose
 * predecessor goes on with many filings of its own (Duke Energy Carolinas), nor companies that two or more
 * merged into.
 */
export const successors: readonly Succession[] = [
  { predecessorCik: '0000034088', successorCik: '0002115436', since: '2026-07-01',
    description: 'Exxon Mobil Corp became a subsidiary of ExxonMobil Holdings Corp; the ticker XOM moved.', accessionNo: '0001193125-26-291990' },
  { predecessorCik: '0000006769', successorCik: '0001841666', since: '2021-03-01',
    description: 'Apache Corp became a subsidiary of APA Corp.' },
  { predecessorCik: '0000022301', successorCik: '0001166691', since: '2002-11-18',
    description: 'Comcast Corp, now Comcast Holdings, became a subsidiary of the company that took over AT&T Broadband.' },
  { predecessorCik: '0000031277', successorCik: '0001551182', since: '2012-11-30',
    description: 'Eaton Corp became a subsidiary of Eaton Corp plc.' },
  { predecessorCik: '0000050485', successorCik: '0001160497', since: '2001-12-31',
    description: 'Ingersoll-Rand Co of New Jersey became a subsidiary of Ingersoll-Rand Co Ltd of Bermuda.' },
  { predecessorCik: '0001160497', successorCik: '0001466258', since: '2009-07-01',
    description: 'Ingersoll-Rand Co Ltd became a subsidiary of Ingersoll-Rand plc, now Trane Technologies plc.' },
  { predecessorCik: '0000064670', successorCik: '0001613103', since: '2015-01-26',
    description: 'Medtronic Inc became a subsidiary of Medtronic plc.' },
  { predecessorCik: '0000092416', successorCik: '0001692115', since: '2017-01-01',
    description: 'Southwest Gas Corp became a subsidiary of Southwest Gas Holdings, Inc.' },
  { predecessorCik: '0000103973', successorCik: '0001396009', since: '2007-11-16',
    description: 'Vulcan Materials Co, later Legacy Vulcan, became a subsidiary of the company that now has the name.' },
  { predecessorCik: '0000104207', successorCik: '0001618921', since: '2014-12-31',
    description: 'Walgreen Co became a subsidiary of Walgreens Boots Alliance, Inc.' },
  { predecessorCik: '0000108772', successorCik: '0001770450', since: '2019-07-31',
    description: 'Xerox Corp became a subsidiary of Xerox Holdings Corp.', accessionNo: '0001193125-19-208837' },
  { predecessorCik: '0000318380', successorCik: '0001393311', since: '2007-06-01',
    description: 'Public Storage, Inc. of California merged into Public Storage of Maryland.' },
  { predecessorCik: '0000701221', successorCik: '0001739940', since: '2018-12-20',
    description: 'Cigna Corp, now Cigna Holding Co, became a subsidiary of the company that is now the Cigna Group.' },
  { predecessorCik: '0000777676', successorCik: '0001341439', since: '2006-01-31',
    description: 'Oracle Corp became a subsidiary of the company that now has the name.', accessionNo: '0001193125-06-020874' },
  { predecessorCik: '0000808362', successorCik: '0001701605', since: '2017-07-03',
    description: 'Baker Hughes Inc became a subsidiary of the company that is now Baker Hughes Co.' },
  { predecessorCik: '0000813828', successorCik: '0002041610', since: '2025-08-07',
    description: 'Paramount Global became a subsidiary of Paramount Skydance Corp.' },
  { predecessorCik: '0000815065', successorCik: '0001624899', since: '2015-11-02',
    description: 'STERIS Corp became a subsidiary of STERIS plc of the United Kingdom.' },
  { predecessorCik: '0001624899', successorCik: '0001757898', since: '2019-03-28',
    description: 'STERIS plc of the United Kingdom became a subsidiary of STERIS plc of Ireland.' },
  { predecessorCik: '0000884905', successorCik: '0001707925', since: '2018-10-31',
    description: 'Praxair, Inc. became a subsidiary of Linde plc.' },
  { predecessorCik: '0000912752', successorCik: '0001971213', since: '2023-06-01',
    description: 'Sinclair Broadcast Group, Inc. became a subsidiary of Sinclair, Inc.' },
  { predecessorCik: '0001001039', successorCik: '0001744489', since: '2019-03-20',
    description: 'The Walt Disney Co, now TWDC Enterprises 18 Corp., became a subsidiary of the company that now has the name.', accessionNo: '0000950157-19-000301' },
  { predecessorCik: '0001058057', successorCik: '0001835632', since: '2021-04-20',
    description: 'Marvell Technology Group Ltd of Bermuda became a subsidiary of Marvell Technology, Inc.' },
  { predecessorCik: '0001060021', successorCik: '0001364742', since: '2006-09-29',
    description: 'BlackRock, Inc. became a subsidiary of the company that took over Merrill Lynch Investment Managers.' },
  { predecessorCik: '0001364742', successorCik: '0002012383', since: '2024-10-01',
    description: 'BlackRock, Inc., now BlackRock Finance, Inc., became a subsidiary of the company that now has the name.' },
  { predecessorCik: '0001134538', successorCik: '0001467373', since: '2009-09-01',
    description: 'Accenture Ltd of Bermuda became a subsidiary of Accenture plc.' },
  { predecessorCik: '0001135152', successorCik: '0001681459', since: '2017-01-16',
    description: 'FMC Technologies, Inc. became a subsidiary of TechnipFMC plc.' },
  { predecessorCik: '0001144519', successorCik: '0001996862', since: '2023-11-01',
    description: 'Bunge Ltd of Bermuda became a subsidiary of Bunge Global SA.' },
  { predecessorCik: '0001174746', successorCik: '0001571949', since: '2013-11-13',
    description: 'IntercontinentalExchange, Inc. became a subsidiary of the company that is now Intercontinental Exchange, Inc.' },
  { predecessorCik: '0001288776', successorCik: '0001652044', since: '2015-10-02',
    description: 'Google Inc. became a subsidiary of Alphabet Inc.', accessionNo: '0001193125-15-336577' },
  { predecessorCik: '0001441634', successorCik: '0001649338', since: '2016-02-01',
    description: 'Avago Technologies Ltd became a subsidiary of Broadcom Ltd of Singapore.' },
  { predecessorCik: '0001649338', successorCik: '0001730168', since: '2018-04-04',
    description: 'Broadcom Ltd of Singapore became a subsidiary of Broadcom Inc.' },
  { predecessorCik: '0001832433', successorCik: '0002011641', since: '2024-08-01',
    description: 'Ferguson plc became a subsidiary of Ferguson Enterprises Inc.' },
];

/** Where EDGAR shows the report of a succession, or the reports of the successor up to three months later. */
export function sourceOfSuccession({ successorCik, since, accessionNo }: Succession): string {
  if (accessionNo !== undefined)
    return `https://www.sec.gov/Archives/edgar/data/${Number(successorCik)}/${accessionNo.replaceAll('-', '')}/${accessionNo}-index.htm`;
  const [year = 0, month = 0, day = 0] = since.split('-').map(Number);
  const before = new Date(Date.UTC(year, month + 2, day)).toISOString().slice(0, 10).replaceAll('-', '');
  return `https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=${successorCik}&type=8-K&dateb=${before}`;
}

const successorOf = new Map(
  successors.map(({ predecessorCik, successorCik }) => [predecessorCik, successorCik]),
);
const predecessorOf = new Map(
  successors.map(({ predecessorCik, successorCik }) => [successorCik, predecessorCik]),
);

/**
 * The newest CIK of the chain that a CIK belongs to. It names the chain and never changes, because it does
 * not depend on which of the companies a ledger has.
 */
export function newestCikOf(cik: string): string {
  let newest = cik;
  for (let next = successorOf.get(newest); next !== undefined; next = successorOf.get(newest)) newest = next;
  return newest;
}

/** Whether a company has a predecessor or a successor. */
export const isInChain = (cik: string): boolean => successorOf.has(cik) || predecessorOf.has(cik);

/** Every CIK of the chain that a CIK belongs to, newest first. */
export function relatedCiks(cik: string): string[] {
  if (!isInChain(cik)) return [cik];
  const chain: string[] = [];
  for (let next: string | undefined = newestCikOf(cik); next !== undefined; next = predecessorOf.get(next))
    chain.push(next);
  return chain;
}

/**
 * The CIK under which the filings of a company are listed: the newest CIK of its chain that the ledger has,
 * so that every company with a list also has a profile. The CIK itself if the ledger has none of the chain.
 */
export function listCikOf(cik: string, isHeld: (cik: string) => boolean): string {
  if (!isInChain(cik)) return cik;
  return relatedCiks(cik).find(isHeld) ?? cik;
}
