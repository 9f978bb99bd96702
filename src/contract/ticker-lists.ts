import { z } from 'zod';
import { foldSymbol, tickerPattern } from '../domain/scalars.ts';
import type { Parameter } from './parameters.ts';

/** Characters of an entry of a list of companies, with the comma and the space beside it. */
const tickerCharacters = 40;

/** The parameter of a list of at most `maximum` companies. */
export function tickersUpTo(maximum: number): Parameter {
  const charactersMaximum = maximum * tickerCharacters;
  return {
    name: 'tickers',
    in: 'query',
    description: `Ticker symbols or 10-digit CIKs, separated by commas, at most ${maximum}.`,
    allowed: `1 to ${maximum} ticker symbols or 10-digit CIKs, separated by commas`,
    parse: z
      .string()
      .max(charactersMaximum)
      .refine((text) => {
        const entries = text.split(',');
        return entries.length <= maximum && entries.every((entry) => tickerPattern.test(entry.trim()));
      })
      .transform(distinctEntries),
    schema: { type: 'string', minLength: 1, maxLength: charactersMaximum },
    example: 'AAPL,MSFT',
    isList: true,
    valuesMaximum: maximum,
  };
}

/** The entries of a list, each once under `foldSymbol`. */
function distinctEntries(text: string): string[] {
  const seen = new Map<string, string>();
  for (const entry of text.split(',').map((each) => each.trim())) {
    const folded = foldSymbol(entry);
    if (!seen.has(folded)) seen.set(folded, entry);
  }
  return [...seen.values()];
}
