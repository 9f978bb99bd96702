// @module-tag slow
/** CONTRIBUTING says that a filter of filings is one entry: whoever adds it so has it everywhere. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Change, Filing } from '../../src/contract/records.ts';
import { listTokensMaximum } from '../support/assistant.ts';
import { useDirectories } from '../support/directories.ts';
import { copyProject, startCopy, type RunningCopy } from '../support/project-copy.ts';

const fresh = useDirectories('added-filter');
const project = join(fresh(), 'project');
const run = promisify(execFile);

/** The entry, as a newcomer would write it. */
const entry = `  {
    name: 'reportDate',
    word: 'report date',
    description: 'Days that filings report on; a filing with any of them matches.',
    brief: 'Days that filings report on.',
    allowed: '1 to 10 days YYYY-MM-DD with commas between',
    example: '2026-06-30',
    charactersMaximum: 10,
    fold: (value) => value,
  },
`;

interface List<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly nextCursor: string | null; readonly filters: Record<string, string | null> };
}

let copy: RunningCopy | undefined;
let changes: readonly Change[] = [];
/** The newest state of each filing, newest filing first. */
let newest: readonly Filing[] = [];
/** The days that most filings report on. */
let days: readonly string[] = [];

async function ask<Row>(path: string): Promise<List<Row>> {
  const answer = await fetch(`${copy?.address}${path}`, { headers: { 'x-api-key': copy?.key ?? '' } });
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as List<Row>;
}

