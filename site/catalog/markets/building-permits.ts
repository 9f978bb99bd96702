import type { Market } from '../../content/market.ts';

/** Building permits that cities publish. */
export const buildingPermits: Market = {
  slug: 'building-permits',
  name: 'Building permits',
  headline: 'City building permits in one format: work, cost, floor area, contractor and days to issue',
  description:
    'Building suppliers, contractors, lenders and property analysts would use it to see where work starts, what it costs and how long a city takes to permit it. ' +
    'It would read the open-data portals of cities, which all use different columns, and bring them into one format. Chicago would be the first city. ' +
    'It would not hold the names or addresses of private owners. ' +
    'It is not built; cities, streets and contractors of the sample are invented.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 50 requests and 50 downloads within one window of 30 days.',
  source: { name: 'City open-data portals, first the City of Chicago building permits', url: 'https://data.cityofchicago.org/Buildings/Building-Permits/ydr8-5enu' },
  dataFeeds: [
    { slug: 'issued-permits', name: 'Issued permits', description: 'Permits of all covered cities on the day after issue.', cadence: 'daily', dataset: 'permits' },
    { slug: 'large-projects', name: 'Large projects', description: 'Permits with an estimated cost of one million US dollars or more.', cadence: 'weekly', dataset: 'permits' },
  ],
  sampleDatasets: [
    {
      slug: 'permits',
      name: 'Building permits (sample)',
      description: 'One row per permit, newest first by day of issue, or of application where there is none. Cities, streets and firms are invented.',
      fields: [
        { name: 'issuedDate', type: 'date', description: 'Day on which the permit was issued; null if it is in review or was withdrawn.' },
        { name: 'appliedDate', type: 'date', description: 'Day of the application.' },
        { name: 'permitId', type: 'string', description: 'Identifier of the permit.' },
        { name: 'city', type: 'string', description: 'City that issues it.' },
        { name: 'permitType', type: 'string', description: 'Kind of permit.' },
        { name: 'workDescription', type: 'string', description: 'Work in the words of the application.' },
        { name: 'street', type: 'string', description: 'Street of the site, without a house number.' },
        { name: 'contractor', type: 'string', description: 'Contractor; null if the owner does the work.' },
        { name: 'estimatedCostUsd', type: 'integer', description: 'Estimated cost, in US dollars; null if not given.' },
        { name: 'floorAreaSquareFeet', type: 'integer', description: 'Floor area concerned, in square feet; null if not given.' },
        { name: 'status', type: 'string', description: 'In review, issued, finished or withdrawn.' },
      ],
      rows: [
        ['2026-08-14', '2026-08-14', 'SAMPLE-BP-0026', 'Fictive Falls', 'Electrical', 'Panel upgrade to 200 A', 'Quailfeather Lane', 'Sparkwhistle Electric', 4200, null, 'Issued'],
        ['2026-08-13', '2026-08-11', 'SAMPLE-BP-0025', 'Sampleton', 'Roofing', 'Tear-off and shingle', 'Old Sieve Road', 'Fernhatch Roofing Cooperative', 18900, 2100, 'Issued'],
        [null, '2026-08-12', 'SAMPLE-BP-0028', 'Port Exemplar', 'New construction', 'Warehouse, single story, 6 docks', 'Tidepost Road', 'Gantrywell Builders', 4850000, 62000, 'In review'],
        ['2026-08-11', '2026-06-22', 'SAMPLE-BP-0024', 'Mockingdale', 'New construction', 'Four-unit townhouse, wood frame', 'Nettlebank Terrace', 'Rookery & Beam', 1280000, 7640, 'Issued'],
        ['2026-08-07', '2026-07-30', 'SAMPLE-BP-0023', 'Port Exemplar', 'Mechanical', 'Replace two rooftop units, 10 tons each', 'Anchorchain Avenue', 'Frostpipe Mechanical', 46500, null, 'Issued'],
        ['2026-08-06', '2026-08-05', 'SAMPLE-BP-0022', 'Fictive Falls', 'Solar', 'Rooftop solar, 7.2 kW', 'Crumhorn Court', 'Beamsparrow Solar', 21300, null, 'Issued'],
        [null, '2026-08-04', 'SAMPLE-BP-0027', 'Sampleton', 'Renovation', 'Café "Blue Turnip": kitchen exhaust and seating', 'Lanternmaker Street', 'Spoonhollow Interiors', 128000, 1450, 'In review'],
        ['2026-08-03', '2026-05-18', 'SAMPLE-BP-0021', 'Sampleton', 'New construction', 'Clinic, two stories', 'Vellum Square', 'Gantrywell Builders', 9400000, 28500, 'Issued'],
        ['2026-07-31', '2026-07-31', 'SAMPLE-BP-0020', 'Mockingdale', 'Plumbing', 'Water heater, like for like', 'Pickerel Way', null, 1650, null, 'Finished'],
        ['2026-07-29', '2026-07-02', 'SAMPLE-BP-0019', 'Saint-Éloi Landing', 'Renovation', 'Convert attic to bedroom', 'Rue des Moulinets', 'Rookery & Beam', 58000, 620, 'Issued'],
        ['2026-07-27', '2026-07-15', 'SAMPLE-BP-0018', 'Port Exemplar', 'Demolition', 'Remove vacant garage', 'Tidepost Road', 'Knockwren Wrecking', 12000, 480, 'Finished'],
        ['2026-07-24', '2026-07-23', 'SAMPLE-BP-0017', 'Sampleton', 'Fence', 'Cedar fence, 6 feet', 'Bobbin Street', null, 3900, null, 'Finished'],
        ['2026-07-22', '2026-06-01', 'SAMPLE-BP-0016', 'Fictive Falls', 'New construction', 'Single-family house', 'Heronshaw Drive', 'Timberloaf Homes', 412000, 2380, 'Issued'],
        ['2026-07-20', '2026-07-09', 'SAMPLE-BP-0015', 'Mockingdale', 'Sign', 'Illuminated wall sign', 'Market Thimble', 'Glowmoth Signs', 5600, null, 'Issued'],
        ['2026-07-16', '2026-06-29', 'SAMPLE-BP-0014', 'Sampleton', 'Renovation', 'Office build-out, third floor', 'Vellum Square', 'Spoonhollow Interiors', 745000, 11200, 'Issued'],
        ['2026-07-14', '2026-07-13', 'SAMPLE-BP-0013', 'Port Exemplar', 'Electrical', 'Car charger, 48 A', 'Anchorchain Avenue', 'Sparkwhistle Electric', 1900, null, 'Finished'],
        ['2026-07-10', '2026-05-26', 'SAMPLE-BP-0012', 'Saint-Éloi Landing', 'Addition', 'School gymnasium, steel frame', 'Rue du Héron', 'Gantrywell Builders', 6120000, 17400, 'Issued'],
        ['2026-07-08', '2026-07-08', 'SAMPLE-BP-0011', 'Fictive Falls', 'Roofing', 'Repair of hail damage', 'Crumhorn Court', 'Fernhatch Roofing Cooperative', 7450, 900, 'Finished'],
        ['2026-07-06', '2026-06-17', 'SAMPLE-BP-0010', 'Mockingdale', 'Addition', 'Sunroom and deck', 'Nettlebank Terrace', 'Timberloaf Homes', 64000, 380, 'Issued'],
        ['2026-07-01', '2026-06-24', 'SAMPLE-BP-0009', 'Sampleton', 'Mechanical', 'Heat pump, ductless, 3 zones', 'Old Sieve Road', 'Frostpipe Mechanical', 15800, null, 'Finished'],
        ['2026-06-26', '2026-05-05', 'SAMPLE-BP-0008', 'Port Exemplar', 'New construction', 'Apartment building, 48 units', 'Mooringlight Plaza', 'Gantrywell Builders', 13700000, 51900, 'Issued'],
        ['2026-06-23', '2026-06-22', 'SAMPLE-BP-0007', 'Fictive Falls', 'Plumbing', 'Sewer lateral replacement', 'Quailfeather Lane', 'Ditchwarbler Plumbing', 9800, null, 'Finished'],
        ['2026-06-18', '2026-06-03', 'SAMPLE-BP-0006', 'Sampleton', 'Renovation', 'Kitchen and two baths', 'Bobbin Street', 'Spoonhollow Interiors', 87500, 540, 'Finished'],
        ['2026-06-12', '2026-06-10', 'SAMPLE-BP-0005', 'Mockingdale', 'Solar', 'Carport solar, 96 kW', 'Market Thimble', 'Beamsparrow Solar', 268000, null, 'Issued'],
        [null, '2026-06-08', 'SAMPLE-BP-0004', 'Saint-Éloi Landing', 'Addition', 'Garage with apartment above', 'Rue des Moulinets', 'Timberloaf Homes', 176000, 1150, 'Withdrawn'],
        ['2026-06-04', '2026-05-20', 'SAMPLE-BP-0003', 'Port Exemplar', 'Renovation', 'Store front, new glazing', 'Anchorchain Avenue', 'Panecrest Glazing', 52300, null, 'Finished'],
        ['2026-05-21', '2026-05-12', 'SAMPLE-BP-0002', 'Fictive Falls', 'Demolition', 'Remove fire-damaged house', 'Heronshaw Drive', 'Knockwren Wrecking', 24500, 1620, 'Finished'],
        ['2026-05-07', '2026-05-04', 'SAMPLE-BP-0001', 'Sampleton', 'Pool', 'In-ground pool, fenced', 'Lanternmaker Street', 'Puddlecraft Pools', 71000, 512, 'Finished'],
      ],
    },
  ],
  workflows: [
    {
      slug: 'project-leads',
      name: 'Project leads',
      headline: 'Find new work that needs what you sell',
      description: 'A supplier would ask each week for new permits of one kind and call on the contractors named in them.',
      path: '/v1/permits/city/issued',
      parameters: [
        { name: 'permitType', type: 'text', description: 'Kind of permit.', example: 'New construction' },
        { name: 'city', type: 'text', description: 'City that issues it.', example: 'Port Exemplar' },
        { name: 'since', type: 'date', description: 'First day of issue to include.', example: '2026-07-01' },
      ],
      dataset: 'permits',
    },
    {
      slug: 'contractor-activity',
      name: 'Contractor activity',
      headline: 'See how much work a contractor has under permit',
      description: 'A lender or bonding company would read the permits of one contractor and compare cost and number over the months.',
      path: '/v1/permits/city/contractors',
      parameters: [
        { name: 'contractor', type: 'text', description: 'Name of the contractor.', example: 'Gantrywell Builders' },
        { name: 'since', type: 'date', description: 'First day of application to include.', example: '2026-05-01' },
      ],
      dataset: 'permits',
    },
  ],
};
