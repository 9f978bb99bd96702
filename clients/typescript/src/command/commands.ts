import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileCursor } from '../file-cursor.ts';
import { FilingEventsError } from '../errors.ts';
import type { Change, Company, Filing } from '../generated.ts';
import { keepFiles } from '../mirror/files.ts';
import { hasSqlite, sqliteAdvice } from '../mirror/sqlite.ts';
import type { Command, Context } from './command.ts';
import type { Column } from './print.ts';
import { mcp } from './mcp-command.ts';
import { verify } from './verify-command.ts';
import { filterOptions, filtersOf, numberOf, oneWord, UsageError, type Option } from './words.ts';

/** The columns of filings. Example: `printer(filingColumns)`. */
export const filingColumns: readonly Column<Filing>[] = [
  ['FILED', 10, ({ filedAt }) => filedAt],
  ['FORM', 10, ({ form }) => form, 6],
  ['TICKER', 7, ({ ticker }) => ticker, 0],
  ['COMPANY', 32, ({ companyName }) => companyName, 0],
  ['ITEMS', 14, ({ items }) => items.join(' '), 0],
  ['ACCESSION', 20, ({ accessionNo }) => accessionNo],
];
const changeColumns: readonly Column<Change>[] = [
  ['CHANGE', 14, ({ changeType, revision }) => (revision > 1 ? `correction ${revision - 1}` : changeType), 0],
  ...filingColumns.map(
    ([head, characters, text, least]): Column<Change> => [
      head,
      characters,
      ({ filing }) => text(filing),
      least,
    ],
  ),
];
const companyColumns: readonly Column<Company>[] = [
  ['CIK', 10, ({ cik }) => cik],
  ['TICKER', 7, ({ ticker }) => ticker],
  ['NAME', 40, ({ name }) => name, 16],
  ['EXCHANGE', 10, ({ exchange }) => exchange, 0],
  ['FILINGS', 7, ({ filingCount }) => String(filingCount), 0],
  ['LATEST', 10, ({ latestFilingAt }) => latestFilingAt, 0],
];

const limitOption: Option = { name: 'limit', value: 'N', text: 'the most rows; 50 if not given' };
const tickerOption: Option = {
  name: 'ticker',
  value: 'TICKERS',
  text: 'tickers or CIKs, any number, with commas between',
};

const tail: Command = {
  name: 'tail',
  words: '',
  text: 'prints each change as it is published, until you stop it',
  options: [
    ...filterOptions,
    tickerOption,
    {
      name: 'corrections',
      value: 'WHICH',
      text: 'all, none, or causes with commas between; all if not given',
    },
    { name: 'cursor', value: 'FILE', text: 'keeps the place in a file, and goes on there' },
  ],
  examples: [
    'tail --form 8-K --ticker AAPL',
    'tail --since 2026-08-01 --cursor state | jq .filing.documentUrl',
  ],
  async run({ client, values, signal, printer, tell }) {
    const changes = client.changes({
      ...filtersOf(values),
      tickers: values['ticker'],
      corrections: values['corrections'],
    });
    const path = values['cursor'];
    const rows = printer(changeColumns);
    if (values['since'] === undefined && path === undefined)
      tell('waiting for changes; --since begins earlier');
    const cursor = path === undefined ? undefined : fileCursor(path);
    for await (const change of changes.follow({ cursor, signal })) await rows.row(change);
  },
};

const search: Command = {
  name: 'search',
  words: 'QUERY',
  text: 'finds companies by ticker, CIK or name',
  options: [limitOption],
  examples: ['search apple', 'search 0000320193 --json'],
  async run({ client, words, values, signal, printer, tell }) {
    if (words.length === 0) throw new UsageError('give a QUERY');
    const rows = printer(companyColumns);
    const limit = numberOf(values, 'limit', 50);
    const { data } = await client.searchCompanies({ q: words.join(' '), limit }, { signal });
    for (const company of data) await rows.row(company);
    if (data.length === 0) tell('no company matches');
  },
};