/** All rows of a list, page by page. */
async function all<Row>(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: List<Row> = await ask(
      cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`,
    );
    rows.push(...page.data);
    cursor = page.meta.nextCursor;
    if (cursor === null || page.data.length === 0) return rows;
  }
}

// It copies the project, checks its types, builds the sample and starts the service.
beforeAll(async () => {
  copyProject(project);
  const file = join(project, 'src/contract/filing-filters.ts');
  const end = '] as const satisfies readonly FilingFilter[];';
  const text = readFileSync(file, 'utf8');
  expect(text.split(end).length).toBe(2);
  writeFileSync(file, text.replace(end, `${entry}${end}`));
  copy = await startCopy(project);
  changes = await all<Change>('/v1/sec/changes?since=1990-01-01&limit=200');
  const byNumber = new Map(changes.map(({ filing }) => [filing.accessionNo, filing]));
  newest = await all<Filing>('/v1/sec/latest?limit=200');
  expect(newest.length).toBe(byNumber.size);
  const counts = new Map<string, number>();
  for (const { reportDate } of newest)
    if (reportDate !== null) counts.set(reportDate, (counts.get(reportDate) ?? 0) + 1);
  days = [...counts].sort(([, a], [, b]) => b - a).map(([day]) => day);
}, 300_000);

describe('a filter that is added by one entry', () => {
  it('its types hold', { timeout: 300_000 }, async () => {
    const compiler = join(project, 'node_modules/typescript/bin/tsc');
    const options = { cwd: project };
    await run(process.execPath, [compiler, '--noEmit', '-p', 'tsconfig.json'], options).catch(
      ({ stdout }: { stdout: string }) => expect(stdout).toBe(''),
    );
  });

  const hasDay = (wanted: readonly string[]) => (filing: Filing) => wanted.includes(filing.reportDate ?? '');

  it('each list gives the filings that have one of the values', async () => {
    const wanted = days.slice(0, 2);
    const asked = `reportDate=${wanted.join(',')}&limit=50`;
    const expected = newest.filter(hasDay(wanted));
    expect(expected.length).toBeGreaterThan(60);
    expect(await all<Filing>(`/v1/sec/latest?${asked}`)).toEqual(expected);
    const told = await all<Change>(`/v1/sec/changes?since=1990-01-01&${asked}`);
    expect(told).toEqual(changes.filter(({ filing }) => hasDay(wanted)(filing)));
    const cik = expected[0]?.cik ?? '';
    const ofCompany = newest.filter(({ parties }) => parties.some((party) => party.cik === cik));
    const [first = ''] = ofCompany.map(({ reportDate }) => reportDate).filter((day) => day !== null);
    const ofDay = ofCompany.filter(hasDay([first])).map(({ accessionNo }) => accessionNo);
    const numbers = (rows: readonly Filing[]) => rows.map(({ accessionNo }) => accessionNo);
    const path = `reportDate=${first}&limit=50`;
    expect(numbers(await all<Filing>(`/v1/sec/company/${cik}/filings?${path}`))).toEqual(ofDay);
    expect(numbers(await all<Filing>(`/v1/sec/company/${cik}/events?${path}`))).toEqual(ofDay);
    const followed = await all<Change>(`/v1/sec/changes?since=1990-01-01&ticker=${cik}&${path}`);
    expect(new Set(numbers(followed.map(({ filing }) => filing)))).toEqual(new Set(ofDay));
    const { data } = await ask<{ changes: Change[] }>(
      `/v1/sec/watchlist/changes?tickers=${cik}&since=1990-01-01&${path}`,
    );
    expect(numbers((data[0]?.changes ?? []).map(({ filing }) => filing))).toEqual(
      numbers(followed.map(({ filing }) => filing)),
    );
  });

  it('it goes together with every other filter', async () => {
    const wanted = days.slice(0, 10);
    const asked = `reportDate=${wanted.join(',')}`;
    const matches = hasDay(wanted);
    const form = newest.find(matches)?.form ?? '';
    const others: [string, (filing: Filing) => boolean][] = [
      [`form=${encodeURIComponent(form)}`, (filing) => filing.form === form],
      ['eventType=current_report', (filing) => filing.eventType === 'current_report'],
      ['items=2.02', (filing) => filing.items.includes('2.02')],
      ['items=9.01&form=8-K', (filing) => filing.form === '8-K' && filing.items.includes('9.01')],
      ['since=2026-01-01', (filing) => (filing.filedAt ?? '') >= '2026-01-01'],
    ];
    for (const [other, alsoMatches] of others)
      expect(await all<Filing>(`/v1/sec/latest?${asked}&${other}&limit=7`)).toEqual(
        newest.filter((filing) => matches(filing) && alsoMatches(filing)),
      );
  });

  /** What the protocol of tools answers, as text. */
  const tell = async (method: string, params: object) => {
    const answer = await fetch(`${copy?.address}/mcp`, {
      method: 'POST',
      headers: {
        'x-api-key': copy?.key ?? '',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return answer.text();
  };

  it('answers, documents, tools and pages know it, and the list of tools keeps to its tokens', async () => {
    const [day = ''] = days;
    const { cik = '' } = newest.find(hasDay([day])) ?? {};
    expect((await ask(`/v1/sec/latest?reportDate=${day}`)).meta.filters).toMatchObject({ reportDate: day });
    expect((await ask('/v1/sec/latest')).meta.filters).toMatchObject({ reportDate: null });
    const documents = await fetch(`${copy?.address}/openapi.json`).then((answer) => answer.text());
    expect(documents).toContain('Days that filings report on');
    const called = { ticker: cik, reportDate: day, limit: 1 };
    expect(await tell('tools/call', { name: 'sec_company_filings', arguments: called })).toMatch(
      new RegExp(`1 filing of .* with report date ${day}`),
    );
    const { result } = JSON.parse(await tell('tools/list', {})) as { result: unknown };
    expect(JSON.stringify(result)).toContain('reportDate');
    expect(JSON.stringify(result).length / 4).toBeLessThan(listTokensMaximum);
    const page = await fetch(`${copy?.address}/explore/company`).then((answer) => answer.text());
    expect(page).toContain(
      'data-filters="form eventType items transactionCode minValue acceptedSince acceptedUntil exhibit reportDate since until"',
    );
  });
});
