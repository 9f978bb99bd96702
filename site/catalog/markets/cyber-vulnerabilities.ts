import type { Market } from '../../content/market.ts';

/** Published vulnerabilities, with what is known about their use. */
export const cyberVulnerabilities: Market = {
  slug: 'cyber-vulnerabilities',
  name: 'Cyber vulnerabilities',
  headline: 'New software vulnerabilities with severity, fix and known exploitation in a single row',
  description:
    'Security teams, software buyers and cyber insurers would use it to rank what to patch first and to watch the vendors they depend on. ' +
    'It would join the National Vulnerability Database with the catalog of known exploited vulnerabilities that CISA keeps, and show each later change of score or status. ' +
    'It would describe vulnerabilities and would hold no code that uses them. ' +
    'It is not built; vendors, products and identifiers of the sample are invented, and neither agency endorses it.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 80 requests and 120 downloads within one window of 30 days.',
  source: { name: 'National Vulnerability Database, joined with the CISA catalog of known exploited vulnerabilities', url: 'https://nvd.nist.gov/developers/vulnerabilities' },
  dataFeeds: [
    { slug: 'new-vulnerabilities', name: 'New vulnerabilities', description: 'Entries as they are published, scored or not.', cadence: 'every 2 hours', dataset: 'vulnerabilities' },
    { slug: 'known-exploited', name: 'Known exploited', description: 'Entries that were added to the catalog of known exploited vulnerabilities.', cadence: 'daily', dataset: 'vulnerabilities' },
    { slug: 'changed-scores', name: 'Changed scores', description: 'Entries whose severity score was set or changed.', cadence: 'daily', dataset: 'vulnerabilities' },
  ],
  sampleDatasets: [
    {
      slug: 'vulnerabilities',
      name: 'Vulnerabilities (sample)',
      description: 'One row per vulnerability, newest first. Weakness codes are real, everything else is invented.',
      fields: [
        { name: 'publishedDate', type: 'date', description: 'Day of publication.' },
        { name: 'vulnerabilityId', type: 'string', description: 'Identifier of the vulnerability.' },
        { name: 'vendor', type: 'string', description: 'Maker of the product.' },
        { name: 'product', type: 'string', description: 'Product that is affected.' },
        { name: 'affectedVersions', type: 'string', description: 'Versions that are affected; null for a hosted service.' },
        { name: 'weakness', type: 'string', description: 'Kind of weakness, by its CWE code; null if not assigned.' },
        { name: 'score', type: 'number', description: 'CVSS base score from 0 to 10; null until it is scored.' },
        { name: 'severity', type: 'string', description: 'Severity that follows from the score; null until it is scored.' },
        { name: 'knownExploitedDate', type: 'date', description: 'Day it was listed as exploited; null if it is not listed.' },
        { name: 'fixedIn', type: 'string', description: 'First version with a fix; null if there is none.' },
        { name: 'summary', type: 'string', description: 'What an attacker can do, in one line.' },
      ],
      rows: [
        ['2026-08-15', 'SAMPLE-CVE-0028', 'Lattice Heron', 'Heron Gateway', 'before 7.4.2', null, null, null, null, '7.4.2', 'Login page answers without a session'],
        ['2026-08-14', 'SAMPLE-CVE-0027', 'Mossbyte', 'Burrow VPN', '3.0 to 3.2', 'CWE-306', 9.8, 'Critical', '2026-08-15', null, 'Unauthenticated access to the admin interface'],
        ['2026-08-13', 'SAMPLE-CVE-0026', 'Quorumfig', 'Ledgerbox', 'before 12.1', 'CWE-89', 8.8, 'High', null, '12.1', 'SQL injection through the "sort" parameter'],
        ['2026-08-11', 'SAMPLE-CVE-0025', 'Brasswick', 'Camlet C200 firmware', 'all', 'CWE-798', 9.1, 'Critical', null, null, 'Fixed password in firmware, product out of support'],
        ['2026-08-10', 'SAMPLE-CVE-0024', 'Tinderwrite', 'Tinderwrite Editor', 'before 5.0.9', 'CWE-79', 5.4, 'Medium', null, '5.0.9', 'Stored script in shared notes'],
        ['2026-08-06', 'SAMPLE-CVE-0023', 'Öreskär Data', 'Skär Backup', '9.0, 9.1', 'CWE-502', 9.8, 'Critical', '2026-08-08', '9.2', 'Code execution when a crafted archive is restored'],
        ['2026-08-05', 'SAMPLE-CVE-0022', 'Pennylark', 'Till Terminal', 'before 2.8', 'CWE-295', 6.8, 'Medium', null, '2.8', 'Certificate is not checked during update'],
        ['2026-08-03', 'SAMPLE-CVE-0021', 'Lattice Heron', 'Heron Mail', 'before 4.11', 'CWE-22', 7.5, 'High', '2026-08-10', '4.11', 'Any file can be read through an attachment path'],
        ['2026-07-30', 'SAMPLE-CVE-0020', 'Graphcobble', 'cobble-parser', '1.0.0 to 1.6.3', 'CWE-400', 7.5, 'High', null, '1.6.4', 'Nested input uses up memory'],
        ['2026-07-29', 'SAMPLE-CVE-0019', 'Wickerstack', 'Wicker CI', 'before 2026.3', 'CWE-78', 8.8, 'High', null, '2026.3', 'Branch names reach the shell'],
        ['2026-07-27', 'SAMPLE-CVE-0018', 'Fathomleaf', 'Leaf Sensor Hub', 'before 1.9', 'CWE-120', 8.1, 'High', null, '1.9', 'Long device name overruns a buffer'],
        ['2026-07-23', 'SAMPLE-CVE-0017', 'Mossbyte', 'Burrow VPN', 'before 3.0.8', 'CWE-287', 8.2, 'High', '2026-07-30', '3.0.8', 'Second factor can be skipped'],
        ['2026-07-22', 'SAMPLE-CVE-0016', 'Clavenook', 'Clave Player', 'before 14.2', 'CWE-416', 7.8, 'High', null, '14.2', 'Crafted subtitle file runs code'],
        ['2026-07-20', 'SAMPLE-CVE-0015', 'Quorumfig', 'Fig Portal', '6.x', 'CWE-918', 6.5, 'Medium', null, '6.8.1', 'Server can be made to call inner addresses'],
        ['2026-07-16', 'SAMPLE-CVE-0014', 'Thimblenet', 'Thimble Switch OS', 'before 8.2(3)', 'CWE-77', 7.2, 'High', null, '8.2(3)', 'Administrator can run system commands'],
        ['2026-07-14', 'SAMPLE-CVE-0013', 'Brasswick', 'Lockwren door reader', 'before 1.3', 'CWE-862', 9.4, 'Critical', null, '1.3', 'Door opens on a replayed message'],
        ['2026-07-09', 'SAMPLE-CVE-0012', 'Tinderwrite', 'Tinderwrite Sync', 'before 5.0.6', 'CWE-352', 4.3, 'Medium', null, '5.0.6', 'A link can change sharing settings'],
        ['2026-07-08', 'SAMPLE-CVE-0011', 'Pennylark', 'Shopfinch', 'before 3.4.0', 'CWE-434', 9.8, 'Critical', '2026-07-13', '3.4.0', 'Upload of product images accepts scripts'],
        ['2026-07-02', 'SAMPLE-CVE-0010', 'Wickerstack', 'Wicker Registry', 'before 2026.2', 'CWE-863', 6.5, 'Medium', null, '2026.2', 'Reader role can delete packages'],
        ['2026-06-30', 'SAMPLE-CVE-0009', 'Graphcobble', 'cobble-image', 'before 0.22', 'CWE-787', 8.8, 'High', null, '0.22', 'Out-of-bounds write while decoding'],
        ['2026-06-25', 'SAMPLE-CVE-0008', 'Öreskär Data', 'Skär Cloud Agent', 'before 2.5', 'CWE-269', 7.8, 'High', null, '2.5', 'Local user becomes administrator'],
        ['2026-06-23', 'SAMPLE-CVE-0007', 'Fathomleaf', 'Leaf Irrigation', 'all', 'CWE-319', 3.7, 'Low', null, null, 'Settings are sent without encryption'],
        ['2026-06-17', 'SAMPLE-CVE-0006', 'Clavenook', 'Clave Meet', 'before 9.7', 'CWE-200', 5.3, 'Medium', null, '9.7', 'Meeting titles are visible to guests'],
        ['2026-06-11', 'SAMPLE-CVE-0005', 'Thimblenet', 'Thimble Router R4', 'before 4.0.1', 'CWE-78', 9.8, 'Critical', '2026-06-12', '4.0.1', 'Command injection on the outer interface'],
        ['2026-06-03', 'SAMPLE-CVE-0004', 'Lattice Heron', 'Heron Forms', 'before 2.2', 'CWE-94', 8.6, 'High', null, '2.2', 'Template input is run as code'],
        ['2026-05-27', 'SAMPLE-CVE-0003', 'Graphcobble', 'cobble-xml', '2.x before 2.9.1', 'CWE-611', 7.1, 'High', null, '2.9.1', 'External entities are read'],
        ['2026-05-19', 'SAMPLE-CVE-0002', 'Pennylark', 'Till Cloud', null, 'CWE-639', 6.5, 'Medium', null, null, 'Receipts of other shops can be fetched; fixed by the vendor in the service'],
        ['2026-05-06', 'SAMPLE-CVE-0001', 'Mossbyte', 'Den File Share', 'before 1.14', 'CWE-190', 7.5, 'High', '2026-06-02', '1.14', 'Integer overflow stops the service'],
      ],
    },
  ],
  workflows: [
    {
      slug: 'vendor-watch',
      name: 'Vendor watch',
      headline: 'Hear about new vulnerabilities of the vendors you depend on',
      description: 'A security team would ask for its vendors every few hours and open a ticket for each entry above a score.',
      path: '/v1/cyber/nvd/vulnerabilities',
      parameters: [
        { name: 'vendor', type: 'text', description: 'Maker of the product.', example: 'Mossbyte' },
        { name: 'since', type: 'date', description: 'First day of publication to include.', example: '2026-07-01' },
      ],
      dataset: 'vulnerabilities',
    },
    {
      slug: 'patch-first-list',
      name: 'Patch-first list',
      headline: 'Work through vulnerabilities that are known to be exploited, newest first',
      description: 'An administrator would read the exploited entries of a severity, check versions and patch in that order.',
      path: '/v1/cyber/cisa/known-exploited',
      parameters: [
        { name: 'severity', type: 'text', description: 'Severity to include.', example: 'Critical' },
        { name: 'since', type: 'date', description: 'First day of listing to include.', example: '2026-06-01' },
      ],
      dataset: 'vulnerabilities',
    },
  ],
};
