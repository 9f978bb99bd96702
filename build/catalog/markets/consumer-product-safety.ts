import type { Market } from '../content.ts';

/** Recalls of consumer products, from the safety commission's public recall notices. */
export const consumerProductSafety: Market = {
  slug: 'consumer-product-safety',
  name: 'Consumer product safety',
  headline: 'Every consumer product recall as one clean row: product, hazard, remedy, units and maker',
  description:
    'Retailers, marketplaces, insurers and sourcing teams would use it to learn that something they sell, cover or buy has been recalled. ' +
    'It would read the recall notices that the Consumer Product Safety Commission publishes and keep one row per recall, with amended notices told apart from new ones. ' +
    'It would not replace the notice itself: each row would link to it. ' +
    'It is not built; what you see here is an invented sample of its shape.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 40 requests and 60 downloads within one window of 30 days.',
  source: {
    name: 'US Consumer Product Safety Commission, recall API',
    url: 'https://www.cpsc.gov/Recalls/CPSC-Recalls-Application-Program-Interface-API-Information',
  },
  dataFeeds: [
    { slug: 'new-recalls', name: 'New recalls', description: 'Recall notices on the day they are published.', cadence: 'daily', dataset: 'product-recalls' },
    { slug: 'amended-recalls', name: 'Amended recalls', description: 'Notices whose units, remedy or hazard changed after they were first published.', cadence: 'daily', dataset: 'product-recalls' },
    { slug: 'recall-month', name: 'Recalls of the month', description: 'All recalls of a calendar month in one file, for records and reporting.', cadence: 'monthly', dataset: 'product-recalls' },
  ],
  sampleDatasets: [
    {
      slug: 'product-recalls',
      name: 'Product recalls (sample)',
      description: 'One row per recall of a consumer product, newest first. All rows are invented.',
      fields: [
        { name: 'recallDate', type: 'date', description: 'Day on which the recall was published.' },
        { name: 'recallId', type: 'string', description: 'Identifier of the recall.' },
        { name: 'productName', type: 'string', description: 'Product as the notice names it.' },
        { name: 'category', type: 'string', description: 'Kind of product.' },
        { name: 'hazard', type: 'string', description: 'What may happen to a user.' },
        { name: 'remedy', type: 'string', description: 'What the buyer is offered; null if nothing is offered yet.' },
        { name: 'units', type: 'integer', description: 'Units covered by the recall, as a count.' },
        { name: 'manufacturer', type: 'string', description: 'Maker or importer; null if the notice names none.' },
        { name: 'sourceUrl', type: 'string', description: 'Address of the notice; in this sample an address on example.com.' },
      ],
      rows: [
        ['2026-08-13', 'SAMPLE-RC-0028', 'Gooseneck electric kettle, 1.2 litre', 'Kitchen appliances', 'Burn: the lid can open while pouring', 'Replace', 41200, 'Brindlemoor Kettles', 'https://example.com/samples/recalls/SAMPLE-RC-0028'],
        ['2026-08-11', 'SAMPLE-RC-0027', 'Folding step stool "Tall Finch"', 'Household', 'Fall: the rear leg lock can release', 'Refund', 18650, 'Oddlark Home Goods', 'https://example.com/samples/recalls/SAMPLE-RC-0027'],
        ['2026-08-07', 'SAMPLE-RC-0026', 'Magnetic tile set, 88 pieces', 'Toys', 'Ingestion: small magnets can come loose', 'Refund', 126000, 'Pebblewick Playthings', 'https://example.com/samples/recalls/SAMPLE-RC-0026'],
        ['2026-08-06', 'SAMPLE-RC-0025', 'Cordless hedge trimmer HT-40', 'Garden tools', 'Laceration: the blade can run on after release', 'Repair', 9340, 'Sample Harbor Tools Co.', 'https://example.com/samples/recalls/SAMPLE-RC-0025'],
        ['2026-08-04', 'SAMPLE-RC-0024', 'Convertible crib, walnut finish', 'Nursery', 'Entrapment: the mattress support can detach', 'Replace', 5120, 'Thistledown & Quay Nursery', 'https://example.com/samples/recalls/SAMPLE-RC-0024'],
        ['2026-07-30', 'SAMPLE-RC-0023', 'E-bike battery pack, 48 V', 'Micromobility', 'Fire: cells can overheat while charging', null, 22870, null, 'https://example.com/samples/recalls/SAMPLE-RC-0023'],
        ['2026-07-28', 'SAMPLE-RC-0022', 'Ceramic space heater, 1500 W', 'Heating and cooling', 'Fire: the plug can overheat', 'Refund', 73400, 'Emberquill Heating', 'https://example.com/samples/recalls/SAMPLE-RC-0022'],
        ['2026-07-24', 'SAMPLE-RC-0021', 'Children’s pajamas, two-piece, cotton', 'Clothing', 'Burn: fails the flammability standard', 'Refund', 3275, 'Moth & Lantern Sleepwear', 'https://example.com/samples/recalls/SAMPLE-RC-0021'],
        ['2026-07-23', 'SAMPLE-RC-0020', 'Pressure cooker, 6 quart', 'Kitchen appliances', 'Burn: the lid can unlock under pressure', 'Replace', 94800, 'Kjøkkenlund Cookware', 'https://example.com/samples/recalls/SAMPLE-RC-0020'],
        ['2026-07-21', 'SAMPLE-RC-0019', 'Nine-drawer dresser', 'Furniture', 'Tip-over: unstable if not anchored to the wall', 'Repair', 15730, 'Farrowmere Furniture Works', 'https://example.com/samples/recalls/SAMPLE-RC-0019'],
        ['2026-07-16', 'SAMPLE-RC-0018', 'Youth bicycle helmet, size S', 'Sports and recreation', 'Head injury: fails the impact test', 'Refund', 6480, 'Zephyrline Cycling', 'https://example.com/samples/recalls/SAMPLE-RC-0018'],
        ['2026-07-14', 'SAMPLE-RC-0017', 'Portable power bank, 20,000 mAh', 'Electronics', 'Fire: the battery can overheat', 'Refund', 209500, 'Voltwhistle Electronics', 'https://example.com/samples/recalls/SAMPLE-RC-0017'],
        ['2026-07-09', 'SAMPLE-RC-0016', 'Gas grill with side burner', 'Outdoor cooking', 'Fire: the regulator hose can leak', 'Repair', 11900, 'Cinderpost Grills', 'https://example.com/samples/recalls/SAMPLE-RC-0016'],
        ['2026-07-07', 'SAMPLE-RC-0015', 'Bath seat for infants', 'Nursery', 'Drowning: the seat can tip over', 'Refund', 2890, 'Wobblecot Baby Products', 'https://example.com/samples/recalls/SAMPLE-RC-0015'],
        ['2026-07-01', 'SAMPLE-RC-0014', 'Smoke and carbon monoxide alarm, combined', 'Home safety', 'Failure to alert to a fire', 'Replace', 38050, 'Larkbell Alarms', 'https://example.com/samples/recalls/SAMPLE-RC-0014'],
        ['2026-06-25', 'SAMPLE-RC-0013', 'Scented candle "Crème de Fjord", 3 wicks', 'Household', 'Laceration: the glass can shatter', 'Refund', 27600, 'Moth & Lantern Sleepwear', 'https://example.com/samples/recalls/SAMPLE-RC-0013'],
        ['2026-06-24', 'SAMPLE-RC-0012', 'Table saw with riving knife, 10 inch', 'Power tools', 'Laceration: the guard can jam open', 'Repair', 4410, 'Sample Harbor Tools Co.', 'https://example.com/samples/recalls/SAMPLE-RC-0012'],
        ['2026-06-18', 'SAMPLE-RC-0011', 'Adjustable dumbbell, 5 to 50 pounds', 'Sports and recreation', 'Impact: plates can drop off', 'Repair', 56700, 'Ironpuddle Fitness', 'https://example.com/samples/recalls/SAMPLE-RC-0011'],
        ['2026-06-17', 'SAMPLE-RC-0010', 'Wooden train with whistle', 'Toys', 'Choking: the whistle can detach', 'Replace', 7925, 'Pebblewick Playthings', 'https://example.com/samples/recalls/SAMPLE-RC-0010'],
        ['2026-06-11', 'SAMPLE-RC-0009', 'Portable bed rail for adults', 'Home health', 'Entrapment between rail and mattress', 'Refund', 33140, 'Gentlewick Home Care', 'https://example.com/samples/recalls/SAMPLE-RC-0009'],
        ['2026-06-09', 'SAMPLE-RC-0008', 'Dehumidifier, 35 pint', 'Heating and cooling', 'Fire: the compressor can short circuit', 'Refund', 148300, 'Emberquill Heating', 'https://example.com/samples/recalls/SAMPLE-RC-0008'],
        ['2026-06-04', 'SAMPLE-RC-0007', 'Trampoline, 14 foot, with net', 'Sports and recreation', 'Fall: a weld of the frame can crack', 'Repair', 8260, 'Zephyrline Cycling', 'https://example.com/samples/recalls/SAMPLE-RC-0007'],
        ['2026-05-28', 'SAMPLE-RC-0006', 'Rattan egg chair, hanging', 'Furniture', 'Fall: the hook can bend under load', 'Refund', 12480, 'Farrowmere Furniture Works', 'https://example.com/samples/recalls/SAMPLE-RC-0006'],
        ['2026-05-27', 'SAMPLE-RC-0005', 'Immersion blender, 2 speed', 'Kitchen appliances', 'Laceration: can start when plugged in', 'Replace', 61000, 'Kjøkkenlund Cookware', 'https://example.com/samples/recalls/SAMPLE-RC-0005'],
        ['2026-05-21', 'SAMPLE-RC-0004', 'LED string lights, 50 foot', 'Electronics', 'Shock: the insulation can crack', 'Refund', 19800, 'Voltwhistle Electronics', 'https://example.com/samples/recalls/SAMPLE-RC-0004'],
        ['2026-05-14', 'SAMPLE-RC-0003', 'Electric kick scooter, 250 W', 'Micromobility', 'Fall: the steering column can fold while riding', 'Repair', 3660, 'Zephyrline Cycling', 'https://example.com/samples/recalls/SAMPLE-RC-0003'],
        ['2026-05-12', 'SAMPLE-RC-0002', 'Liquid drain opener, 32 ounce', 'Household chemicals', 'Chemical burn: the cap is not child-resistant', 'Refund', 87450, 'Drizzlecroft Cleaning Supply', 'https://example.com/samples/recalls/SAMPLE-RC-0002'],
        ['2026-05-05', 'SAMPLE-RC-0001', 'Weighted blanket for children, 5 pounds', 'Bedding', 'Asphyxiation: a child can get inside the cover', 'Refund', 24310, 'Moth & Lantern Sleepwear', 'https://example.com/samples/recalls/SAMPLE-RC-0001'],
      ],
    },
  ],
  workflows: [
    {
      slug: 'manufacturer-recall-alerts',
      name: 'Manufacturer recall alerts',
      headline: 'Know on the same day when a maker you buy from recalls a product',
      description: 'A sourcing or marketplace team would ask once a day with the makers on its list and act on each new recall: stop the listing, hold the stock, tell the buyers.',
      path: '/v1/products/cpsc/recall-alerts',
      parameters: [
        { name: 'manufacturer', type: 'text', description: 'Maker or importer to watch.', example: 'Brindlemoor Kettles' },
        { name: 'since', type: 'date', description: 'First day of publication to include.', example: '2026-07-01' },
      ],
      dataset: 'product-recalls',
    },
    {
      slug: 'category-recall-review',
      name: 'Category recall review',
      headline: 'See what goes wrong in a product category before you enter it',
      description: 'A product manager or underwriter would list the recalls of a category, compare hazards and units, and decide what to test for or how to price the risk.',
      path: '/v1/products/cpsc/recalls',
      parameters: [
        { name: 'category', type: 'text', description: 'Kind of product.', example: 'Kitchen appliances' },
        { name: 'since', type: 'date', description: 'First day of publication to include.', example: '2026-05-01' },
      ],
      dataset: 'product-recalls',
    },
  ],
};
