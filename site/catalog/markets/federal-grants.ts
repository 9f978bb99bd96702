import type { Market } from '../../content/market.ts';

/** Funding opportunities of federal agencies. */
export const federalGrants: Market = {
  slug: 'federal-grants',
  name: 'Federal grants',
  headline: 'Open federal funding opportunities with amounts, eligibility and closing dates in plain columns',
  description:
    'Universities, cities, charities and grant writers would use it to find funding that they may apply for and to keep an eye on closing dates. ' +
    'It would be read from the opportunities that agencies post on Grants.gov, with one row per opportunity and each later change noted. ' +
    'It would not advise on an application and would not hold the forms. ' +
    'It is not built; titles and amounts of the sample are invented, agencies and listing numbers are real.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 35 requests and 50 downloads within one window of 30 days.',
  source: { name: 'Grants.gov, opportunity search and daily extract', url: 'https://www.grants.gov/' },
  dataFeeds: [
    { slug: 'new-opportunities', name: 'New opportunities', description: 'Opportunities on the day they are posted.', cadence: 'daily', dataset: 'grant-opportunities' },
    { slug: 'closing-soon', name: 'Closing soon', description: 'Opportunities that close within the next 14 days.', cadence: 'daily', dataset: 'grant-opportunities' },
    { slug: 'changed-amounts', name: 'Changed amounts', description: 'Opportunities whose funding or award limits changed.', cadence: 'weekly', dataset: 'grant-opportunities' },
  ],
  sampleDatasets: [
    {
      slug: 'grant-opportunities',
      name: 'Grant opportunities (sample)',
      description: 'One row per funding opportunity, newest first. Opportunities and amounts are invented.',
      fields: [
        { name: 'postedDate', type: 'date', description: 'Day on which the opportunity was posted.' },
        { name: 'opportunityId', type: 'string', description: 'Identifier of the opportunity.' },
        { name: 'title', type: 'string', description: 'Title of the opportunity.' },
        { name: 'agency', type: 'string', description: 'Agency that gives the grant.' },
        { name: 'assistanceListing', type: 'string', description: 'Number of the assistance listing the program belongs to.' },
        { name: 'eligibility', type: 'string', description: 'Who may apply, in short.' },
        { name: 'awardFloorUsd', type: 'integer', description: 'Smallest award, in US dollars; null if none is set.' },
        { name: 'awardCeilingUsd', type: 'integer', description: 'Largest award, in US dollars; null if none is set.' },
        { name: 'totalFundingUsd', type: 'integer', description: 'Funding of the whole program, in US dollars; null if not published.' },
        { name: 'expectedAwards', type: 'integer', description: 'Expected number of awards; null if not published.' },
        { name: 'costSharing', type: 'boolean', description: 'Whether the applicant must pay a share.' },
        { name: 'closeDate', type: 'date', description: 'Last day to apply; null if the opportunity stays open.' },
      ],
      rows: [
        ['2026-08-12', 'SAMPLE-GO-0027', 'Rural bridge resilience pilot', 'Department of Transportation', '20.205', 'State governments', 500000, 5000000, 40000000, 12, true, null],
        ['2026-08-06', 'SAMPLE-GO-0026', 'Small press and chapbook projects', 'National Endowment for the Arts', '45.024', 'Nonprofits', 10000, 25000, 900000, 45, true, '2026-08-15'],
        ['2026-08-04', 'SAMPLE-GO-0025', 'Soil moisture sensing in orchards', 'Department of Agriculture', '10.310', 'Universities', null, 650000, 5200000, 8, false, '2026-08-14'],
        ['2026-07-30', 'SAMPLE-GO-0024', 'Volunteer fire company equipment', 'Department of Homeland Security', '97.044', 'Fire departments', null, 180000, null, 60, true, '2026-08-13'],
        ['2026-07-29', 'SAMPLE-GO-0023', 'Early-career materials chemistry', 'Department of Energy', '81.049', 'Universities, national laboratories', 400000, 875000, 14000000, 16, false, '2026-08-14'],
        ['2026-07-24', 'SAMPLE-GO-0022', 'Community health workers in frontier counties', 'Department of Health and Human Services', '93.224', 'Health centers', 150000, 600000, 9600000, 16, false, '2026-08-12'],
        ['2026-07-22', 'SAMPLE-GO-0021', 'Brownfield "second life" planning', 'Environmental Protection Agency', '66.818', 'Local governments, tribes', null, 300000, 3000000, 10, false, '2026-08-10'],
        ['2026-07-20', 'SAMPLE-GO-0020', 'Library digitization partnerships', 'Institute of Museum and Library Services', '45.312', 'Libraries, archives', 50000, 250000, 2500000, 12, true, '2026-08-07'],
        ['2026-07-15', 'SAMPLE-GO-0019', 'Secure software education', 'National Science Foundation', '47.076', 'Universities, community colleges', 200000, 500000, 6000000, 14, false, '2026-08-11'],
        ['2026-07-13', 'SAMPLE-GO-0018', 'Advanced manufacturing apprenticeships', 'Department of Labor', '17.268', 'Workforce boards, nonprofits', 1000000, 4000000, 32000000, 9, false, '2026-08-05'],
        ['2026-07-09', 'SAMPLE-GO-0017', 'Historic lighthouse repair', 'Department of the Interior', '15.904', 'States, nonprofits', 25000, 200000, 1400000, 10, true, '2026-08-03'],
        ['2026-07-07', 'SAMPLE-GO-0016', 'Healthy aging sensor studies', 'National Institutes of Health', '93.866', 'Universities, small businesses', null, null, 4500000, 6, false, '2026-08-06'],
        ['2026-07-02', 'SAMPLE-GO-0015', 'Overnight shelter renovation', 'Department of Veterans Affairs', '64.024', 'Nonprofits, local governments', 100000, 750000, 11000000, 20, true, '2026-07-31'],
        ['2026-06-30', 'SAMPLE-GO-0014', 'Planetary sample handling methods', 'National Aeronautics and Space Administration', '43.001', 'Unrestricted', null, 420000, null, 5, false, '2026-07-30'],
        ['2026-06-25', 'SAMPLE-GO-0013', 'Youth mentoring through music (música y barrio)', 'Department of Justice', '16.738', 'Local governments', 40000, 175000, 2100000, 15, false, '2026-07-24'],
        ['2026-06-23', 'SAMPLE-GO-0012', 'Port district recovery plans', 'Department of Commerce', '11.307', 'Cities, counties, districts', 100000, 1500000, 18000000, null, true, '2026-07-28'],
        ['2026-06-18', 'SAMPLE-GO-0011', 'Nonpoint source watershed projects', 'Environmental Protection Agency', '66.460', 'States, tribes', 75000, 900000, 7200000, 11, true, '2026-07-20'],
        ['2026-06-16', 'SAMPLE-GO-0010', 'Ocean acoustics, basic research', 'Department of Defense', '12.300', 'Unrestricted', null, 1200000, 8000000, 7, false, null],
        ['2026-06-11', 'SAMPLE-GO-0009', 'Rural clinic buildings', 'Department of Agriculture', '10.766', 'Public bodies, nonprofits', null, null, null, null, true, null],
        ['2026-06-09', 'SAMPLE-GO-0008', 'Reading corps, year two', 'AmeriCorps', '94.006', 'Nonprofits, schools', 120000, 480000, 5000000, 18, true, '2026-07-14'],
        ['2026-06-04', 'SAMPLE-GO-0007', 'Small wind demonstration', 'Department of Energy', '81.087', 'Unrestricted', 250000, 2000000, 10000000, 6, true, '2026-07-10'],
        ['2026-06-02', 'SAMPLE-GO-0006', 'Advising centers for exporters', 'Small Business Administration', '59.037', 'Universities', 200000, 800000, 6400000, 8, true, '2026-07-06'],
        ['2026-05-27', 'SAMPLE-GO-0005', 'Substance use services, regional', 'Department of Health and Human Services', '93.243', 'Nonprofits, tribes', null, 400000, 8800000, 22, false, '2026-06-29'],
        ['2026-05-22', 'SAMPLE-GO-0004', 'Trustworthy networks research', 'National Science Foundation', '47.070', 'Universities', 300000, 1200000, 15000000, 20, false, '2026-06-26'],
        ['2026-05-19', 'SAMPLE-GO-0003', 'Downtown housing repair', 'Department of Housing and Urban Development', '14.218', 'Cities', 50000, 350000, 4900000, 14, false, '2026-06-22'],
        ['2026-05-13', 'SAMPLE-GO-0002', 'Conservation on working farms', 'Department of Agriculture', '10.912', 'Farmers, tribes', 5000, 150000, 12000000, 200, true, '2026-06-15'],
        ['2026-05-06', 'SAMPLE-GO-0001', 'Preschool outreach, home visits', 'Department of Health and Human Services', '93.600', 'Nonprofits, schools', 250000, 1000000, 9000000, 9, true, '2026-06-08'],
      ],
    },
  ],
  workflows: [
    {
      slug: 'grant-search',
      name: 'Grant search',
      headline: 'List the funding your kind of organization may apply for',
      description: 'A grant office would ask by eligibility for new opportunities, filter by award size and forward the few that fit.',
      path: '/v1/grants/grants-gov/opportunities',
      parameters: [
        { name: 'eligibility', type: 'text', description: 'Kind of applicant.', example: 'Universities' },
        { name: 'since', type: 'date', description: 'First day of posting to include.', example: '2026-07-01' },
      ],
      dataset: 'grant-opportunities',
    },
    {
      slug: 'deadline-calendar',
      name: 'Deadline calendar',
      headline: 'Keep closing dates of one agency in your calendar, changes included',
      description: 'A team that depends on one agency would read its opportunities by closing date and see when a date moves.',
      path: '/v1/grants/grants-gov/deadlines',
      parameters: [
        { name: 'agency', type: 'text', description: 'Agency that gives the grant.', example: 'Department of Energy' },
        { name: 'closesAfter', type: 'date', description: 'First closing date to include.', example: '2026-08-01' },
      ],
      dataset: 'grant-opportunities',
    },
  ],
};
