import type { Market } from '../../content/market.ts';

/** Newly seen domain names that resemble a watched name. */
export const domainRegistrations: Market = {
  slug: 'domain-registrations',
  name: 'Domain registrations',
  headline: 'New domain names that look like yours, with how they resemble it and whether they take mail',
  description:
    'Brand protection teams, fraud desks and mail security vendors would use it to see look-alike names soon after they appear in a zone. ' +
    'It would be derived from the daily zone files of generic top-level domains that registries give through the ICANN Centralized Zone Data Service. ' +
    'The terms of that service limit what others may get. So it would show only matches for a watched name, never a whole zone. ' +
    'It is not built; all names of the sample end in .example and are not registered.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 60 requests and 60 downloads within one window of 30 days and the terms of the zone data allow it.',
  source: { name: 'ICANN Centralized Zone Data Service', url: 'https://czds.icann.org/' },
  dataFeeds: [
    { slug: 'new-lookalikes', name: 'New look-alikes', description: 'Names that resemble a watched name and were not in the zone the day before.', cadence: 'daily', dataset: 'lookalike-domains' },
    { slug: 'dropped-lookalikes', name: 'Dropped look-alikes', description: 'Names reported before that have left the zone.', cadence: 'daily', dataset: 'lookalike-domains' },
  ],
  sampleDatasets: [
    {
      slug: 'lookalike-domains',
      name: 'Look-alike domains (sample)',
      description: 'One row per name and watched name, newest first. All names are invented and end in .example.',
      fields: [
        { name: 'firstSeenDate', type: 'date', description: 'First day in the zone.' },
        { name: 'observationId', type: 'string', description: 'Identifier of the observation.' },
        { name: 'domain', type: 'string', description: 'Name as a reader sees it.' },
        { name: 'asciiDomain', type: 'string', description: 'Name as it stands in the zone, in ASCII.' },
        { name: 'watchedName', type: 'string', description: 'Name that is watched.' },
        { name: 'resemblance', type: 'string', description: 'How it resembles the watched name.' },
        { name: 'editDistance', type: 'integer', description: 'Letters that differ, as a count; null for an added word.' },
        { name: 'nameServer', type: 'string', description: 'First name server; null if it was not recorded.' },
        { name: 'takesMail', type: 'boolean', description: 'Whether it has a mail server; null if not yet checked.' },
        { name: 'signed', type: 'boolean', description: 'Whether it is signed with DNSSEC.' },
        { name: 'lastSeenDate', type: 'date', description: 'Last day in the zone; null while it is there.' },
      ],
      rows: [
        ['2026-08-15', 'SAMPLE-DN-0028', 'brindlemoor-support.example', 'brindlemoor-support.example', 'brindlemoor', 'added word', null, 'ns1.quickpark.example', null, false, null],
        ['2026-08-14', 'SAMPLE-DN-0027', 'brindlem0or.example', 'brindlem0or.example', 'brindlemoor', 'digit for letter', 1, 'ns1.quickpark.example', true, false, null],
        ['2026-08-13', 'SAMPLE-DN-0026', 'pebblewíck.example', 'xn--pebblewck-m5a.example', 'pebblewick', 'accented letter', 1, 'a.nest-dns.example', true, false, null],
        ['2026-08-12', 'SAMPLE-DN-0025', 'voltwhistel.example', 'voltwhistel.example', 'voltwhistle', 'swapped letters', 2, 'ns2.harbordns.example', false, false, null],
        ['2026-08-10', 'SAMPLE-DN-0024', 'login-nimbleport.example', 'login-nimbleport.example', 'nimbleport', 'added word', null, 'ns1.quickpark.example', true, false, null],
        ['2026-08-08', 'SAMPLE-DN-0023', 'nimblepoort.example', 'nimblepoort.example', 'nimbleport', 'doubled letter', 1, 'ns1.tulipzone.example', false, true, null],
        ['2026-08-07', 'SAMPLE-DN-0022', 'emberqui11.example', 'emberqui11.example', 'emberquill', 'digit for letter', 2, 'ns3.quickpark.example', true, false, '2026-08-13'],
        ['2026-08-05', 'SAMPLE-DN-0021', 'larkbellalarms-shop.example', 'larkbellalarms-shop.example', 'larkbell', 'added word', null, 'a.nest-dns.example', false, false, null],
        ['2026-08-03', 'SAMPLE-DN-0020', 'gantryvvell.example', 'gantryvvell.example', 'gantrywell', 'similar shape', 2, 'ns1.quickpark.example', true, false, null],
        ['2026-07-31', 'SAMPLE-DN-0019', 'kjokkenlund.example', 'kjokkenlund.example', 'kjøkkenlund', 'plain letter', 1, 'ns1.fjorddns.example', true, true, null],
        ['2026-07-30', 'SAMPLE-DN-0018', 'kjøkkenlund-salg.example', 'xn--kjkkenlund-salg-6tb.example', 'kjøkkenlund', 'added word', null, 'ns1.fjorddns.example', false, false, null],
        ['2026-07-27', 'SAMPLE-DN-0017', 'zephyrlime.example', 'zephyrlime.example', 'zephyrline', 'changed letter', 1, 'ns2.harbordns.example', false, false, null],
        ['2026-07-25', 'SAMPLE-DN-0016', 'zephyr-line.example', 'zephyr-line.example', 'zephyrline', 'added hyphen', 1, null, false, false, '2026-07-27'],
        ['2026-07-22', 'SAMPLE-DN-0015', 'pay-pennylark.example', 'pay-pennylark.example', 'pennylark', 'added word', null, 'ns1.quickpark.example', true, false, '2026-08-01'],
        ['2026-07-20', 'SAMPLE-DN-0014', 'pennylarc.example', 'pennylarc.example', 'pennylark', 'changed letter', 1, 'a.nest-dns.example', false, false, null],
        ['2026-07-16', 'SAMPLE-DN-0013', 'mossbyte-vpn-update.example', 'mossbyte-vpn-update.example', 'mossbyte', 'added word', null, 'ns1.quickpark.example', true, false, '2026-07-21'],
        ['2026-07-14', 'SAMPLE-DN-0012', 'mosbyte.example', 'mosbyte.example', 'mossbyte', 'missing letter', 1, 'ns1.tulipzone.example', false, false, null],
        ['2026-07-11', 'SAMPLE-DN-0011', 'quorumfiq.example', 'quorumfiq.example', 'quorumfig', 'similar shape', 1, 'ns3.quickpark.example', true, false, null],
        ['2026-07-07', 'SAMPLE-DN-0010', 'öreskär.example', 'xn--reskr-jra5j.example', 'oreskar', 'accented letter', 2, 'ns1.fjorddns.example', null, true, null],
        ['2026-07-03', 'SAMPLE-DN-0009', 'corvane-recall-refund.example', 'corvane-recall-refund.example', 'corvane', 'added word', null, 'ns1.quickpark.example', true, false, '2026-07-09'],
        ['2026-06-30', 'SAMPLE-DN-0008', 'tallowbytrucks.example', 'tallowbytrucks.example', 'tallowby', 'added word', null, 'ns2.harbordns.example', false, false, null],
        ['2026-06-26', 'SAMPLE-DN-0007', 'tal1owby.example', 'tal1owby.example', 'tallowby', 'digit for letter', 1, 'ns1.quickpark.example', true, false, '2026-07-02'],
        ['2026-06-21', 'SAMPLE-DN-0006', 'spoonhollovv.example', 'spoonhollovv.example', 'spoonhollow', 'similar shape', 2, 'a.nest-dns.example', false, false, null],
        ['2026-06-15', 'SAMPLE-DN-0005', 'frostpipe-invoice.example', 'frostpipe-invoice.example', 'frostpipe', 'added word', null, 'ns1.quickpark.example', true, false, '2026-06-19'],
        ['2026-06-09', 'SAMPLE-DN-0004', 'frostpip.example', 'frostpip.example', 'frostpipe', 'missing letter', 1, null, false, false, null],
        ['2026-05-30', 'SAMPLE-DN-0003', 'wickerstack-jobs.example', 'wickerstack-jobs.example', 'wickerstack', 'added word', null, 'ns1.tulipzone.example', true, false, '2026-06-22'],
        ['2026-05-20', 'SAMPLE-DN-0002', 'wickerstak.example', 'wickerstak.example', 'wickerstack', 'missing letter', 1, 'ns2.harbordns.example', false, false, null],
        ['2026-05-09', 'SAMPLE-DN-0001', 'clavenok.example', 'clavenok.example', 'clavenook', 'missing letter', 1, 'ns1.quickpark.example', false, false, '2026-05-12'],
      ],
    },
  ],
  workflows: [
    {
      slug: 'brand-lookalike-watch',
      name: 'Brand look-alike watch',
      headline: 'See names that imitate yours on the day after they appear',
      description: 'A brand team would ask daily for its own name, look at the new matches and start a complaint where one is needed.',
      path: '/v1/domains/czds/lookalikes',
      parameters: [
        { name: 'watchedName', type: 'text', description: 'Name that is watched.', example: 'brindlemoor' },
        { name: 'since', type: 'date', description: 'First day in the zone to include.', example: '2026-08-01' },
      ],
      dataset: 'lookalike-domains',
    },
    {
      slug: 'mail-fraud-screen',
      name: 'Mail fraud screen',
      headline: 'Hold mail from young names that resemble a supplier',
      description: 'A fraud desk would load the look-alikes that share a name server known for abuse and hold invoices that come from them.',
      path: '/v1/domains/czds/name-servers',
      parameters: [
        { name: 'nameServer', type: 'text', description: 'Host name of a name server.', example: 'ns1.quickpark.example' },
        { name: 'since', type: 'date', description: 'First day in the zone to include.', example: '2026-07-01' },
      ],
      dataset: 'lookalike-domains',
    },
  ],
};
