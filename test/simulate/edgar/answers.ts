import { dayFrom, hourMs } from '../../../src/time/units.ts';
import { masterIndexText, type UpstreamIndexRow } from '../../support/master-index.ts';
import { columnsOf, extraPage, submissionsOf, type UpstreamRow } from '../../support/submissions.ts';
import { entryXml, feedPage } from '../../support/feed.ts';
import { zipOf, type Member } from '../../support/zip.ts';
import { fileAnswer, page, textAnswer, type NetworkAnswer, type NetworkRequest } from '../network.ts';
import { documentAt, listAt } from './documents.ts';
import {
  easternDay,
  easternInstant,
  easternIso,
  easternStamp,
  isOpen,
  nextOpenDay,
  openDayBefore,
} from './time.ts';
import {
  factsAt,
  holdersAt,
  nameAt,
  strangeAccession,
  strangeCik,
  type Entity,
  type Filing,
  type Role,
  type Truth,
} from './truth.ts';

/** The addresses of EDGAR. */
export const origins = { data: 'https://data.sec.gov', www: 'https://www.sec.gov' };

const entriesPerPage = 100;

const feedRoles: Readonly<Record<Role, string>> = {
  filer: 'Filer',
  issuer: 'Issuer',
  reporting_owner: 'Reporting',
  subject: 'Subject',
  filed_by: 'Filed by',
};
const headerSections: Readonly<Record<Role, string>> = {
  filer: 'FILER',
  issuer: 'ISSUER',
  reporting_owner: 'REPORTING-OWNER',
  subject: 'SUBJECT-COMPANY',
  filed_by: 'FILED-BY',
};

/** EDGAR as its clients see it: what it answers about the truth at an instant. */
export interface Edgar {
  answer(request: Pick<NetworkRequest, 'origin' | 'path' | 'headers'>, atMs: number): NetworkAnswer;
}

