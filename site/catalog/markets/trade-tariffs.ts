import type { Market } from '../../content/market.ts';

/** Changes of import duty rates. */
export const tradeTariffs: Market = {
  slug: 'trade-tariffs',
  name: 'Trade tariffs',
  headline: 'Changes of import duty by tariff subheading: old rate, new rate and first day it applies',
  description:
    'Importers, customs brokers and sourcing teams would use it to see which of their tariff lines change and what that does to landed cost. ' +
    'It would compare each revision of the Harmonized Tariff Schedule of the International Trade Commission with the one before and publish only what differs. ' +
    'It would report rates as published and would not classify goods or give customs advice. ' +
    'It is not built; subheadings of the sample are real, all rates and changes are invented.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 50 requests and 75 downloads within one window of 30 days.',
  source: { name: 'US International Trade Commission, Harmonized Tariff Schedule', url: 'https://hts.usitc.gov/' },
  dataFeeds: [
    { slug: 'rate-changes', name: 'Rate changes', description: 'Lines whose rate differs from the revision before.', cadence: 'with each revision, checked daily', dataset: 'duty-changes' },
    { slug: 'ending-exclusions', name: 'Ending exclusions', description: 'Reduced rates and exclusions that end within the next 60 days.', cadence: 'weekly', dataset: 'duty-changes' },
  ],
  sampleDatasets: [
    {
      slug: 'duty-changes',
      name: 'Duty changes (sample)',
      description: 'One row per subheading and rate column, newest first. Subheadings are real, rates are invented and apply nowhere.',
      fields: [
        { name: 'effectiveDate', type: 'date', description: 'First day on which the new rate applies.' },
        { name: 'changeId', type: 'string', description: 'Identifier of the change.' },
        { name: 'subheading', type: 'string', description: 'Tariff subheading, six digits with a dot.' },
        { name: 'goods', type: 'string', description: 'Goods of the subheading, in short.' },
        { name: 'rateColumn', type: 'string', description: 'Column of the schedule: general, special or additional.' },
        { name: 'previousRate', type: 'string', description: 'Rate before, as the schedule would write it; null for a new line.' },
        { name: 'newRate', type: 'string', description: 'Rate from the effective date, as the schedule would write it.' },
        { name: 'changePoints', type: 'number', description: 'Change in percentage points; null if a rate is by weight or number.' },
        { name: 'unitOfQuantity', type: 'string', description: 'Unit in which the goods are counted.' },
        { name: 'endDate', type: 'date', description: 'Last day of a temporary rate; null if it has no end.' },
        { name: 'legalBasis', type: 'string', description: 'What the change rests on; null if the revision does not say.' },
      ],
      rows: [
        ['2026-08-15', 'SAMPLE-TC-0028', '8507.60', 'Lithium-ion batteries', 'additional', '7.5%', '10%', 2.5, 'No.', null, 'Proclamation'],
        ['2026-08-15', 'SAMPLE-TC-0027', '8541.43', 'Photovoltaic cells in modules or panels', 'additional', '14%', '12.5%', -1.5, 'No., W', null, 'Proclamation'],
        ['2026-08-12', 'SAMPLE-TC-0026', '9403.60', 'Wooden furniture, other', 'general', 'Free', '2%', 2, 'No.', null, 'Act of Congress'],
        ['2026-08-10', 'SAMPLE-TC-0025', '0901.11', 'Coffee, not roasted, with caffeine', 'additional', '5%', 'Free', -5, 'kg', null, 'Proclamation'],
        ['2026-08-07', 'SAMPLE-TC-0024', '7318.15', 'Screws and bolts of iron or steel', 'additional', '20%', '22.5%', 2.5, 'kg', null, 'Proclamation'],
        ['2026-08-03', 'SAMPLE-TC-0023', '6109.10', 'T-shirts of cotton, knitted', 'special', '16%', '12%', -4, 'doz., kg', '2026-08-15', 'Trade agreement'],
        ['2026-08-01', 'SAMPLE-TC-0022', '0804.40', 'Avocados', 'special', '6.6¢/kg', '3.3¢/kg', null, 'kg', null, 'Trade agreement'],
        ['2026-08-01', 'SAMPLE-TC-0021', '2204.21', 'Wine in containers of 2 liters or less', 'general', '6.3¢/liter', '6.5¢/liter', null, 'liters', null, null],
        ['2026-07-28', 'SAMPLE-TC-0020', '8712.00', 'Bicycles without motor', 'general', '11%', '9.5%', -1.5, 'No.', null, 'Act of Congress'],
        ['2026-07-24', 'SAMPLE-TC-0019', '8711.60', 'Electric motorcycles and cycles', 'additional', null, '5%', 5, 'No.', null, 'Proclamation'],
        ['2026-07-20', 'SAMPLE-TC-0018', '4011.10', 'New tires for passenger cars', 'general', '4%', '4.5%', 0.5, 'No.', null, null],
        ['2026-07-16', 'SAMPLE-TC-0017', '9503.00', 'Toys, scale models and puzzles', 'additional', '3%', 'Free', -3, 'No.', '2026-08-14', 'Exclusion'],
        ['2026-07-15', 'SAMPLE-TC-0016', '7604.29', 'Aluminum alloy bars and profiles, other', 'additional', '15%', '18%', 3, 'kg', null, 'Proclamation'],
        ['2026-07-10', 'SAMPLE-TC-0015', '8415.10', 'Air conditioners, window or wall', 'general', '1.5%', '1%', -0.5, 'No.', null, null],
        ['2026-07-08', 'SAMPLE-TC-0014', '0302.14', 'Salmon, fresh or chilled', 'special', '1%', 'Free', -1, 'kg', null, 'Trade agreement'],
        ['2026-07-06', 'SAMPLE-TC-0013', '4202.92', 'Bags and cases, textile or plastic surface', 'additional', '7.5%', 'Free', -7.5, 'No., kg', '2026-08-05', 'Exclusion'],
        ['2026-07-01', 'SAMPLE-TC-0012', '6403.99', 'Footwear with leather uppers, other', 'general', '10%', '9.2%', -0.8, 'prs.', null, null],
        ['2026-07-01', 'SAMPLE-TC-0011', '6911.10', 'Tableware and kitchenware of porcelain', 'special', '8%', '4%', -4, 'doz. pcs.', null, 'Trade agreement'],
        ['2026-06-26', 'SAMPLE-TC-0010', '8471.30', 'Portable computers', 'additional', null, '2.5%', 2.5, 'No.', '2026-07-31', 'Proclamation'],
        ['2026-06-22', 'SAMPLE-TC-0009', '4412.33', 'Plywood, outer ply of "nonconiferous" wood', 'additional', '6%', '8%', 2, 'm³', null, 'Proclamation'],
        ['2026-06-18', 'SAMPLE-TC-0008', '8481.80', 'Taps, cocks and valves, other', 'general', '3%', '2.8%', -0.2, 'No., kg', null, null],
        ['2026-06-15', 'SAMPLE-TC-0007', '9506.91', 'Exercise equipment', 'additional', '7.5%', '4%', -3.5, 'No.', null, 'Exclusion'],
        ['2026-06-11', 'SAMPLE-TC-0006', '7210.49', 'Flat-rolled steel, zinc coated', 'additional', '20%', '22.5%', 2.5, 'kg', null, 'Proclamation'],
        ['2026-06-05', 'SAMPLE-TC-0005', '8544.42', 'Insulated conductors with connectors', 'general', '2.6%', '2%', -0.6, 'No.', null, null],
        ['2026-06-01', 'SAMPLE-TC-0004', '0406.90', 'Cheese, other (Gruyère, queso añejo)', 'special', '10%', '7.5%', -2.5, 'kg', null, 'Trade agreement'],
        ['2026-05-21', 'SAMPLE-TC-0003', '9018.90', 'Medical instruments, other', 'additional', '5%', 'Free', -5, 'No.', '2026-08-15', 'Exclusion'],
        ['2026-05-13', 'SAMPLE-TC-0002', '3926.90', 'Articles of plastics, other', 'general', '5.3%', '5%', -0.3, 'kg', null, null],
        ['2026-05-04', 'SAMPLE-TC-0001', '6110.20', 'Sweaters and pullovers of cotton', 'special', '16.5%', '11%', -5.5, 'doz., kg', null, 'Trade agreement'],
      ],
    },
  ],
  workflows: [
    {
      slug: 'tariff-line-watch',
      name: 'Tariff line watch',
      headline: 'Learn when the duty on one of your tariff lines changes',
      description: 'An importer would keep its subheadings on a list, ask after each revision and correct the landed cost of open orders.',
      path: '/v1/trade/usitc/duty-changes',
      parameters: [
        { name: 'subheading', type: 'text', description: 'Tariff subheading, six digits with a dot.', example: '8507.60' },
        { name: 'since', type: 'date', description: 'First effective date to include.', example: '2026-07-01' },
      ],
      dataset: 'duty-changes',
    },
    {
      slug: 'ending-relief',
      name: 'Ending relief',
      headline: 'See temporary rates before they run out',
      description: 'A customs broker would list temporary rates of a column by their last day and warn clients in time to ship earlier.',
      path: '/v1/trade/usitc/ending-rates',
      parameters: [
        { name: 'rateColumn', type: 'text', description: 'Column of the schedule.', example: 'additional' },
        { name: 'endsAfter', type: 'date', description: 'First end date to include.', example: '2026-08-01' },
      ],
      dataset: 'duty-changes',
    },
  ],
};
