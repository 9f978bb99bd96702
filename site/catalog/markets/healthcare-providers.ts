import type { Market } from '../../content/market.ts';

/** Changes in the national registry of healthcare providers. */
export const healthcareProviders: Market = {
  slug: 'healthcare-providers',
  name: 'Healthcare providers',
  headline: 'What changed in the provider registry this week: new, moved, deactivated, by specialty and state',
  description:
    'Health plans, billing services and makers of provider directories would use it to keep their records right without loading the whole registry each time. ' +
    'It would compare the weekly and monthly files of the National Plan and Provider Enumeration System and publish the differences. ' +
    'It would state what the registry says, which is not a proof of license or standing. ' +
    'It is not built; providers, places and identifiers of the sample are invented, specialty codes are real.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 25 requests and 40 downloads within one window of 30 days.',
  source: { name: 'Centers for Medicare & Medicaid Services, NPPES downloadable files', url: 'https://download.cms.gov/nppes/NPI_Files.html' },
  dataFeeds: [
    { slug: 'weekly-changes', name: 'Weekly changes', description: 'New, changed and reactivated providers.', cadence: 'weekly', dataset: 'provider-changes' },
    { slug: 'deactivations', name: 'Deactivations', description: 'Providers whose identifier was deactivated.', cadence: 'monthly', dataset: 'provider-changes' },
  ],
  sampleDatasets: [
    {
      slug: 'provider-changes',
      name: 'Provider changes (sample)',
      description: 'One row per provider and change, newest first. Providers and places are invented.',
      fields: [
        { name: 'changedDate', type: 'date', description: 'Day of the change in the registry.' },
        { name: 'providerId', type: 'string', description: 'Identifier of the provider.' },
        { name: 'entityKind', type: 'string', description: 'Individual or organization.' },
        { name: 'providerName', type: 'string', description: 'Name in the registry.' },
        { name: 'credential', type: 'string', description: 'Credential of an individual; null for organizations or if none is given.' },
        { name: 'specialtyCode', type: 'string', description: 'Code in the provider taxonomy, ten characters.' },
        { name: 'specialty', type: 'string', description: 'Specialty that the code stands for.' },
        { name: 'city', type: 'string', description: 'City of practice.' },
        { name: 'state', type: 'string', description: 'State of practice, two letters.' },
        { name: 'changeKind', type: 'string', description: 'New, moved, specialty, renamed, deactivated or reactivated.' },
        { name: 'previousValue', type: 'string', description: 'What stood there before; null if nothing did.' },
        { name: 'soleProprietor', type: 'boolean', description: 'Whether an individual practices alone; null for organizations or if not answered.' },
      ],
      rows: [
        ['2026-08-14', 'SAMPLE-NP-0028', 'Organization', 'Quillbrook Community Pharmacy', null, '3336C0003X', 'Community/Retail Pharmacy', 'Quillbrook', 'OH', 'New', null, null],
        ['2026-08-13', 'SAMPLE-NP-0027', 'Individual', 'Wrenna Quillfeather', 'NP', '363L00000X', 'Nurse Practitioner', 'Sampleton', 'NC', 'Moved', 'Mockingdale, NC', false],
        ['2026-08-12', 'SAMPLE-NP-0026', 'Individual', 'Odo Thistlewhit', 'MD', '207Q00000X', 'Family Medicine', 'Fictive Falls', 'MN', 'New', null, true],
        ['2026-08-10', 'SAMPLE-NP-0025', 'Organization', 'Lanternhill Home Health', null, '251E00000X', 'Home Health', 'Port Exemplar', 'FL', 'Renamed', 'Lantern "At Home" Nursing', null],
        ['2026-08-07', 'SAMPLE-NP-0024', 'Individual', 'Marisol Peñaquill', 'PT', '225100000X', 'Physical Therapist', 'Nettlebank', 'NM', 'New', null, false],
        ['2026-08-05', 'SAMPLE-NP-0023', 'Individual', 'Barnaby Oxlip-Fenn', 'DDS', '1223G0001X', 'Dentist, General Practice', 'Sampleton', 'NC', 'Deactivated', 'Active', null],
        ['2026-08-03', 'SAMPLE-NP-0022', 'Organization', 'Otterbrook Rural Clinic', null, '261QR1300X', 'Rural Health Clinic', 'Otterbrook', 'VT', 'New', null, null],
        ['2026-07-31', 'SAMPLE-NP-0021', 'Individual', 'Ysolde Marrowbank', 'PhD', '103TC0700X', 'Clinical Psychologist', 'Gullwater', 'ME', 'Moved', 'Saltmitten, ME', true],
        ['2026-07-29', 'SAMPLE-NP-0020', 'Individual', 'Tobin Larkshade', 'PA-C', '363A00000X', 'Physician Assistant', 'Harrowfen', 'KS', 'Specialty', 'Student in health care', false],
        ['2026-07-27', 'SAMPLE-NP-0019', 'Organization', 'Gentlewick Home Care', null, '251E00000X', 'Home Health', 'Port Exemplar', 'FL', 'Moved', 'Saltmarrow, FL', null],
        ['2026-07-23', 'SAMPLE-NP-0018', 'Individual', 'Philippa Crumhorn', 'OD', '152W00000X', 'Optometrist', 'Bellowmere', 'OH', 'New', null, true],
        ['2026-07-22', 'SAMPLE-NP-0017', 'Individual', 'Anselm Vandertoot', 'DO', '207R00000X', 'Internal Medicine', 'Millwhistle', 'NE', 'Reactivated', 'Deactivated', false],
        ['2026-07-20', 'SAMPLE-NP-0016', 'Organization', 'Molarvan Mobile Clinics', null, '122300000X', 'Dentist', 'Dustlark', 'AZ', 'New', null, null],
        ['2026-07-17', 'SAMPLE-NP-0015', 'Individual', 'Jory Nettleship-Øst', 'LCSW', '1041C0700X', 'Clinical Social Worker', 'Ridgemantle', 'WY', 'New', null, null],
        ['2026-07-15', 'SAMPLE-NP-0014', 'Organization', 'Heronshaw General Hospital', null, '282N00000X', 'General Acute Care Hospital', 'Heronshaw', 'MI', 'Renamed', 'Heronshaw Memorial', null],
        ['2026-07-13', 'SAMPLE-NP-0013', 'Individual', 'Cosima Bracketty', 'CRNA', '367500000X', 'Nurse Anesthetist, Certified Registered', 'Heronshaw', 'MI', 'New', null, false],
        ['2026-07-09', 'SAMPLE-NP-0012', 'Individual', 'Leopold Dunquill', 'DC', '111N00000X', 'Chiropractor', 'Wheatvane', 'OK', 'Moved', 'Longfurrow, SD', true],
        ['2026-07-07', 'SAMPLE-NP-0011', 'Organization', 'Swiftlamp Ambulance District', null, '341600000X', 'Ambulance', 'Cinderlake', 'MN', 'New', null, null],
        ['2026-07-02', 'SAMPLE-NP-0010', 'Individual', 'Hester Umbrafield', 'MD', '208000000X', 'Pediatrics', 'Peachknuckle', 'GA', 'Specialty', '207Q00000X', false],
        ['2026-06-30', 'SAMPLE-NP-0009', 'Individual', 'Ignace Tourbillard', 'RD', '133V00000X', 'Dietitian, Registered', 'Bayou Tansy', 'LA', 'New', null, true],
        ['2026-06-25', 'SAMPLE-NP-0008', 'Organization', 'Clearvial Laboratory', null, '291U00000X', 'Clinical Medical Laboratory', 'Siltford', 'MO', 'Deactivated', 'Active', null],
        ['2026-06-22', 'SAMPLE-NP-0007', 'Individual', 'Winifred Sparhawkey', 'MD', '207V00000X', 'Obstetrics & Gynecology', 'Sampleton', 'NC', 'New', null, false],
        ['2026-06-17', 'SAMPLE-NP-0006', 'Individual', 'Desmond Applequay', null, '183500000X', 'Pharmacist', 'Quillbrook', 'OH', 'New', null, null],
        ['2026-06-12', 'SAMPLE-NP-0005', 'Organization', 'Pinegutter Urgent Care', null, '261QU0200X', 'Urgent Care Clinic', 'Pinegutter', 'ID', 'Moved', 'Ashwick, ID', null],
        ['2026-06-08', 'SAMPLE-NP-0004', 'Individual', 'Rosalba Fintwick', 'SLP', '235Z00000X', 'Speech-Language Pathologist', 'Mesquite Bell', 'TX', 'New', null, true],
        ['2026-05-29', 'SAMPLE-NP-0003', 'Organization', 'Pawpaw Hollow Nursing Center', null, '314000000X', 'Skilled Nursing Facility', 'Pawpaw Hollow', 'KY', 'Renamed', 'Hollow View Manor', null],
        ['2026-05-18', 'SAMPLE-NP-0002', 'Individual', 'Emeric Stollwater', 'MD', '207RC0000X', 'Cardiovascular Disease', 'Thistlebend', 'IA', 'Moved', 'Millwhistle, NE', false],
        ['2026-05-05', 'SAMPLE-NP-0001', 'Individual', 'Beatrix Oldmantle', 'MD', '2084P0800X', 'Psychiatry', 'Cinderlake', 'MN', 'Deactivated', 'Active', null],
      ],
    },
  ],
  workflows: [
    {
      slug: 'directory-upkeep',
      name: 'Directory upkeep',
      headline: 'Correct a provider directory with the changes of a state',
      description: 'A health plan would ask once a week for the changes of a state and update addresses, names and specialties.',
      path: '/v1/provider/nppes/changes',
      parameters: [
        { name: 'state', type: 'text', description: 'State of practice, two letters.', example: 'NC' },
        { name: 'specialtyCode', type: 'text', description: 'Code in the provider taxonomy.', example: '207Q00000X' },
        { name: 'since', type: 'date', description: 'First day of change to include.', example: '2026-07-01' },
      ],
      dataset: 'provider-changes',
    },
    {
      slug: 'deactivation-screen',
      name: 'Deactivation screen',
      headline: 'Stop a claim from a provider that is no longer active',
      description: 'A billing service would screen its provider list against deactivations before it sends claims.',
      path: '/v1/provider/nppes/deactivations',
      parameters: [
        { name: 'providerId', type: 'text', description: 'Identifier of the provider.', example: 'SAMPLE-NP-0023' },
        { name: 'since', type: 'date', description: 'First day of change to include.', example: '2026-05-01' },
      ],
      dataset: 'provider-changes',
    },
  ],
};
