import type * as z from 'zod';
import type {
  CompanyProfileResponse,
  FilingOwnershipResponse,
  FilingSummaryResponse,
} from '../contract/envelopes.ts';
import type { FilingSummary } from '../contract/records.ts';
import type { SubscriptionResponse } from '../contract/tools.ts';
import type { FormerNamePeriod } from '../domain/company-facts.ts';
import { ownershipSentence } from '../contract/ownership-sentence.ts';
import { filingLine, named, otherParties, ownRole } from './filing-line.ts';
import { plainText, quoted } from './filer-text.ts';
import { counted, firstWords, paragraphs } from './words.ts';

/** The most forms of a profile that a text names. */
const formsMaximum = 50;

/** How to subscribe, in words. */
export function subscriptionText({ data }: z.infer<typeof SubscriptionResponse>): string {
  return `Plans: ${data.pricingUrl}\n${data.checkoutUrl === data.pricingUrl ? '' : `Buy: ${data.checkoutUrl}\n`}Documentation: ${data.docsUrl}\nKey set-up: ${data.keySetupUrl}\n${data.keyHeaders.map(({ header, value, access }) => `${access}: ${header}: ${value}`).join('\n')}`;
}

/** The facts of a profile: "Industry 3571 Electronic Computers; on Nasdaq; …". */
function factsText({
  sic,
  sicDescription,
  exchange,
  stateOfIncorporation,
  category,
  fiscalYearEnd,
  businessCity,
  businessState,
}: z.infer<typeof CompanyProfileResponse>['data']): string {
  const said = (words: string, value: string | null) =>
    value === null ? [] : [`${words} ${plainText(value)}`];
  const industry = sic === null ? null : `${sic}${sicDescription === null ? '' : ` ${sicDescription}`}`;
  const facts = [
    ...said('industry (SIC)', industry),
    ...said('listed on', exchange),
    ...said('incorporated in', stateOfIncorporation),
    ...said(
      'offices in',
      [businessCity, businessState].filter((each) => each !== null && each !== undefined).join(', ') || null,
    ),
    ...said('kind of filer:', category),
    ...said('fiscal year ends (MMDD)', fiscalYearEnd),
  ].join('; ');
  return facts === '' ? '' : `${facts.slice(0, 1).toUpperCase()}${facts.slice(1)}.`;
}

/** When a company had a former name: " (2007-01-10 to 2019-08-05)"; empty if that is not known. */
function periodText(periods: readonly FormerNamePeriod[], name: string): string {
  const { since = null, until = null } = periods.find((each) => each.name === name) ?? {};
  return since === null || until === null ? '' : ` (${since} to ${until})`;
}

/** A profile in words. */
export function profileText({ data }: z.infer<typeof CompanyProfileResponse>): string {
  const {
    name,
    ticker,
    tickers,
    formerNames,
    formerNamePeriods = [],
    cik,
    filingCount,
    forms,
    latestFiling,
  } = data;
  const counts = forms.map(({ form, count }) => `${form}: ${count}`);
  const shown = firstWords(counts, formsMaximum, 'more forms').join(', ');
  return paragraphs(
    `${named(name, ticker)}, CIK ${cik}: ${counted(filingCount, 'filing', 'filings')} (${shown}).`,
    factsText(data),
    tickers.length > 1 && `Ticker symbols: ${tickers.join(', ')}.`,
    formerNames.length > 0 &&
      `Former names: ${formerNames.map((each) => `${quoted(each)}${periodText(formerNamePeriods, each)}`).join('; ')}.`,
    latestFiling !== null && `The newest:\n${filingLine(latestFiling)}`,
  );
}

/** What the document of a filing says about ownership, in words. */
export function ownershipText({ data, meta }: z.infer<typeof FilingOwnershipResponse>): string {
  const { ownership } = data;
  const { length } = data.kind === 'section_16' ? data.footnotes : [];
  return paragraphs(
    `Filing ${meta.accessionNo}: ${ownershipSentence(ownership, quoted)}.`,
    ownership.kind === 'section_16' &&
      `Holdings: ${ownership.holdingCount}. Footnotes: ${length}. The structured content has the whole document.`,
  );
}

/** A sentence about a filing with the name in quotes: a ticker symbol or CIK follows the name. */
function withQuotedName(sentence: string, name: string): string {
  // Sentences have single spaces.
  const written = name.trim().replace(/\s+/g, ' ');
  const at = sentence.indexOf(`${written} (`);
  return at === -1 ? sentence : sentence.slice(0, at) + quoted(name) + sentence.slice(at + written.length);
}

/** Exhibits that a text names at most. */
const exhibitsMaximum = 10;

/** The press release of a filing with its address, and the types of its exhibits; empty if none are known. */
function exhibitsText({ exhibits, links }: FilingSummary): string {
  const types = [...new Set((exhibits ?? []).map(({ type }) => quoted(type)))];
  const named = firstWords(types, exhibitsMaximum);
  return [
    links.pressRelease === null ? '' : ` With a press release: ${links.pressRelease}.`,
    named.length === 0 ? '' : ` Exhibits: ${named.join(', ')}.`,
  ].join('');
}

/** A summary in words. */
export function summaryText({ data }: z.infer<typeof FilingSummaryResponse>): string {
  const { companyName, ticker, detailUrl, ownership } = data;
  // Texts of the filer stand in quotes.
  const summary = ownership
    ? data.summary.replace(ownershipSentence(ownership), () => ownershipSentence(ownership, quoted))
    : data.summary;
  const role = ownRole(data);
  const roles = [...(role === '' ? [] : [`${named(companyName, ticker)}: ${role}`]), ...otherParties(data)];
  const said = roles.length === 0 ? '' : ` Parties: ${roles.join(', ')}.`;
  return `${withQuotedName(summary, companyName)}${said}${exhibitsText(data)} ${detailUrl ?? ''}`.trimEnd();
}
