import type { Market } from '../../content/market.ts';

/** Accidents and incidents of civil aircraft. */
export const aviationSafety: Market = {
  slug: 'aviation-safety',
  name: 'Aviation safety',
  headline: 'Civil aviation accidents and incidents, from first report to probable cause',
  description:
    'Aviation insurers, flight schools, operators and aircraft lessors would use it to follow events by aircraft type and phase of flight. ' +
    'It would be read from the aviation data that the National Transportation Safety Board publishes, and would show each time a case moves from preliminary to final. ' +
    'It would report what the board found and would not rate operators. ' +
    'It is not built; aircraft, events and places of the sample are invented.',
  stage: 'validation-only',
  buildGate: 'Building starts when this market has 20 requests and 30 downloads within one window of 90 days.',
  source: { name: 'National Transportation Safety Board, aviation accident data', url: 'https://data.ntsb.gov/avdata' },
  dataFeeds: [
    { slug: 'new-events', name: 'New events', description: 'Events as the board opens a case.', cadence: 'weekly', dataset: 'aviation-events' },
    { slug: 'status-changes', name: 'Status changes', description: 'Cases that got a preliminary report, a final report or a probable cause.', cadence: 'weekly', dataset: 'aviation-events' },
  ],
  sampleDatasets: [
    {
      slug: 'aviation-events',
      name: 'Aviation events (sample)',
      description: 'One row per aircraft and event, newest first. All rows are invented.',
      fields: [
        { name: 'eventDate', type: 'date', description: 'Day of the event, local time.' },
        { name: 'eventId', type: 'string', description: 'Identifier of the event.' },
        { name: 'eventKind', type: 'string', description: 'Accident or incident.' },
        { name: 'state', type: 'string', description: 'State, two letters; null if over water or abroad.' },
        { name: 'aircraft', type: 'string', description: 'Maker and model of the aircraft.' },
        { name: 'aircraftCategory', type: 'string', description: 'Category of the aircraft.' },
        { name: 'engines', type: 'integer', description: 'Engines, as a count; null if not recorded.' },
        { name: 'purpose', type: 'string', description: 'Purpose of the flight.' },
        { name: 'phaseOfFlight', type: 'string', description: 'Phase of flight in which it happened; null while unknown.' },
        { name: 'highestInjury', type: 'string', description: 'Gravest injury: none, minor, serious or fatal.' },
        { name: 'onBoard', type: 'integer', description: 'Persons on board, as a count.' },
        { name: 'reportStatus', type: 'string', description: 'How far the board has come: preliminary, in work or final.' },
        { name: 'summary', type: 'string', description: 'What happened, in one line.' },
      ],
      rows: [
        ['2026-08-13', 'SAMPLE-AV-0026', 'Accident', 'AK', 'Larkspur Aero L-12', 'Airplane', 1, 'Personal', 'Landing', 'minor', 2, 'preliminary', 'Nosed over on a gravel bar'],
        ['2026-08-10', 'SAMPLE-AV-0025', 'Incident', 'TX', 'Grebeworks Courier 30', 'Airplane', 2, 'Cargo', 'Climb', 'none', 2, 'preliminary', 'Cabin altitude warning, returned'],
        ['2026-08-08', 'SAMPLE-AV-0024', 'Accident', 'CO', 'Hobby Falconer H2', 'Helicopter', 1, 'Instructional', 'Hover', 'minor', 2, 'preliminary', 'Dynamic rollover during hover practice'],
        ['2026-08-02', 'SAMPLE-AV-0023', 'Accident', null, 'Tern & Tarn Floatliner', 'Airplane', 1, 'Air taxi', 'Takeoff', 'serious', 5, 'preliminary', 'Struck a swell during takeoff run'],
        ['2026-07-29', 'SAMPLE-AV-0022', 'Accident', 'FL', 'Larkspur Aero L-12', 'Airplane', 1, 'Instructional', 'Landing', 'none', 1, 'preliminary', 'Bounced landing, propeller strike'],
        ['2026-07-26', 'SAMPLE-AV-0021', 'Accident', 'KS', 'Barleycrop 400', 'Airplane', 1, 'Agricultural', 'Maneuvering', 'minor', 1, 'preliminary', 'Wing touched a wire'],
        ['2026-07-23', 'SAMPLE-AV-0020', 'Incident', 'IL', 'Voyageur-Étoile 190', 'Airplane', 2, 'Scheduled passenger', 'Taxi', 'none', 94, 'in work', 'Wingtip contact with a parked truck'],
        ['2026-07-19', 'SAMPLE-AV-0019', 'Accident', 'CA', 'Glasswing G-7', 'Glider', 0, 'Personal', 'Approach', 'minor', 1, 'preliminary', 'Landed short, hit a fence'],
        ['2026-07-17', 'SAMPLE-AV-0018', 'Accident', 'MT', 'Grebeworks Ranger', 'Airplane', 1, 'Personal', 'Cruise', 'fatal', 1, 'in work', 'Aircraft found in high terrain'],
        ['2026-07-12', 'SAMPLE-AV-0017', 'Accident', 'NM', 'Upwick Balloon 90', 'Balloon', null, 'Sightseeing', 'Landing', 'serious', 7, 'in work', 'Hard landing in gusting wind, basket tipped'],
        ['2026-07-08', 'SAMPLE-AV-0016', 'Incident', 'GA', 'Voyageur-Étoile 320', 'Airplane', 2, 'Scheduled passenger', 'Descent', 'none', 161, 'in work', 'Turbulence, seat-belt sign "on"'],
        ['2026-07-05', 'SAMPLE-AV-0015', 'Accident', 'WI', 'Homebuilt Thistle', 'Airplane', 1, 'Personal', 'Takeoff', 'serious', 2, 'in work', 'Partial loss of power after takeoff'],
        ['2026-07-02', 'SAMPLE-AV-0014', 'Accident', 'WA', 'Hobby Falconer H4', 'Helicopter', 1, 'External load', 'Maneuvering', 'minor', 1, 'in work', 'Long line caught a tree'],
        ['2026-06-28', 'SAMPLE-AV-0013', 'Accident', 'OR', 'Larkspur Aero L-20', 'Airplane', 1, 'Personal', 'Landing', 'none', 3, 'in work', 'Landing gear collapsed'],
        ['2026-06-24', 'SAMPLE-AV-0012', 'Incident', 'NY', 'Sablejet 5', 'Airplane', 2, 'Business', 'Landing', 'none', 6, 'final', 'Runway excursion at low speed'],
        ['2026-06-20', 'SAMPLE-AV-0011', 'Accident', 'AZ', 'Larkspur Aero L-12', 'Airplane', 1, 'Instructional', 'Takeoff', 'minor', 2, 'in work', 'Lost directional control in a crosswind'],
        ['2026-06-17', 'SAMPLE-AV-0010', 'Accident', 'MN', 'Tern & Tarn Floatliner', 'Airplane', 1, 'Personal', 'Landing', 'minor', 2, 'final', 'Landed on water with wheels down'],
        ['2026-06-13', 'SAMPLE-AV-0009', 'Accident', 'TN', 'Grebeworks Courier 10', 'Airplane', 1, 'Cargo', null, 'serious', 1, 'in work', 'Struck trees at night'],
        ['2026-06-10', 'SAMPLE-AV-0008', 'Incident', 'NV', 'Hobby Falconer H4', 'Helicopter', 1, 'Sightseeing', 'Cruise', 'none', 4, 'final', 'Chip light, precautionary landing'],
        ['2026-06-06', 'SAMPLE-AV-0007', 'Accident', 'IA', 'Barleycrop 400', 'Airplane', 1, 'Agricultural', 'Takeoff', 'none', 1, 'final', 'Overran a wet strip'],
        ['2026-05-31', 'SAMPLE-AV-0006', 'Accident', 'ME', 'Homebuilt Nuthatch II', 'Airplane', 1, 'Personal', 'Approach', 'fatal', 2, 'in work', 'Stall during a turn to final approach'],
        ['2026-05-27', 'SAMPLE-AV-0005', 'Accident', 'UT', 'Glasswing G-5', 'Glider', 0, 'Instructional', 'Landing', 'none', 2, 'final', 'Tow rope released late, hard landing'],
        ['2026-05-22', 'SAMPLE-AV-0004', 'Incident', 'OH', 'Sablejet 8', 'Airplane', 2, 'Business', 'Cruise', 'none', 4, 'final', 'Windshield cracked, diverted'],
        ['2026-05-16', 'SAMPLE-AV-0003', 'Accident', 'SC', 'Paramotor Wisp', 'Powered parachute', 1, 'Personal', 'Takeoff', 'serious', 1, 'final', 'Canopy collapsed at low height'],
        ['2026-05-11', 'SAMPLE-AV-0002', 'Accident', 'MI', 'Larkspur Aero L-12', 'Airplane', 1, 'Instructional', 'Taxi', 'none', 1, 'final', 'Ran into a hangar door'],
        ['2026-05-03', 'SAMPLE-AV-0001', 'Accident', 'VT', 'Grebeworks Ranger', 'Airplane', 1, 'Personal', 'Cruise', 'minor', 2, 'final', 'Fuel exhausted, landed in a field'],
      ],
    },
  ],
  workflows: [
    {
      slug: 'aircraft-type-history',
      name: 'Aircraft type history',
      headline: 'Read the record of an aircraft type before you insure, lease or fly it',
      description: 'An underwriter or flight school would list the events of one type and compare phases of flight, injuries and findings.',
      path: '/v1/aviation/ntsb/events',
      parameters: [
        { name: 'aircraft', type: 'text', description: 'Maker and model, or part of it.', example: 'Larkspur Aero L-12' },
        { name: 'since', type: 'date', description: 'First day of events to include.', example: '2026-05-01' },
      ],
      dataset: 'aviation-events',
    },
    {
      slug: 'case-status-watch',
      name: 'Case status watch',
      headline: 'Hear when a case gets its final report',
      description: 'A claims handler would watch open cases in a state and go on with the claim when the report is final.',
      path: '/v1/aviation/ntsb/case-status',
      parameters: [
        { name: 'state', type: 'text', description: 'State, two letters.', example: 'CO' },
        { name: 'status', type: 'text', description: 'How far the case has come.', example: 'preliminary' },
        { name: 'since', type: 'date', description: 'First day of events to include.', example: '2026-06-01' },
      ],
      dataset: 'aviation-events',
    },
  ],
};
