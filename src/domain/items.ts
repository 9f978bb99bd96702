import { remembered } from './remembered.ts';

/**
 * Titles of the items of Form 8-K by code, as in SEC Form 8-K, Information to be Included in the Report. 1.05
 * came with Release 33-11216 in 2023, 6.06 with Release 33-9638 in 2014. The form has no item 6.10: EDGAR
 * added that code.
 */
const titles = new Map<string, string>([
  ['1.01', 'Entry into a Material Definitive Agreement'],
  ['1.02', 'Termination of a Material Definitive Agreement'],
  ['1.03', 'Bankruptcy or Receivership'],
  ['1.04', 'Mine Safety - Reporting of Shutdowns and Patterns of Violations'],
  ['1.05', 'Material Cybersecurity Incidents'],
  ['2.01', 'Completion of Acquisition or Disposition of Assets'],
  ['2.02', 'Results of Operations and Financial Condition'],
  [
    '2.03',
    'Creation of a Direct Financial Obligation or an Obligation under an Off-Balance Sheet Arrangement of a Registrant',
  ],
  [
    '2.04',
    'Triggering Events That Accelerate or Increase a Direct Financial Obligation or an Obligation under an Off-Balance Sheet Arrangement',
  ],
  ['2.05', 'Costs Associated with Exit or Disposal Activities'],
  ['2.06', 'Material Impairments'],
  [
    '3.01',
    'Notice of Delisting or Failure to Satisfy a Continued Listing Rule or Standard; Transfer of Listing',
  ],
  ['3.02', 'Unregistered Sales of Equity Securities'],
  ['3.03', 'Material Modification to Rights of Security Holders'],
  ['4.01', "Changes in Registrant's Certifying Accountant"],
  [
    '4.02',
    'Non-Reliance on Previously Issued Financial Statements or a Related Audit Report or Completed Interim Review',
  ],
  ['5.01', 'Changes in Control of Registrant'],
  [
    '5.02',
    'Departure of Directors or Certain Officers; Election of Directors; Appointment of Certain Officers; Compensatory Arrangements of Certain Officers',
  ],
  ['5.03', 'Amendments to Articles of Incorporation or Bylaws; Change in Fiscal Year'],
  ['5.04', "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans"],
  ['5.05', "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of Ethics"],
  ['5.06', 'Change in Shell Company Status'],
  ['5.07', 'Submission of Matters to a Vote of Security Holders'],
  ['5.08', 'Shareholder Director Nominations'],
  ['6.01', 'ABS Informational and Computational Material'],
  ['6.02', 'Change of Servicer or Trustee'],
  ['6.03', 'Change in Credit Enhancement or Other External Support'],
  ['6.04', 'Failure to Make a Required Distribution'],
  ['6.05', 'Securities Act Updating Disclosure'],
  ['6.06', 'Static Pool'],
  ['6.10', 'Alternative Filings of Asset-Backed Issuers'],
  ['7.01', 'Regulation FD Disclosure'],
  ['8.01', 'Other Events'],
  ['9.01', 'Financial Statements and Exhibits'],
]);

/**
 * The items that Form 8-K had before it was renumbered on 2004-08-23 (Release 33-8400), each with the code
 * that replaced it. Old codes have no point and new ones do, so no date is needed to tell them apart.
 */
export const formerItems: readonly {
  readonly code: string;
  readonly title: string;
  readonly successor: string;
}[] = [
  { code: '1', title: 'Changes in Control of Registrant', successor: '5.01' },
  { code: '2', title: 'Acquisition or Disposition of Assets', successor: '2.01' },
  { code: '3', title: 'Bankruptcy or Receivership', successor: '1.03' },
  { code: '4', title: "Changes in Registrant's Certifying Accountant", successor: '4.01' },
  { code: '5', title: 'Other Events', successor: '8.01' },
  { code: '6', title: "Resignations of Registrant's Directors", successor: '5.02' },
  { code: '7', title: 'Financial Statements and Exhibits', successor: '9.01' },
  { code: '8', title: 'Change in Fiscal Year', successor: '5.03' },
  { code: '9', title: 'Regulation FD Disclosure', successor: '7.01' },
  {
    code: '10',
    title: "Amendments to the Registrant's Code of Ethics, or Waiver of a Provision of the Code of Ethics",
    successor: '5.05',
  },
  {
    code: '11',
    title: "Temporary Suspension of Trading Under Registrant's Employee Benefit Plans",
    successor: '5.04',
  },
  { code: '12', title: 'Results of Operations and Financial Condition', successor: '2.02' },
];

const successors = new Map(formerItems.map(({ code, successor }) => [code, successor]));

const codePattern = /^\d{1,2}\.\d{2}$/;

/** Every item of Form 8-K: its code and its title, in the order of the form. */
export const itemTitles: readonly (readonly [code: string, title: string])[] = [...titles];

/**
 * The title of an item of Form 8-K by its code (`2.02`); undefined for a code that the form does not have.
 */
export function itemTitle(code: string): string | undefined {
  return titles.get(code);
}

function readItems(rawItems: string): string[] {
  const codes = new Set<string>();
  for (const part of rawItems.split(',')) {
    const text = part.trim();
    const code = codePattern.test(text) ? text : successors.get(text);
    if (code !== undefined) codes.add(code);
  }
  return [...codes];
}

// A few thousand combinations cover nearly all reports; the limit keeps rare ones from filling the memory.
const codesOf = /* @__PURE__ */ remembered(8192, readItems);

/**
 * The item codes in EDGAR's comma list (`2.02,9.01`), each once, in the order given. Families other than that
 * of Form 8-K have no such items and get none. Codes from before 2004 become their successors; any other text
 * is dropped. The caller may change the array.
 */
export function parseItems(eventType: string, rawItems: string): string[] {
  if (eventType !== 'current_report' || rawItems === '') return [];
  return codesOf(rawItems).slice();
}
