import { politeWords, skills, type Skill } from '../contract/agent.ts';
import { eventTypeOfForm } from '../contract/event-types.ts';
import { spelledForm } from '../contract/nearest.ts';
import { accessionNoText, type Query } from '../contract/parameters.ts';

/** What a message asks for: a skill, and its arguments as they came. */
export interface Asked {
  readonly skill: Skill;
  readonly arguments: unknown;
}

/** Longer than any sentence of a form: 25 companies, a date, and the words between. */
const sentenceMaximum = 1200;

const symbol = '[A-Z0-9][A-Z0-9./-]*';
const listDivider = ' ?, ?(?:and )?| and ';

/**
 * What may stand for an argument in a sentence. The contract says whether the value is allowed, as for the
 * REST operation.
 */
const placeholders: { readonly [Name in keyof Query]?: string } = {
  limit: '\\d+',
  since: '\\S+',
  form: '[A-Z0-9][A-Z0-9./& -]*',
  ticker: symbol,
  tickers: `${symbol}(?:(?:${listDivider})${symbol})*`,
  q: '.+',
  accessionNo: accessionNoText,
};

const forms = skills.flatMap((skill) =>
  skill.forms.map((form) => ({ skill, pattern: patternOf(`${politeWords} ${form}`) })),
);

/**
 * The regular expression of a form. Each word brings the space before it, so that a word that is left out
 * leaves none.
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

/** What a sentence asks for; null if it is of no form, because nothing is guessed. */
export function readSentence(text: string): Asked | null {
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

/** The values of a sentence's arguments; null if one cannot be meant so. */
function readValues(groups: Readonly<Record<string, string | undefined>>): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const [name, text] of Object.entries(groups)) {
    if (text === undefined) continue;
    const value = name === 'tickers' ? text.split(new RegExp(listDivider, 'i')).join(',') : text;
    // A symbol is one in capitals alone: "Ford" is a name, and FORD the symbol of another company.
    if ((name === 'ticker' || name === 'tickers') && value !== value.toUpperCase()) return null;
    // A form in another spelling is one, too: the answer says how it is written. Other words are none.
    if (name === 'form' && eventTypeOfForm(spelledForm(value) ?? value) === 'other_filing') return null;
    values[name] = value;
  }
  return values;
}
