import { eventTypeOfForm } from '../../src/domain/event-types.ts';
import { itemTitle } from '../../src/domain/items.ts';
import { remembered } from '../../src/domain/remembered.ts';
import { xmlAddressOf } from '../../src/domain/rendered-documents.ts';
import { pressReleaseName } from '../../src/domain/exhibits.ts';
import type { Filing, FilingLinks } from '../../src/contract/records.ts';
import { filingPartition } from '../../src/format/filing-partition.ts';
import { placeholder, withoutPlaceholders } from '../../src/rows/placeholders.ts';
import { addressesOf, hasHeaderFile, linksOf } from '../ledger/document-addresses.ts';
import type { Observation } from '../ledger/observation.ts';
import { jsonOf, none } from './json-texts.ts';
import { isReportedAhead, sentencesOf, summarize } from './summary.ts';

// In runs a summary is the partition key, the sequence and the kind of its filing, with tabs between them.
// All filings of a kind have the same texts, with placeholders for their values. If texts cannot repeat the
// values of a filing as they are, the rest of the row stands in place of the kind; it begins with a comma.

const separator = '\t';

/** The summary of an observation, as runs hold it. `isByRule` says that the present rules gave all values. */
export function heldSummary(
  { filing, sequence }: Pick<Observation, 'filing' | 'sequence'>,
  isByRule: boolean,
): string {
  const formAndItems = JSON.stringify([filing.form, filing.items]);
  const isOfKind =
    plainName.test(filing.companyName) &&
    !formAndItems.includes('{') &&
    (isByRule || hasValuesByRule(filing));
  const rest = isOfKind ? formAndItems + separator + factsOf(filing) : writtenOut(filing);
  return filingPartition(filing.accessionNo) + separator + String(sequence) + separator + rest;
}

/** The partition key in a summary or in contents of a run. */
export const partitionOfHeld = (held: string): string => held.slice(0, held.indexOf(separator));

/** The sequence in a summary of a run. */
export const sequenceOf = (held: string): number => Number(fieldsOf(held).sequence);

/** What stands behind the partition key. */
function fieldsOf(held: string): { readonly sequence: string; readonly rest: string } {
  const from = held.indexOf(separator) + 1;
  const to = held.indexOf(separator, from);
  return { sequence: held.slice(from, to), rest: held.slice(to + 1) };
}

/** The JSON of the row of a summary, of what runs hold for it. */
export function summaryRowOf(held: string): string {
  const { sequence, rest } = fieldsOf(held);
  return `{"sequence":${sequence}${rest.startsWith(',') ? rest : addedTo(rest)}`;
}

/** Names that sentences repeat as they are: not empty, and with no other white space than single spaces between words. */
const plainName = /^[^\s]+(?: [^\s]+)*$/;

/** Whether a filing has what the present rules give it, as far as summaries depend on it. */
export function hasValuesByRule(filing: Filing): boolean {
  const { detailUrl, documentUrl } = addressesOf(filing);
  return (
    filing.eventType === eventTypeOfForm(filing.form) &&
    filing.detailUrl === detailUrl &&
    filing.documentUrl === documentUrl
  );
}

/** A digit for each fact on which the texts depend beside form and items, in the order in which `addedTo` takes them. */
function factsOf(filing: Filing): string {
  const { ticker, filedAt, reportDate, documentUrl, eventType, ownership } = filing;
  return (
    digit(ticker !== null && ticker !== '') +
    digit(filedAt !== null) +
    digit(reportDate !== null) +
    digit(isReportedAhead(filing)) +
    digit(documentUrl !== null) +
    digit(hasHeaderFile(filing)) +
    digit(xmlAddressOf(eventType, documentUrl) !== null) +
    digit(ownership !== null) +
    digit(pressReleaseName(filing) !== null)
  );
}

const digit = (fact: boolean) => (fact ? '1' : '0');

/** What a summary adds to each filing of a kind, behind its sequence. */
const addedTo = remembered(10_000, (kind: string): string => {
  const [formAndItems = '', digits = ''] = kind.split(separator);
  const [form, items] = JSON.parse(formAndItems) as [form: string, items: string[]];
  const [hasTicker, isFiled, isReported, isAhead, hasDocument, hasHeader, hasXml, isRead, hasRelease] = [
    ...digits,
  ].map((each) => each === '1');
  const filing = {
    accessionNo: placeholder('accessionNo'),
    cik: placeholder('cik'),
    ticker: hasTicker ? placeholder('ticker') : null,
    companyName: placeholder('companyName'),
    form,
    eventType: eventTypeOfForm(form),
    items,
    filedAt: isFiled ? placeholder('filedAt') : null,
    reportDate: isReported ? placeholder('reportDate') : null,
  };
  const said = isRead ? placeholder('ownershipSentence') : null;
  return added(sentencesOf(filing, isAhead === true, said), items, {
    index: placeholder('detailUrl'),
    document: hasDocument ? placeholder('documentUrl') : null,
    text: `${placeholder('companyFolder')}/${filing.accessionNo}.txt`,
    header: hasHeader ? `${placeholder('folder')}/${filing.accessionNo}.hdr.sgml` : null,
    xml: hasXml ? `${placeholder('folder')}/${placeholder('documentFile')}` : null,
    pressRelease: hasRelease ? `${placeholder('folder')}/${placeholder('pressRelease')}` : null,
  });
});

/** The same for one filing, without placeholders. */
function writtenOut(filing: Filing): string {
  const links = Object.entries(linksOf(filing)).map(
    ([name, address]) => [name, address === null ? null : withoutPlaceholders(address)] as const,
  );
  return added(
    withoutPlaceholders(summarize(filing)),
    filing.items,
    Object.fromEntries(links) as FilingLinks,
  );
}

function added(sentences: string, items: readonly string[], links: FilingLinks): string {
  const titles = items.length === 0 ? none : JSON.stringify(items.map((code) => itemTitle(code) ?? null));
  return `,"summary":${jsonOf(sentences)},"itemTitles":${titles},"links":${JSON.stringify(links)},"notInvestmentAdvice":true}`;
}
