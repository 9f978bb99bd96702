import { expect, it } from 'vitest';
import { filingView } from '../../site/pages/parts/filing-view.ts';
import type { FilingSummary } from '../../src/contract/records.ts';
import { familyOfForm } from '../../src/domain/form-family.ts';

/** What a page shows of a filing about which nothing but its form is known. */
const viewOf = (form: string) =>
  filingView(
    {
      summary: {
        accessionNo: '0000000001-24-000001',
        form,
        eventType: familyOfForm(form),
        cik: '0000000001',
        companyName: 'Apex Corp',
        filedAt: '2024-02-01',
        acceptanceDateTime: null,
        acceptedAt: null,
        items: [],
        itemTitles: [],
        parties: [],
        documents: null,
        summary: 'A filing.',
        links: { index: 'https://www.sec.gov/x' },
      } as unknown as FilingSummary,
      ownership: null,
      changes: [],
    },
    'https://example.com',
  ).text;

it.each([
  ['4', 'was not read here yet'],
  ['SCHEDULE 13G', 'was not read here yet'],
  ['SC 13G/A', 'is running text'],
  ['SC 13D', 'is running text'],
  ['10-K', null],
])('the page of a Form %s says why nothing is told of what it says: %s', (form, words) => {
  const view = viewOf(form);
  expect(view.includes('What it says')).toBe(words !== null);
  if (words !== null) expect(view).toContain(words);
});
