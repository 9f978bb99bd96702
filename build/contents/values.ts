import { isDay } from '../sources/source-rows.ts';
import { clean } from '../sources/source-text.ts';
import { decimalOf, valueInCents } from '../../src/domain/decimals.ts';

/** A value as a source writes it; null and undefined where it has none, which is the same as an empty one. */
export type Raw = string | null | undefined;

/**
 * Reads values of one document. A value that is left out or empty is null. One that cannot be read is null, too, and
 * named in `refused`, with the row that `at` told last.
 */
export interface Values {
  /** A text in one line, with one space where there was white space. */
  text(raw: Raw): string | null;
  day(raw: Raw, name: string): string | null;
  number(raw: Raw, name: string): number | null;
  /** A whole number from 0. */
  count(raw: Raw, name: string): number | null;
  /** `1`, `0`, `true`, `false`, `Y` or `N`. */
  flag(raw: Raw, name: string): boolean | null;
  /** One of the words that a form has for a value. */
  choice<Value>(raw: Raw, name: string, choices: Readonly<Record<string, Value>>): Value | null;
  /** A CIK with ten digits; null if it has none. */
  cik(raw: Raw, name: string): string | null;
  /** `shares` times `price` in cents. */
  value(shares: number | null, price: number | null): number | null;
  at(row: string): void;
  /** The values that could not be read, each in words. */
  readonly refused: readonly string[];
}

/** How a source writes its values. */
export interface Spelling {
  /** Returns a day as `YYYY-MM-DD`; null if the text, which is not empty, is written otherwise. */
  dayOf(text: string): string | null;
  /** Whether numbers may have an exponent. */
  readonly hasExponent?: boolean;
}

/** Days of Forms 3, 4 and 5: `2023-06-29`, with a zone behind it in a few (`2023-06-29-05:00`). */
export const isoDays: Spelling = {
  dayOf: (text) => /^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?$/.exec(text)?.[1] ?? null,
};

/** Days of Form 144 and Schedules 13D and 13G: `06/29/2023`. */
export const americanDays: Spelling = {
  dayOf: (text) => {
    const [, month, date, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? [];
    return year === undefined ? isoDays.dayOf(text) : `${year}-${month}-${date}`;
  },
};

const flags: Readonly<Record<string, boolean>> = {
  '1': true,
  true: true,
  Y: true,
  '0': false,
  false: false,
  N: false,
};

/** Texts that are as they are kept: words with one space between. */
const tidy = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/** Makes a reader of values. */
export function createValues({ dayOf, hasExponent = false }: Spelling): Values {
  const refused: string[] = [];
  let row = '';

  function refuse(name: string, text: string): null {
    refused.push(`${name}${row === '' ? '' : ` of ${row}`} is ${JSON.stringify(text.slice(0, 60))}`);
    return null;
  }

  function text(raw: Raw): string | null {
    if (raw === null || raw === undefined || raw === '') return null;
    if (tidy.test(raw)) return raw;
    const cleaned = clean(raw).replace(/\s+/gu, ' ').trim();
    return cleaned === '' ? null : cleaned;
  }

  function number(raw: Raw, name: string): number | null {
    const given = text(raw);
    if (given === null) return null;
    return decimalOf(given, hasExponent) ?? refuse(name, given);
  }

  function choice<Value>(raw: Raw, name: string, choices: Readonly<Record<string, Value>>): Value | null {
    const given = text(raw);
    if (given === null) return null;
    return Object.hasOwn(choices, given) ? (choices[given] as Value) : refuse(name, given);
  }

  return {
    text,
    number,
    choice,
    day(raw, name) {
      const given = text(raw);
      if (given === null) return null;
      const day = dayOf(given);
      return day !== null && isDay(day) ? day : refuse(name, given);
    },
    count(raw, name) {
      const read = number(raw, name);
      return read === null || (Number.isSafeInteger(read) && read >= 0) ? read : refuse(name, String(read));
    },
    flag: (raw, name) => choice(raw, name, flags),
    cik(raw, name) {
      const given = text(raw);
      if (given === null) return null;
      return /^\d{1,10}$/.test(given) ? given.padStart(10, '0') : refuse(name, given);
    },
    value(shares, price) {
      if (shares === null || price === null) return null;
      return valueInCents(shares, price) ?? refuse('value', `${shares} times ${price}`);
    },
    at: (place) => void (row = place),
    refused,
  };
}
