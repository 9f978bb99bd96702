import type { Mutant } from '../mutant.ts';

/** Mends of positions that are kept outside of the log. */
export const positionMutants: readonly Mutant[] = [
  {
    name: 'an export trusts a bare sequence',
    breaks: 'An export after a restore has wrong, lost and doubled filings.',
    test: 'test/export/export-position.test.ts',
    edits: [{ file: 'build/export/ranges.ts', from: 'if (continues && isWhole)', to: 'if (isWhole)' }],
  },
  {
    name: 'an endpoint trusts a bare sequence',
    breaks: 'A webhook endpoint skips changes after a restore.',
    test: 'test/deliver/restored-log.test.ts',
    edits: [{ file: 'build/deliver/feed.ts', from: 'changeKey(place) === change ?', to: 'true ?' }],
  },
  {
    name: 'a follower of a client trusts a bare sequence',
    breaks:
      'A client that stopped in the middle of a page loses changes after the ledger was restored and went on differently.',
    test: 'test/clients/positions.test.ts',
    edits: [
      {
        file: 'clients/typescript/src/cursor.ts',
        from: 'if (found.sequence === sequence && changeKey(found) === change) return changes.slice(at + 1);',
        to: 'if (found) return changes.filter((each) => each.sequence > sequence);',
      },
    ],
  },
  {
    name: 'the cursor of a page comes after its first change',
    breaks: 'A kill in the middle of a page loses its other changes.',
    test: 'test/deliver/restored-log.test.ts',
    edits: [
      {
        file: 'build/deliver/run-endpoint.ts',
        from: 'if (change.sequence === endsAt) endPage();',
        to: 'if (change.sequence > 0) endPage();',
      },
    ],
  },
  {
    name: 'endpoints that hang keep their attempts',
    breaks: 'Endpoints that hang take the retries of all others.',
    test: 'test/deliver/attempt-slots.test.ts',
    edits: [
      {
        file: 'build/deliver/attempt-slots.ts',
        from: 'if (giveSlow === null) return;',
        to: 'return giveSlow?.();',
      },
    ],
  },
  {
    name: 'versions of metadata begin again',
    breaks: 'A table that was exported anew cannot be read where the old one was published.',
    test: 'test/export/export-position.test.ts',
    edits: [
      {
        file: 'build/export/table-folder.ts',
        from: 'Math.max(version + 1, Math.floor((nowMs - versionsSinceMs) / 1000))',
        to: 'version + 1',
      },
    ],
  },
  {
    name: 'bounds of long texts are too small',
    breaks: 'A query by a long name prunes the file that has it.',
    test: 'test/export/bounds.test.ts',
    edits: [
      {
        file: 'build/export/bounds.ts',
        from: 'if (!isUpper) return',
        to: 'if (!isUpper || text.length > 64) return',
      },
    ],
  },
  {
    name: 'a day without an index is reconciled',
    breaks: 'A day whose index could not be had counts as proven.',
    test: 'test/reconcile/without-index.test.ts',
    edits: [
      {
        file: 'src/contract/reconciled-days.ts',
        from: 'return indexed > 0 || quarterReadAt !== null;',
        to: 'return indexed >= 0 || quarterReadAt !== null;',
      },
    ],
  },
  {
    name: 'filters ask the rules of today',
    breaks: 'Entries that say a family are not found by it after an update.',
    test: 'test/publish/restate.test.ts',
    edits: [
      {
        file: 'src/contract/filing-filters.ts',
        from: '!ofForm || wanted.includes(kind[name as keyof FilingKind])',
        to: '!ofForm || wanted.includes(ofForm(kind.form))',
      },
    ],
  },
  {
    name: 'tables of an older version are compared in the columns of this one',
    breaks:
      'The first export after an update says that the ledger was restored from a backup, and writes all changes again.',
    test: 'test/export/export-position.test.ts',
    title: 'tables of an older version with fewer columns',
    edits: [
      {
        file: 'build/export/export.ts',
        from: 'definition.columns.filter(({ id }) => ids.has(id))',
        to: 'definition.columns.filter(({ id }) => ids.has(id) || id > 0)',
      },
    ],
  },
];