/** Makes the EDGAR of a truth. Its feed keeps so many entries. */
export function createEdgar(truth: Truth, feedEntries: number): Edgar {
  // A stranger who is followed is part of the truth.
  const strangeRows = (day: string) => (truth.entities.has(strangeCik) ? [] : [strangeRow(day)]);
  const byListing = truth.filings
    .filter(({ listedMs }) => listedMs < Infinity)
    .toSorted((a, b) => a.listedMs - b.listedMs);
  const byEntity = new Map<string, Filing[]>();
  const byAccession = new Map(truth.filings.map((filing) => [filing.accessionNo, filing]));
  for (const filing of truth.filings)
    for (const cik of new Set(
      [...filing.parties, ...(filing.corrected?.parties ?? [])].map((each) => each.cik),
    ))
      byEntity.set(cik, [...(byEntity.get(cik) ?? []), filing]);

  /** The archive that was made last. */
  let night: { readonly madeMs: number; readonly body: Buffer } = { madeMs: NaN, body: Buffer.alloc(0) };

  const name = (cik: string, atMs: number) => {
    const entity = truth.entities.get(cik);
    return entity ? nameAt(entity, atMs) : '';
  };

  /** Entries, newest first: how many of the feed to skip, and how many to give. */
  function entriesAt(atMs: number, from: number, count: number): string[] {
    const entries: string[] = [];
    let skipped = 0;
    let low = 0;
    for (let high = byListing.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((byListing[middle] as Filing).listedMs <= atMs) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= 0 && skipped < feedEntries; at--) {
      const filing = byListing[at] as Filing;
      if (filing.withdrawnMs <= atMs) continue;
      // A correction does not change what the feed lists.
      for (const { cik, role } of filing.parties) {
        if (skipped++ < from) continue;
        if (skipped > feedEntries || entries.length === count) return entries;
        entries.push(
          entryXml({
            accessionNo: filing.accessionNo,
            form: filing.form,
            name: name(cik, filing.acceptedMs),
            cik,
            role: feedRoles[role],
            filedAt: filing.filedAt,
            updated: easternIso(filing.acceptedMs),
            items: filing.items.map((code) => [code, `Item ${code}`]),
          }),
        );
      }
    }
    return entries;
  }

  function feed(path: string, atMs: number): NetworkAnswer {
    const from = Number(/start=(\d+)/.exec(path)?.[1] ?? 0);
    const entries = entriesAt(atMs, from, entriesPerPage);
    if (entries.length === 0 && from > 0) return page(503, 'This page is temporarily unavailable.');
    return { status: 200, headers: {}, body: feedPage(entries, easternIso(atMs)) };
  }

  function header(path: string, atMs: number): NetworkAnswer {
    const accessionNo = /\/(\d{10}-\d{2}-\d{6})\.hdr\.sgml$/.exec(path)?.[1] ?? '';
    const filing = byAccession.get(accessionNo);
    const facts = filing && factsAt(filing, atMs);
    const isNamed = facts?.parties.some(({ cik }) => path.includes(`/data/${Number(cik)}/`)) === true;
    if (!filing || !facts || !isNamed || filing.acceptedMs > atMs || filing.withdrawnMs <= atMs)
      return orNotFound(null);
    const sections = facts.parties.map(
      ({ cik, role }) =>
        `<${headerSections[role]}>\n<COMPANY-DATA>\n<CONFORMED-NAME>${name(cik, filing.acceptedMs)}\n<CIK>${cik}\n</COMPANY-DATA>\n</${headerSections[role]}>\n`,
    );
    return textAnswer(
      [
        `<SEC-HEADER>${accessionNo}.hdr.sgml : ${facts.filedAt.replaceAll('-', '')}`,
        `<ACCEPTANCE-DATETIME>${easternStamp(filing.acceptedMs)}`,
        `<ACCESSION-NUMBER>${accessionNo}`,
        `<TYPE>${facts.form}`,
        ...(filing.reportDate === null ? [] : [`<PERIOD>${filing.reportDate.replaceAll('-', '')}`]),
        ...filing.items.map((code) => `<ITEMS>${code}`),
        `<FILING-DATE>${facts.filedAt.replaceAll('-', '')}`,
        `${sections.join('')}</SEC-HEADER>`,
        '',
      ].join('\n'),
    );
  }

  /** The document of a filing about ownership, in the folder of any party that the filing names. */
  function ownership(cik: string, accessionNo: string, isSubmission: boolean, atMs: number): NetworkAnswer {
    const filing = byAccession.get(accessionNo);
    const isNamed = filing?.parties.some((party) => Number(party.cik) === Number(cik)) === true;
    return orNotFound(filing && isNamed ? documentAt(truth, filing, isSubmission, atMs) : null);
  }

  /** The page that lists the documents of a filing, in the folder of any entity. */
  function list(cik: string, accessionNo: string, atMs: number): NetworkAnswer {
    const filing = byAccession.get(accessionNo);
    return orNotFound(filing ? listAt(filing, cik, atMs) : null);
  }

  /** The rows of an entity, those with the newest date first: of the main file, and of its older pages. */
  function rowsOfFiles(entity: Entity, atMs: number): readonly (readonly UpstreamRow[])[] {
    const { cik, recentRows } = entity;
    const rows = (byEntity.get(cik) ?? [])
      .filter(
        (filing) =>
          filing.inFilesMs <= atMs &&
          filing.withdrawnMs > atMs &&
          factsAt(filing, atMs).parties.some((party) => party.cik === cik),
      )
      .map((filing) => rowOf(filing, cik, atMs, entity.writesEastern))
      .toSorted((a, b) => (a.filingDate < b.filingDate ? 1 : -1));
    const recentFrom = dayFrom(easternDay(atMs), -recentDays);
    const main = Math.max(recentRows, rows.filter(({ filingDate }) => filingDate >= recentFrom).length);
    const older = [rows.slice(main, main + rowsOfOlderPage), rows.slice(main + rowsOfOlderPage)];
    return [rows.slice(0, main), ...older.filter(({ length }) => length > 0)];
  }

  function olderPage(
    cik: string,
    number: number,
    atMs: number,
    known: Readonly<Record<string, string>>,
  ): NetworkAnswer {
    const entity = truth.entities.get(cik);
    const rows = entity && number > 0 ? rowsOfFiles(entity, atMs)[number] : undefined;
    return rows ? fileAnswer(Buffer.from(JSON.stringify(columnsOf(rows))), known) : page(404, 'NoSuchKey');
  }

  function submissions(cik: string, atMs: number, known: Readonly<Record<string, string>>): NetworkAnswer {
    const entity = truth.entities.get(cik);
    if (!entity) return page(404, 'NoSuchKey');
    return fileAnswer(mainFile(entity, rowsOfFiles(entity, atMs), atMs), known);
  }

  function mainFile(
    entity: Entity,
    [rows = [], ...older]: readonly (readonly UpstreamRow[])[],
    atMs: number,
  ): Buffer {
    const { cik } = entity;
    const pages = older.map((each, at) => extraPage(cik, at + 1, each));
    const tickers = [...holdersAt(truth, atMs - symbolLagMs)]
      .filter(([, holder]) => holder === cik)
      .map(([ticker]) => ticker);
    const members = {
      name: nameAt(entity, atMs),
      tickers,
      exchanges: tickers.map(() => 'NYSE'),
      entityType: entity.isPerson ? 'other' : 'operating',
      insiderTransactionForOwnerExists: entity.isPerson ? 1 : 0,
      insiderTransactionForIssuerExists: entity.isPerson ? 0 : 1,
      formerNames: entity.names
        .filter((_, at) => (entity.names[at + 1]?.fromMs ?? Infinity) <= atMs)
        .map(({ name: former }) => ({ name: former })),
    };
    return Buffer.from(JSON.stringify(submissionsOf(cik, rows, members, pages)));
  }

  /** The archive of all submissions files as they were in the night, with the pages of an entity before its main file. */
  function archive(atMs: number, headers: NetworkRequest['headers']): NetworkAnswer {
    const madeMs = archiveMs(atMs);
    if (night.madeMs !== madeMs) {
      const members = [...truth.entities.values()].flatMap((entity): Member[] => {
        const files = rowsOfFiles(entity, madeMs);
        const pages = files.slice(1).map((rows, at) => ({
          name: extraPage(entity.cik, at + 1, rows).name,
          body: Buffer.from(JSON.stringify(columnsOf(rows))),
        }));
        return [...pages, { name: `CIK${entity.cik}.json`, body: mainFile(entity, files, madeMs) }];
      });
      // How they would be compressed depends on the version of Node.
      night = { madeMs, body: zipOf(members.map((each) => ({ ...each, compress: false }))) };
    }
    return fileAnswer(night.body, headers, { 'last-modified': new Date(madeMs).toUTCString() });
  }

  function dailyIndex(day: string, atMs: number): NetworkAnswer {
    if (!isOpen(day) || easternInstant(day, 22.1) > atMs) return page(403, 'AccessDenied');
    const publishedMs = easternInstant(day, 22.1);
    const rows = truth.filings
      .filter((filing) => filing.indexDay === day && filing.withdrawnMs > publishedMs)
      .flatMap((filing) => rowsOf(filing, publishedMs));
    return textAnswer(masterIndexText(day, [...rows, ...strangeRows(day)]));
  }

  /** The index of a quarter is made again on Saturdays; until then it has what daily indexes had. */
  function quarterlyIndex(quarter: string, atMs: number): NetworkAnswer {
    const [year, number] = quarter.split('/QTR') as [string, string];
    const firstDay = firstDayOf(Number(year), Number(number));
    let saturday = easternDay(atMs - 5 * hourMs);
    while (new Date(saturday).getUTCDay() !== 6) saturday = dayFrom(saturday, -1);
    const rebuiltMs = easternInstant(saturday, 5);
    const today = easternDay(atMs);
    const last = openDayBefore(firstDayOf(Number(year), Number(number) + 1));
    const through = [openDayBefore(saturday < firstDay ? today : saturday), last].sort()[0] as string;
    const rows = truth.filings
      .filter(
        ({ filedAt, acceptedMs, withdrawnMs }) =>
          quarterOf(filedAt) === quarter &&
          acceptedMs < rebuiltMs &&
          withdrawnMs > rebuiltMs &&
          filedAt <= through,
      )
      .flatMap((filing) => rowsOf(filing, rebuiltMs));
    if (through < firstDay) return page(403, 'AccessDenied');
    for (let day = firstDay; day <= through; day = nextOpenDay(day))
      if (isOpen(day)) rows.push(...strangeRows(day));
    return textAnswer(masterIndexText(through, rows, true));
  }

  function rowsOf(filing: Filing, atMs: number): UpstreamIndexRow[] {
    const { form, filedAt, parties } = factsAt(filing, atMs);
    return parties.map(({ cik }) => ({
      cik,
      name: name(cik, atMs),
      form,
      filedAt,
      accessionNo: filing.accessionNo,
    }));
  }

  function tickers(path: string, atMs: number, known: Readonly<Record<string, string>>): NetworkAnswer {
    const rows = [...holdersAt(truth, atMs)].map(([ticker, cik]) => [
      Number(cik),
      name(cik, atMs),
      ticker,
      'NYSE',
    ]);
    const all = [...rows, ...strangers];
    const value = path.includes('exchange')
      ? { fields: ['cik', 'name', 'ticker', 'exchange'], data: all }
      : Object.fromEntries(all.map(([cik, title, ticker], at) => [at, { cik_str: cik, ticker, title }]));
    return fileAnswer(Buffer.from(JSON.stringify(value)), known);
  }

  return {
    answer({ origin, path, headers }, atMs) {
      if (!/\S+@\S+/.test(headers['user-agent'] ?? ''))
        return page(403, 'Your Request Originates from an Undeclared Automated Tool');
      const [, cik, older] = /^\/submissions\/CIK(\d{10})(?:-submissions-(\d{3}))?\.json$/.exec(path) ?? [];
      if (origin === origins.data && cik !== undefined)
        return older === undefined
          ? submissions(cik, atMs, headers)
          : olderPage(cik, Number(older), atMs, headers);
      if (path.endsWith('/bulkdata/submissions.zip')) return archive(atMs, headers);
      if (path.startsWith('/cgi-bin/browse-edgar')) return feed(path, atMs);
      if (path.endsWith('.hdr.sgml')) return header(path, atMs);
      const document = /\/data\/(\d+)\/(\d{10})(\d\d)(\d{6})\/primary_doc\.xml$/.exec(path);
      if (document) return ownership(document[1] ?? '', document.slice(2).join('-'), false, atMs);
      const submission = /\/data\/(\d+)\/(\d{10}-\d\d-\d{6})\.txt$/.exec(path);
      if (submission) return ownership(submission[1] ?? '', submission[2] ?? '', true, atMs);
      const listing = /\/data\/(\d+)\/\d{18}\/(\d{10}-\d\d-\d{6})-index\.htm$/.exec(path);
      if (listing) return list(listing[1] ?? '', listing[2] ?? '', atMs);
      if (path.startsWith('/files/')) return tickers(path, atMs, headers);
      const day = /daily-index\/.*\/master\.(\d{4})(\d\d)(\d\d)\.idx$/.exec(path);
      if (day) return dailyIndex(`${day[1]}-${day[2]}-${day[3]}`, atMs);
      const quarter = /full-index\/(\d{4}\/QTR\d)\/master\.idx$/.exec(path)?.[1];
      if (quarter !== undefined) return quarterlyIndex(quarter, atMs);
      return orNotFound(null);
    },
  };
}

