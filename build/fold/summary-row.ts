import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import { itemTitle } from '../../src/domain/items.ts';
import { remembered } from '../../src/domain/remembered.ts';
import { isRendered } from '../../src/domain/rendered-documents.ts';
import type { Filing, FilingLinks } from '../../src/contract/records.ts';
import { placeholder, withoutPlaceholders } from '../../src/rows/placeholders.ts';
import { hasHeaderFile, isFileName, linksOf } from '../ledger/document-addresses.ts';
import { sequenceIn, valueOf } from './compact-observation.ts';
import { jsonOf, none, textOf } from './json-texts.ts';
import { sentencesOf, summarize } from './summary.ts';

/**
 * The JSON of the row of a summary, of the values in a compact observation. Its texts have placeholders for the
 * members of the filing, so most filings share what is behind the sequence with all of their kind.
 */
export function summaryRowOf(values: readonly string[]): string {
  const kind = kindOf(values);
  return `{"sequence":${sequenceIn(values)}${kind === null ? writtenOut(values) : addedTo(kind)}`;
}

/**
 * What all filings of a kind have in common: the JSON of form and items, and a digit for each fact on which the
 * texts depend, apart from the values that they repeat. Null if texts cannot repeat the values as they are.
 */
function kindOf(values: readonly string[]): string | null {
  const [form, items] = [valueOf(values, 'form'), valueOf(values, 'items')];
  const isByRule = followingNames.every((name) => valueOf(values, name) === '');
  if (
    !isByRule ||
    !plainName.test(valueOf(values, 'companyName')) ||
    form.includes('{') ||
    items.includes('{')
  )
    return null;
  const [ticker, filedAt] = [valueOf(values, 'ticker'), valueOf(values, 'filedAt')];
  const reportDate = valueOf(values, 'reportDate');
  const accessionNo = textOf(valueOf(values, 'accessionNo')) ?? '';
  const document = textOf(valueOf(values, 'primaryDocument'));
  const hasDocument = isFileName(document);
  const isFiled = filedAt !== 'null';
  const isReported = reportDate !== 'null';
  // In the order in which `addedTo` takes them.
  const digits = [
    ticker !== 'null' && ticker !== '""',
    isFiled,
    isReported,
    isFiled && isReported && reportDate > filedAt,
    hasDocument,
    hasHeaderFile({ accessionNo, filedAt: textOf(filedAt) }),
    hasDocument && isRendered(eventTypeOfForm(textOf(form) ?? ''), document),
  ].reduce((text, fact) => text + (fact ? '1' : '0'), '');
  return `${form}\t${items}\t${digits}`;
}

/** Members that follow from others, and are only kept if older rules gave another value. */
const followingNames = ['eventType', 'detailUrl', 'documentUrl'] as const satisfies (keyof Filing)[];

/** Names that sentences repeat as they are: not empty, and with no other white space than single spaces between words. */
const plainName = /^"[^\s\\]+(?: [^\s\\]+)*"$/;

/** What a summary adds to each filing of a kind. */
const addedTo = remembered(10_000, (kind: string): string => {
  const [formJson = '', items = '', digits = ''] = kind.split('\t');
  const form = textOf(formJson) ?? '';
  const [hasTicker, isFiled, isReported, isAhead, hasDocument, hasHeader, hasXml] = [...digits].map(
    (digit) => digit === '1',
  );
  const codes = JSON.parse(items) as string[];
  const filing = {
    accessionNo: placeholder('accessionNo'),
    cik: placeholder('cik'),
    ticker: hasTicker ? placeholder('ticker') : null,
    companyName: placeholder('companyName'),
    form,
    eventType: eventTypeOfForm(form),
    items: codes,
    filedAt: isFiled ? placeholder('filedAt') : null,
    reportDate: isReported ? placeholder('reportDate') : null,
  };
  return added(sentencesOf(filing, isAhead === true), codes, {
    index: placeholder('detailUrl'),
    document: hasDocument ? placeholder('documentUrl') : null,
    text: `${placeholder('companyFolder')}/${filing.accessionNo}.txt`,
    header: hasHeader ? `${placeholder('folder')}/${filing.accessionNo}.hdr.sgml` : null,
    xml: hasXml ? `${placeholder('folder')}/${placeholder('documentFile')}` : null,
  });
});

/** The same for one filing, without placeholders. */
function writtenOut(values: readonly string[]): string {
  const text = (name: keyof Filing) => textOf(valueOf(values, name));
  const form = text('form') ?? '';
  const codes = JSON.parse(valueOf(values, 'items')) as string[];
  const filing = {
    accessionNo: text('accessionNo') ?? '',
    cik: text('cik') ?? '',
    ticker: text('ticker'),
    companyName: text('companyName') ?? '',
    form,
    eventType: text('eventType') ?? eventTypeOfForm(form),
    items: codes,
    filedAt: text('filedAt'),
    reportDate: text('reportDate'),
    primaryDocument: text('primaryDocument'),
  };
  const links = Object.entries(linksOf(filing)).map(
    ([name, address]) => [name, address === null ? null : withoutPlaceholders(address)] as const,
  );
  return added(withoutPlaceholders(summarize(filing)), codes, Object.fromEntries(links) as FilingLinks);
}

function added(sentences: string, codes: readonly string[], links: FilingLinks): string {
  const titles = codes.length === 0 ? none : JSON.stringify(codes.map((code) => itemTitle(code) ?? null));
  return `,"summary":${jsonOf(sentences)},"itemTitles":${titles},"links":${JSON.stringify(links)},"notInvestmentAdvice":true}`;
}
