import { politeWords, skills, type Skill } from '../contract/agent.ts';
import { eventTypeOfForm } from '../domain/event-types.ts';
import { spelledForm } from '../domain/nearest.ts';
import { accessionNoText, type Query } from '../contract/parameters.ts';

/** The request in a message: a skill, and its arguments as they came. */
export interface SkillRequest {
  readonly skill: Skill;
  readonly arguments: unknown;
}

/** Longer than any sentence that fits a form: 50 accession numbers and the words between, in characters. */
const sentenceMaximum = 1500;

const symbol = '[A-Z0-9][A-Z0-9./-]*';
const listDivider = ' ?, ?(?:and )?| and ';

/**
 * Patterns for the arguments in a sentence. Whether a value is allowed is checked later, as for the REST
 * operation.
 */
const placeholders: { readonly [Name in keyof Query]?: string } = {
  limit: '\\d+',
  since: '\\S+',
  form: '[A-Z0-9][A-Z0-9./& -]*',
  ticker: symbol,
  tickers: `${symbol}(?:(?:${listDivider})${symbol})*`,
  q: '.+',
  sic: '\\d{4}',
  state: '[A-Z0-9]{2}',
  exchange: '[A-Z]+',
  accessionNo: accessionNoText,
  accessionNos: `(?:${accessionNoText})(?:(?:${listDivider})(?:${accessionNoText}))*`,
};

const forms = skills.flatMap((skill) =>
  skill.forms.map((form) => ({ skill, pattern: patternOf(`${politeWords} ${form}`) })),
);

/**
 * Makes the regular expression of a form. Each word includes the space before it, so that an optional word
 * that is missing leaves no double space.
 */
function patternOf(form: string): RegExp {
  const marks: Readonly<Record<string, string>> = { '[': '(?:', ']': ')?', '(': '(?:', ')': ')', '|': '|' };
  const source = (form.match(/[[\]()|]|\{\w+\}|[^\s[\]()|{}]+/g) ?? []).map((token) => {
    const name = /^\{(\w+)\}$/.exec(token)?.[1];
    if (name !== undefined) return ` (?<${name}>${placeholders[name as keyof Query]})`;
    return marks[token] ?? ` ${token.replaceAll(/[.*+?^$\\]/g, '\\$&')}`;
  });
  return new RegExp(`^${source.join('')}$`, 'i');
}

/** Finds the skill and the arguments of a sentence. Null if the sentence fits no form: nothing is guessed. */
export function readSentence(text: string): SkillRequest | null {
  if (text.length > sentenceMaximum) return null;
  const sentence = ` ${text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/[ .?!]+$/, '')}`;
  for (const { skill, pattern } of forms) {
    const found = pattern.exec(sentence);
    const values = found && readValues(found.groups ?? {});
    if (values) return { skill, arguments: values };
  }
  return null;
}

/** The arguments of a sentence; null if a symbol is not in capitals, or if a form is unknown. */
function readValues(groups: Readonly<Record<string, string | undefined>>): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const [name, text] of Object.entries(groups)) {
    if (text === undefined) continue;
    const isSeries = name === 'tickers' || name === 'accessionNos';
    const value = isSeries ? text.split(new RegExp(listDivider, 'i')).join(',') : text;
    // Only capitals are taken for a symbol: "Ford" is a name, and FORD is the symbol of another company.
    if ((name === 'ticker' || name === 'tickers') && value !== value.toUpperCase()) return null;
    // A form in another spelling is accepted: the answer says how it is spelled. Other words are not forms.
    if (name === 'form' && eventTypeOfForm(spelledForm(value) ?? value) === 'other_filing') return null;
    values[name] = value;
  }
  return values;
}
