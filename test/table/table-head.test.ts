import { expect, it } from 'vitest';
import { TableHead } from '../../src/table/table-head.ts';

const entry = {
  partition: '0000320193',
  sort: '',
  offset: 0,
  bytes: 1,
  rows: 1,
  filedFrom: '',
  filedTo: '2026-08-01',
  sha256: 'a'.repeat(64),
};
const parse = (root: unknown) => TableHead.safeParse({ direction: 'ascending', rows: 1, root }).success;

it('the head of a table has entries, with labels in segments of rules before 5, which a build reads', () => {
  expect(parse([])).toBe(true);
  expect(parse([entry, { ...entry, labels: [] }, { ...entry, labels: ['8-K', '*'] }])).toBe(true);
});

it.each([
  { offset: -1 },
  { offset: 0.5 },
  { offset: '0' },
  { bytes: 0 },
  { bytes: 2 ** 53 },
  { rows: 0 },
  { partition: null },
  { sort: 1 },
  { filedFrom: undefined },
  { filedTo: null },
  { sha256: 'A'.repeat(64) },
  { sha256: 'a'.repeat(63) },
  { sha256: 1 },
  { labels: 'a' },
  { labels: [1] },
  { labels: null },
])('an entry with %j is refused', (wrong) => expect(parse([entry, { ...entry, ...wrong }])).toBe(false));

it.each([[null], [{}], ['entries'], [[null]], [[[]]], [['a']], [undefined]])(
  'a root of %j is refused',
  (root) => expect(parse(root)).toBe(false),
);
