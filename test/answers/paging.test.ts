import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoints.ts';
import { AppliedFilters } from '../../src/contract/envelopes.ts';
import { filteredLists } from '../support/list-walks.ts';
import { useSample } from '../support/sample.ts';

const service = useSample();

interface Row {
  readonly accessionNo?: string;
  readonly filing?: { readonly accessionNo: string };
  readonly changes?: readonly Row[];
}
interface Body {
  readonly data: readonly Row[];
  readonly meta: { readonly filters: AppliedFilters; readonly nextCursor: string | null };
}

/** A request of a list with some parameters, and with what its example has beside filters. */
function targetOf({ example }: Endpoint, given: Readonly<Record<string, string>>): string {
  const [path, query = ''] = example.split('?');
  const { form: _, ...own } = Object.fromEntries(new URLSearchParams(query));
  return `${path}?${new URLSearchParams({ ...own, ...given })}`;
}

const rowsOf = (row: Row): string[] =>
  row.changes?.flatMap(rowsOf) ?? [row.accessionNo ?? row.filing?.accessionNo ?? ''];

/** The address that `Link` leads to, relative to that of the request; null if there is none. */
function nextOf(response: Response, target: string): string | null {
  const link = response.headers.get('link');
  if (link === null) return null;
  const next = /^<([^<>]+)>; rel="next"$/.exec(link)?.[1] as string;
  const { pathname, search } = new URL(next, new URL(target, 'http://localhost'));
  return `${pathname}${search}`;
}

describe.each(filteredLists)('$id', (endpoint) => {
  const { parameters, id } = endpoint;
  const takes = (wanted: string) => parameters.some(({ parameter }) => parameter.name === wanted);
  const isFeed = id === 'listChanges' || id === 'listWatchlistChanges';

  it('the header Link leads through all rows, and ends with them', async () => {
    const given = { since: '2026-05-01', until: '2026-08-10' };
    const whole = await service.json<Body>(targetOf(endpoint, { ...given, limit: '200' }));
    const all = whole.data.flatMap(rowsOf).slice(0, 60);
    expect(all.length).toBeGreaterThan(2);
    // Half of the rows, so that the last page may be full: then there is no next one.
    const limit = String(Math.max(1, Math.ceil(all.length / 4)));
    const seen: string[] = [];
    let target: string | null = targetOf(endpoint, {
      ...given,
      limit,
      ...(takes('wait') ? { wait: '0' } : {}),
    });
    while (target !== null && seen.length < all.length) {
      const response: Response = await service.get(target);
      const { data, meta } = (await response.json()) as Body;
      seen.push(...data.flatMap(rowsOf));
      const next: string | null = nextOf(response, target);
      if (next !== null) {
        const asked = new URL(next, 'http://localhost').searchParams;
        expect([asked.get('cursor'), asked.get('limit'), asked.get('wait')]).toEqual([
          meta.nextCursor,
          limit,
          null,
        ]);
      } else if (!isFeed) expect(meta.nextCursor).toBe(null);
      target = next;
    }
    if (id === 'listWatchlistChanges') expect(seen.sort()).toEqual(whole.data.flatMap(rowsOf).sort());
    else expect(seen.slice(0, all.length)).toEqual(all);
  });

  it('the last page has no Link, also if it is full', async () => {
    const target = targetOf(endpoint, { since: '2026-06-01', limit: '200' });
    const response = await service.get(target);
    const { data } = (await response.json()) as Body;
    const counts = data[0]?.changes ? data.map(({ changes = [] }) => changes.length) : [data.length];
    const most = Math.max(...counts);
    expect(most).toBeGreaterThan(0);
    if (most === 200) return expect(response.headers.get('link')).not.toBe(null);
    expect(response.headers.get('link')).toBe(null);
    const full = await service.get(target.replace('limit=200', `limit=${most}`));
    expect(full.headers.get('link')).toBe(null);
    if (most > 1)
      expect(
        (await service.get(target.replace('limit=200', `limit=${most - 1}`))).headers.get('link'),
      ).not.toBe(null);
  });

  it('HEAD and 304 have the same Link', async () => {
    const target = targetOf(endpoint, { since: '2026-06-01', limit: '1' });
    const get = await service.get(target);
    const link = get.headers.get('link');
    expect(link).toMatch(/^<\/v1\/sec\/.*&cursor=[\w-]+(&\w+=[^&]*)*>; rel="next"$/);
    expect((await service.get(target, {}, 'HEAD')).headers.get('link')).toBe(link);
    const known = await service.get(target, { 'if-none-match': get.headers.get('etag') ?? '' });
    expect([known.status, known.headers.get('link')]).toEqual([304, link]);
  });
});

describe('a link to the next page', () => {
  it('a link has every value escaped', async () => {
    const response = await service.get('/v1/sec/latest?form=SCHEDULE%2013G,+4/a&limit=1');
    expect(response.headers.get('link')).toMatch(
      /^<\/v1\/sec\/latest\?form=SCHEDULE%2013G,4%2FA&limit=1&cursor=[\w-]+>; rel="next"$/,
    );
    const ofCompany = await service.get('/v1/sec/company/%61apl/filings?limit=1');
    expect([ofCompany.status, ofCompany.headers.get('link')]).toEqual([
      200,
      expect.stringMatching(/^<\/v1\/sec\/company\/aapl\/filings\?limit=1&cursor=/),
    ]);
  });
});
