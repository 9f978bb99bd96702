import { expect, it } from 'vitest';
import { SegmentEntry, SnapshotId } from '../../src/format/snapshot.ts';
import { SegmentHead } from '../../src/table/segment.ts';

const digest = 'a'.repeat(64);
const entry = {
  name: `1-9-${'a'.repeat(16)}`,
  headSha256: digest,
  from: 1,
  to: 9,
  rows: 3,
  lastSequence: 3,
  headBytes: 1,
  bytes: 10,
};
const wrong = [
  '',
  '.',
  '..',
  '../x',
  '/x',
  'a/b',
  'a\\b',
  `../${entry.name}`,
  `${entry.name}/..`,
  `${entry.name}\n`,
];

it('names that become paths are those that the build makes: of segments, of their tables, and of snapshots', () => {
  const file = { bytes: 1, sha256: digest };
  const table = { direction: 'ascending', rows: 0, root: [], files: { rows: file, index: file } };
  const headWith = (name: string) => ({ format: 3, from: 1, to: 9, rules: 4, tables: { [name]: table } });
  expect(SegmentEntry.safeParse(entry).success).toBe(true);
  expect(SegmentHead.safeParse(headWith('company-changes')).success).toBe(true);
  expect(SnapshotId.safeParse(`20260101-${'a'.repeat(16)}`).success).toBe(true);
  for (const name of wrong) {
    expect(SegmentEntry.safeParse({ ...entry, name }).success, name).toBe(false);
    expect(SegmentHead.safeParse(headWith(name)).success, name).toBe(false);
    expect(SnapshotId.safeParse(name).success, name).toBe(false);
  }
});
