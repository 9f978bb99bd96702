import type { ReferenceResponse, ReferenceSection } from '../contract/reference.ts';
import type { Query } from '../contract/parameters.ts';
import { firstRows, pageOfRecords, type Page } from '../render/page.ts';

/** One list of the reference: the rows that the query asks for. */
export function sectionPage(whole: ReferenceResponse, section: ReferenceSection, query: Query): Page {
  const rows = rowsOf(whole, section, query);
  return pageOfRecords(rows, (count) => {
    const meta = { section, count, total: rows.length, notInvestmentAdvice: true };
    return { envelope: { data: firstRows(count), meta }, end: null };
  });
}

function rowsOf(
  whole: ReferenceResponse,
  section: ReferenceSection,
  { form, eventType, items }: Query,
): readonly unknown[] {
  switch (section) {
    case 'forms': {
      const asked = form && new Set(form.flatMap((each) => [each, each.replace(/\/A$/, '')]));
      return whole.forms.filter(
        (row) =>
          (asked === undefined || asked.has(row.form)) &&
          (eventType === undefined || row.eventType === eventType),
      );
    }
    case 'items':
      return whole.items.filter(({ code }) => items === undefined || items.includes(code));
    case 'eventTypes':
      return whole.eventTypes
        .filter((row) => eventType === undefined || row.eventType === eventType)
        .map((row) => ({ ...row, forms: formsOf(whole, row.eventType) }));
    default:
      return whole[section];
  }
}

const formsOf = ({ forms }: ReferenceResponse, family: string) =>
  forms.filter(({ eventType }) => eventType === family).map(({ form }) => form);