const filings: Command = {
  name: 'filings',
  words: '[TICKER]',
  text: 'lists filings, newest first: of a company, or of all',
  options: [...filterOptions, limitOption],
  examples: ['filings AAPL --form 10-K,10-Q', 'filings --items 2.02 --limit 1000 > results.jsonl'],
  async run({ client, words, values, signal, printer }) {
    const [ticker, ...others] = words;
    if (others.length > 0) throw new UsageError('give one TICKER, or none');
    const most = numberOf(values, 'limit', 50);
    const parameters = { ...filtersOf(values), limit: Math.max(1, Math.min(most, 200)) };
    const found =
      ticker === undefined
        ? client.rows('listLatestFilings', parameters, { signal })
        : client.rows('listCompanyFilings', { ...parameters, ticker }, { signal });
    const rows = printer(filingColumns);
    let count = 0;
    for await (const filing of found) {
      if (count++ === most) return;
      await rows.row(filing);
    }
  },
};

const get: Command = {
  name: 'get',
  words: 'ACCESSION…',
  text: 'prints filings by their accession numbers, with a summary',
  options: [],
  examples: ['get 0000320193-25-000079', 'get 0000320193-25-000079 | jq -r .links.text'],
  async run({ client, words, signal, printer }) {
    if (words.length === 0) throw new UsageError('give an ACCESSION');
    const { data, meta } = await client.getFilings({ accessionNos: words }, { signal });
    const rows = printer<(typeof data)[number]>([
      ...filingColumns,
      ['SUMMARY', 120, ({ summary }) => summary, 0],
    ]);
    for (const filing of data) await rows.row(filing);
    if (meta.unknown.length > 0)
      throw new FilingEventsError(`no filing has the accession number ${meta.unknown.join(', ')}`, {
        code: 'filing_not_found',
      });
  },
};

const mirror: Command = {
  name: 'mirror',
  words: 'DIR',
  text: 'copies the log to DIR: its files, and filings.db (SQLite), which it keeps in step',
  options: [
    { ...tickerOption, text: 'only these tickers or CIKs, any number, with commas between' },
    { name: 'since', value: 'DATE', text: 'begins with filings of this day' },
    { name: 'follow', text: 'goes on until you stop it' },
  ],
  examples: ['mirror filings', 'mirror watched --ticker AAPL,MSFT --follow'],
  async run(context) {
    const { client, words, values, signal, tell } = context;
    const folder = oneWord(words, 'DIR');
    await mkdir(folder, { recursive: true });
    const kept = client.mirror(join(folder, 'filings.db'), {
      tickers: values['ticker']?.split(','),
      since: values['since'],
      folder,
    });
    const isPart = values['ticker'] !== undefined || values['since'] !== undefined;
    if (!isPart && !(await hasSqlite()))
      return keepFilesAlone(folder, values['follow'] !== undefined, context);
    const steps = values['follow'] === undefined ? kept.update({ signal }) : kept.follow({ signal });
    for await (const { changes, newestFiledAt, unknown } of steps) {
      if (changes > 0) tell(`${changes} changes; data up to ${newestFiledAt}`);
      if (unknown.length > 0) tell(`unknown: ${unknown.join(', ')}`);
    }
  },
};

/** Where Node has no SQLite, keeps the files of the log, which need none. */
async function keepFilesAlone(
  folder: string,
  isFollowing: boolean,
  { client, signal, tell }: Context,
): Promise<void> {
  tell(`Node ${process.versions.node} has no SQLite: only the files are kept. ${sqliteAdvice}`);
  const options = { signal, ...(isFollowing ? { retries: Infinity } : {}) };
  for (;;) {
    const { nextCursor, newestFiledAt } = await keepFiles(client, folder, options);
    tell(`data up to ${newestFiledAt}`);
    if (!isFollowing) return;
    let news: readonly unknown[] = [];
    while (news.length === 0)
      news = (await client.listChanges({ cursor: nextCursor, limit: 1, wait: 60 }, options)).data;
  }
}

/** Every command, in the order of the help. Example: `commands.map(({ name }) => name)`. */
export const commands: readonly Command[] = [tail, search, filings, get, mirror, verify, mcp];
