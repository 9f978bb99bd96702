import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markRun } from '../../build/ingest/run-marker.ts';
import { useDirectories } from '../support/directories.ts';

const fresh = useDirectories('run-marker');
const nowMs = Date.parse('2026-03-02T12:00:00Z');
const marked = (startedAt: string, target = 't') => JSON.stringify({ target, startedAt });

describe('a run goes on with the one before', () => {
  it.each([
    ['of the same target, an hour ago', marked('2026-03-02T11:00:00.000Z'), '2026-03-02T11:00:00.000Z'],
    ['of the same target, a day ago', marked('2026-03-01T12:00:00.000Z'), null],
    ['of another target', marked('2026-03-02T11:00:00.000Z', 'other'), null],
    ['that began under a clock which was a year ahead', marked('2027-03-02T11:00:00.000Z'), null],
    ['whose mark cannot be read', '{"target":"t","star', null],
    ['whose mark is nothing', 'null', null],
  ])('%s', async (_, text, resumedFrom) => {
    const directory = fresh();
    writeFileSync(join(directory, 'run.json'), text);
    expect((await markRun(directory, 't', nowMs)).resumedFrom).toBe(resumedFrom);
  });
});