/** How many rows the first older page has, which is the newer one; the second one has all others. */
const rowsOfOlderPage = 10;
/** Rows of so many days are in the main file, whatever their number: in earnest those of a year. */
const recentDays = 7;

/** A text of EDGAR; null where it has none. */
const orNotFound = (text: string | null) =>
  text === null ? page(404, 'File Not Found Error Alert (404)') : textAnswer(text);

/** When EDGAR made the archive of all submissions files that it has at an instant: at 3:00 Eastern. */
export function archiveMs(atMs: number): number {
  const today = easternInstant(easternDay(atMs), 3);
  return today <= atMs ? today : easternInstant(dayFrom(easternDay(atMs), -1), 3);
}

/** The first day of a quarter; of quarter 5, that of the next year. */
const firstDayOf = (year: number, quarter: number) =>
  new Date(Date.UTC(year, quarter * 3 - 3, 1)).toISOString().slice(0, 10);

const quarterOf = (day: string) => `${day.slice(0, 4)}/QTR${Math.ceil(Number(day.slice(5, 7)) / 3)}`;

/** Submissions files name a symbol so much later than the ticker files. */
const symbolLagMs = 60 * hourMs;

/** Companies that nobody follows and that file nothing: a complete ticker file has a thousand. */
const strangers = Array.from(
  { length: 1000 },
  (_, at) => [5_000_000 + at, `Stranger ${at}`, `X${at}`, 'OTC'] as const,
);

