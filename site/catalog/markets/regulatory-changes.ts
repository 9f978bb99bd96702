import type { Market } from '../../content/market.ts';

/** Rules, proposed rules and notices of federal agencies. */
export const regulatoryChanges: Market = {
  slug: 'regulatory-changes',
  name: 'Regulatory changes',
  headline: 'Rules and proposed rules by agency and part of the code, with comment and effective dates',
  description:
    'Compliance teams, trade associations and law firms would use it to see which rules change in their field and by when they may comment or must comply. ' +
    'It would be read from the Federal Register, with corrections and delays tied to the document they change. ' +
    'It would list documents and dates, and would give no legal advice. ' +
    'It is not built; titles, dates and docket identifiers of the sample are invented, agencies and parts of the code are real.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 40 requests and 40 downloads within one window of 30 days.',
  source: { name: 'Federal Register, API', url: 'https://www.federalregister.gov/developers/documentation/api/v1' },
  dataFeeds: [
    { slug: 'daily-documents', name: 'Daily documents', description: 'Rules, proposed rules and notices of the day.', cadence: 'daily on working days', dataset: 'register-documents' },
    { slug: 'comment-periods', name: 'Comment periods', description: 'Comment periods that open, are extended or are about to close.', cadence: 'daily', dataset: 'register-documents' },
    { slug: 'effective-dates', name: 'Effective dates', description: 'Rules that take effect within the next 30 days, and delays.', cadence: 'weekly', dataset: 'register-documents' },
  ],
  sampleDatasets: [
    {
      slug: 'register-documents',
      name: 'Register documents (sample)',
      description: 'One row per document, newest first. Documents are invented.',
      fields: [
        { name: 'publicationDate', type: 'date', description: 'Day of publication.' },
        { name: 'documentId', type: 'string', description: 'Identifier of the document.' },
        { name: 'documentType', type: 'string', description: 'Rule, proposed rule or notice.' },
        { name: 'agency', type: 'string', description: 'Agency that publishes it.' },
        { name: 'title', type: 'string', description: 'Title of the document.' },
        { name: 'codePart', type: 'string', description: 'Part of the Code of Federal Regulations it changes; null for a notice without one.' },
        { name: 'docketId', type: 'string', description: 'Identifier of the docket; null if there is none.' },
        { name: 'effectiveDate', type: 'date', description: 'Day it takes effect; null if it does not or if the day is not set.' },
        { name: 'commentsCloseDate', type: 'date', description: 'Last day for comments; null if none are asked for.' },
        { name: 'significant', type: 'boolean', description: 'Whether the agency calls it a significant action.' },
        { name: 'pages', type: 'integer', description: 'Length, in printed pages.' },
      ],
      rows: [
        ['2026-08-14', 'SAMPLE-FR-0028', 'Notice', 'Federal Communications Commission', 'Information collection on rural towers', null, 'SAMPLE-DKT-118', null, null, false, 2],
        ['2026-08-13', 'SAMPLE-FR-0027', 'Rule', 'Coast Guard', 'Safety zone; fireworks, Lantern Bay', '33 CFR 165', 'SAMPLE-DKT-117', '2026-08-15', null, false, 3],
        ['2026-08-11', 'SAMPLE-FR-0026', 'Rule', 'Food and Drug Administration', 'Food labeling; term "lightly smoked"', '21 CFR 101', 'SAMPLE-DKT-116', null, null, true, 38],
        ['2026-08-07', 'SAMPLE-FR-0025', 'Notice', 'Department of Energy', 'Open meeting on pump test methods', null, 'SAMPLE-DKT-115', null, '2026-08-14', false, 2],
        ['2026-08-05', 'SAMPLE-FR-0024', 'Rule', 'Environmental Protection Agency', 'Air plan approval; coating facilities', '40 CFR 52', 'SAMPLE-DKT-114', null, null, false, 9],
        ['2026-08-04', 'SAMPLE-FR-0023', 'Rule', 'Federal Aviation Administration', 'Airworthiness directive; Larkspur Aero airplanes', '14 CFR 39', 'SAMPLE-DKT-113', '2026-08-14', null, false, 5],
        ['2026-07-31', 'SAMPLE-FR-0022', 'Proposed Rule', 'Agricultural Marketing Service', 'Jalapeño and other peppers; grade standards', '7 CFR 51', 'SAMPLE-DKT-112', null, '2026-08-15', false, 7],
        ['2026-07-29', 'SAMPLE-FR-0021', 'Rule', 'Department of Transportation', 'Hours of service; correction', '49 CFR 395', 'SAMPLE-DKT-097', '2026-07-29', null, false, 1],
        ['2026-07-28', 'SAMPLE-FR-0020', 'Rule', 'Department of the Treasury', 'Recordkeeping of small lenders', '31 CFR 1010', 'SAMPLE-DKT-111', '2026-08-12', null, true, 64],
        ['2026-07-24', 'SAMPLE-FR-0019', 'Proposed Rule', 'National Park Service', 'Winter use, oversnow vehicles', '36 CFR 7', 'SAMPLE-DKT-110', null, '2026-08-14', false, 22],
        ['2026-07-22', 'SAMPLE-FR-0018', 'Notice', 'Department of Labor', 'Renewal of an advisory council', null, null, null, null, false, 1],
        ['2026-07-20', 'SAMPLE-FR-0017', 'Rule', 'Nuclear Regulatory Commission', 'Fees for small licensees', '10 CFR 171', 'SAMPLE-DKT-109', '2026-08-10', null, true, 46],
        ['2026-07-17', 'SAMPLE-FR-0016', 'Proposed Rule', 'Consumer Product Safety Commission', 'Safety standard for infant bath seats', '16 CFR 1215', 'SAMPLE-DKT-108', null, '2026-08-13', true, 31],
        ['2026-07-15', 'SAMPLE-FR-0015', 'Rule', 'Bureau of Industry and Security', 'Revisions to the control list, sensors', '15 CFR 774', 'SAMPLE-DKT-107', '2026-07-15', null, true, 27],
        ['2026-07-13', 'SAMPLE-FR-0014', 'Rule', 'Centers for Medicare & Medicaid Services', 'Home health quality measures', '42 CFR 484', 'SAMPLE-DKT-106', '2026-08-01', null, true, 112],
        ['2026-07-09', 'SAMPLE-FR-0013', 'Notice', 'Environmental Protection Agency', 'Pesticide tolerance petition; cover crops', null, 'SAMPLE-DKT-105', null, '2026-08-10', false, 4],
        ['2026-07-07', 'SAMPLE-FR-0012', 'Proposed Rule', 'Federal Aviation Administration', 'Airworthiness directive; Grebeworks airplanes', '14 CFR 39', 'SAMPLE-DKT-104', null, '2026-08-07', false, 4],
        ['2026-07-02', 'SAMPLE-FR-0011', 'Rule', 'Alcohol and Tobacco Tax and Trade Bureau', 'Establishment of the Sample Ridge viticultural area', '27 CFR 9', 'SAMPLE-DKT-103', '2026-08-03', null, false, 6],
        ['2026-06-29', 'SAMPLE-FR-0010', 'Rule', 'Fish and Wildlife Service', 'Migratory bird hunting; season dates', '50 CFR 20', 'SAMPLE-DKT-102', '2026-07-30', null, true, 52],
        ['2026-06-25', 'SAMPLE-FR-0009', 'Proposed Rule', 'Department of Labor', 'Heat in indoor workplaces; extension of comments', '29 CFR 1910', 'SAMPLE-DKT-101', null, '2026-07-31', true, 2],
        ['2026-06-22', 'SAMPLE-FR-0008', 'Rule', 'Department of Veterans Affairs', 'Travel payments; clarification', '38 CFR 70', 'SAMPLE-DKT-100', '2026-07-22', null, false, 8],
        ['2026-06-17', 'SAMPLE-FR-0007', 'Notice', 'Department of Commerce', 'Initiation of a review; steel brackets', null, 'SAMPLE-DKT-099', null, null, false, 5],
        ['2026-06-12', 'SAMPLE-FR-0006', 'Proposed Rule', 'Federal Trade Commission', 'Repair labels for appliances', '16 CFR 305', 'SAMPLE-DKT-098', null, '2026-07-27', true, 41],
        ['2026-06-09', 'SAMPLE-FR-0005', 'Rule', 'Department of Transportation', 'Hours of service; short-haul records', '49 CFR 395', 'SAMPLE-DKT-097', '2026-07-09', null, true, 33],
        ['2026-06-03', 'SAMPLE-FR-0004', 'Rule', 'Coast Guard', 'Drawbridge operation, Heron Creek', '33 CFR 117', 'SAMPLE-DKT-096', '2026-06-18', null, false, 2],
        ['2026-05-28', 'SAMPLE-FR-0003', 'Proposed Rule', 'Department of Housing and Urban Development', 'Manufactured homes; stairs', '24 CFR 3280', 'SAMPLE-DKT-095', null, '2026-07-13', false, 18],
        ['2026-05-19', 'SAMPLE-FR-0002', 'Rule', 'Social Security Administration', 'Electronic signatures on claims', '20 CFR 404', 'SAMPLE-DKT-094', '2026-06-18', null, false, 6],
        ['2026-05-06', 'SAMPLE-FR-0001', 'Notice', 'Department of Education', 'Applications for new awards, adult reading', null, 'SAMPLE-DKT-093', null, null, false, 11],
      ],
    },
  ],
  workflows: [
    {
      slug: 'rule-watch',
      name: 'Rule watch',
      headline: 'Follow every rule that touches a part of the code',
      description: 'A compliance officer would ask each morning for the parts that bind the company and hand new rules to the right owner.',
      path: '/v1/regulatory/federal-register/documents',
      parameters: [
        { name: 'codePart', type: 'text', description: 'Part of the Code of Federal Regulations.', example: '14 CFR 39' },
        { name: 'since', type: 'date', description: 'First day of publication to include.', example: '2026-07-01' },
      ],
      dataset: 'register-documents',
    },
    {
      slug: 'comment-deadlines',
      name: 'Comment deadlines',
      headline: 'Know which comment periods are open and when they close',
      description: 'A trade association would list open comment periods of an agency by closing date and plan its letters.',
      path: '/v1/regulatory/federal-register/comment-deadlines',
      parameters: [
        { name: 'agency', type: 'text', description: 'Agency that publishes.', example: 'Environmental Protection Agency' },
        { name: 'closesAfter', type: 'date', description: 'First closing date to include.', example: '2026-08-01' },
      ],
      dataset: 'register-documents',
    },
  ],
};
