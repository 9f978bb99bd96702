import { limitBounds, type Query } from '../contract/parameters.ts';
import { foldSymbol } from '../contract/shapes.ts';
import { foldWords } from '../contract/words.ts';
import type { Snapshot } from '../snapshot/open.ts';
import { lineAt, lineEnd, lineStart, type Chunk } from '../table/chunk.ts';
import { jsonAnswer, type Answer } from './body.ts';

// A search row is {"company":{…},"symbols":" … ","name":" … ","formerNames":" … | … "}: the parts are found as bytes.
const companyStart = '{"company":'.length;
const symbolsNeedle = Buffer.from(',"symbols":"');
const nameNeedle = Buffer.from('","name":"');
const formerNeedle = Buffer.from('","formerNames":"');

/** How well a company matches, best first. Within a rank the order of the table holds: listed ones first. */
const ranks = { symbol: 0, nameBegins: 1, name: 2, formerName: 3 } as const;

interface Hit {
  readonly rank: number;
  readonly company: string;
}

/** Companies that match `q`: an exact symbol or CIK first, then names that begin with it, other names, former names. */
export async function searchAnswer(snapshot: Snapshot, query: Query): Promise<Answer> {
  const text = query.q ?? '';
  const limit = query.limit ?? limitBounds.default;
  const hits = await findHits(snapshot, foldSymbol(text), foldWords(text), limit);
  const meta = { count: hits.length, query: text, notInvestmentAdvice: true };
  return jsonAnswer([`{"data":[${hits.map(({ company }) => company).join(',')}],"meta":${JSON.stringify(meta)}}`]);
}

/**
 * Reads the table of companies once, in the order of their rank, and looks at the rows in which the longest word or the
 * symbol occurs. Stops when nothing better can come.
 */
async function findHits(snapshot: Snapshot, symbol: string, words: readonly string[], limit: number): Promise<Hit[]> {
  const table = snapshot.tables.companies;
  const byRank: Hit[][] = [[], [], [], []];
  const longest = words.toSorted((a, b) => b.length - a.length)[0];
  const needles = [` ${symbol} `, ...(longest === undefined ? [] : [` ${longest}`])].map((needle) => Buffer.from(needle));
  for (let block = await table.at({ page: 0, line: 0 }); block; block = await table.next(block.place)) {
    const chunk = await table.read(block);
    for (const line of linesWith(chunk, needles)) {
      const hit = judge(chunk, line, symbol, words);
      if (hit && (byRank[hit.rank] as Hit[]).length < limit) byRank[hit.rank]?.push(hit);
    }
  }
  return byRank.flat().slice(0, limit);
}

function linesWith(chunk: Chunk, needles: readonly Buffer[]): number[] {
  const lines = new Set<number>();
  for (const needle of needles) {
    for (let at = chunk.bytes.indexOf(needle); at !== -1; ) {
      const line = lineAt(chunk, at);
      lines.add(line);
      at = chunk.bytes.indexOf(needle, lineEnd(chunk, line));
    }
  }
  return [...lines].sort((a, b) => a - b);
}

function judge(chunk: Chunk, line: number, symbol: string, words: readonly string[]): Hit | null {
  const start = lineStart(chunk, line);
  const symbolsAt = chunk.bytes.indexOf(symbolsNeedle, start);
  const nameAt = chunk.bytes.indexOf(nameNeedle, symbolsAt);
  const formerAt = chunk.bytes.indexOf(formerNeedle, nameAt);
  const symbols = chunk.bytes.toString('utf8', symbolsAt + symbolsNeedle.length, nameAt);
  const name = chunk.bytes.toString('utf8', nameAt + nameNeedle.length, formerAt);
  const former = chunk.bytes.toString('utf8', formerAt + formerNeedle.length, lineEnd(chunk, line) - '"}'.length);
  const rank = rankOf(symbols, name, former, symbol, words);
  return rank === null ? null : { rank, company: chunk.bytes.toString('utf8', start + companyStart, symbolsAt) };
}

function rankOf(symbols: string, name: string, former: string, symbol: string, words: readonly string[]): number | null {
  if (symbols.includes(` ${symbol} `)) return ranks.symbol;
  if (words.length === 0) return null;
  const has = (text: string) => words.every((word) => text.includes(` ${word}`));
  if (name.startsWith(` ${words.join(' ')}`)) return ranks.nameBegins;
  if (has(name)) return ranks.name;
  return former.split('|').some(has) ? ranks.formerName : null;
}
