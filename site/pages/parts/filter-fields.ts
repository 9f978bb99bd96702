import { html, type Html, type Part } from './html.ts';
import { familyLabel, itemLabel } from './family-words.ts';

/** A choice of a filter: its value, and its words. */
export type Choice = readonly [value: string, words: Part];

/** What the field of a filter is, beside its name. */
interface Field {
  readonly label: string;
  /** An example, shown in an empty field. */
  readonly example?: string;
  readonly choices?: readonly Choice[];
  /** The id of the list of what is offered while somebody types. */
  readonly offered?: string;
}

/** The fields that are no plain texts, or whose names are no words. Choices of forms and families depend on the page. */
const fields: Readonly<Record<string, Field>> = {
  ticker: { label: 'Company', example: 'Name, ticker or CIK', offered: 'companies' },
  form: { label: 'Form', example: '8-K,10-Q' },
  eventType: { label: 'Event family' },
  items: { label: 'Item', example: '2.02' },
  transactionCode: { label: 'Transaction code', example: 'P' },
  minValue: { label: 'Value from, dollars', example: '100000' },
  sic: { label: 'Industry (SIC)', example: '3571' },
  listed: {
    label: 'Listed',
    choices: [
      ['true', 'yes'],
      ['false', 'no'],
    ],
  },
  acceptedSince: { label: 'Accepted from, your time' },
  acceptedUntil: { label: 'Accepted to, your time' },
  exhibit: { label: 'Exhibit', example: 'EX-99.1' },
  since: { label: 'Filed from' },
  until: { label: 'Filed to' },
};

/** Before this day EDGAR has no filings. */
const oldestDay = '1993-01-01';

/** The words of a name in camel case: `exhibitType` is "Exhibit type". */
export const wordsOf = (name: string) =>
  name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^./, (letter) => letter.toUpperCase());

/** What the field of a filter is called. */
export const labelOf = (name: string): string => fields[name]?.label ?? wordsOf(name);

/** What a script shows while somebody asks for what documents say. */
export const unreadNote: Html = html`<p class="note small" id="unread" hidden>Codes, values and exhibits are known only of filings whose documents this service has read. Others cannot match here, whatever they say.</p>`;

/** The field of a filter with its label. Given `choices`, it is a list of them. */
export function filterField(
  name: string,
  choices: readonly Choice[] | undefined = fields[name]?.choices,
): Html {
  const { example, offered } = fields[name] ?? {};
  const label = labelOf(name);
  if (name === 'since' || name === 'until')
    return html`<label>${label} <input type="date" name="${name}" min="${oldestDay}"></label>`;
  if (name === 'acceptedSince' || name === 'acceptedUntil')
    return html`<label>${label} <input type="datetime-local" name="${name}"></label>`;
  return choices
    ? html`<label>${label} <select name="${name}"><option value="">any</option>${choices.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select></label>`
    : html`<label>${label} <input name="${name}" autocomplete="off" spellcheck="false"${example !== undefined && html` placeholder="${example}"`}${offered !== undefined && html` list="${offered}"`}></label>${offered !== undefined && html`<datalist id="${offered}"></datalist>`}`;
}

/** Event families as choices. */
export const familyChoices = (families: readonly string[]): readonly Choice[] =>
  families.map((family) => [family, familyLabel(family)] as const);

/** Items of Form 8-K as choices, each with its words. */
export const itemChoices = (codes: readonly string[]): readonly Choice[] =>
  codes.map((item) => [item, `${item} ${itemLabel(item)}`] as const);