/** Of issuers and of those who file about another company the row has no file number. */
const numberless: ReadonlySet<Role> = new Set(['issuer', 'filed_by']);

/** Somebody files on every day on which EDGAR takes filings. */
const strangeRow = (day: string): UpstreamIndexRow => ({
  cik: strangeCik,
  name: 'Stranger 0',
  form: '8-K',
  filedAt: day,
  accessionNo: strangeAccession(day),
});

function rowOf(filing: Filing, cik: string, atMs: number, writesEastern: boolean): UpstreamRow {
  const { form, filedAt, parties } = factsAt(filing, atMs);
  const role = parties.find((party) => party.cik === cik)?.role ?? 'filer';
  const hasNumber = !numberless.has(role) && !(form.startsWith('144') && role === 'reporting_owner');
  const stamp = easternStamp(filing.acceptedMs);
  const eastern = stamp.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6.000Z');
  return {
    accessionNumber: filing.accessionNo,
    filingDate: filedAt,
    reportDate: filing.reportDate ?? '',
    acceptanceDateTime: writesEastern ? eastern : new Date(filing.acceptedMs).toISOString(),
    act: hasNumber ? '34' : '',
    form,
    fileNumber: hasNumber ? '001-00001' : '',
    filmNumber: '26000001',
    items: filing.items.join(','),
    core_type: form,
    size: filing.size,
    isXBRL: 0,
    isInlineXBRL: 0,
    primaryDocument: filing.primaryDocument,
    primaryDocDescription: form,
  };
}
