import { endpoints, type Endpoint } from '../../../src/contract/endpoints.ts';
import type { Parameter } from '../../../src/contract/parameters.ts';
import { statisticsDays } from '../../../src/contract/intents.ts';
import { valuesIn } from '../../support/values.ts';
import type { Random } from '../random.ts';
import type { Facts, Header, HostileRequest } from '../request.ts';
import { keyHeaders, someHeaders } from './headers.ts';

const goodCodes = ['P', 's', 'S, P,s', 'A,C,D,E,F,G,H,I,J,K'];
const badCodes = ['', ' ', ',', 'P,', 'PS', 'Q', 'P,,S', '\0', '٢', 'Ｐ', 'A,B', 'P'.repeat(400)];
/** Values that are allowed on the embedded sample, by parameter. */
const goodValues: Readonly<Record<string, readonly string[]>> = {
  limit: ['1', '2', '5', '50', '200'],
  since: valuesIn(`
    2026-08-01 | 2025-08-01 | 2000-01-01 | 2026-08-01T00:00:00Z | 2026-08-01T10:00:00-04:00 | 2024-02-29
    9999-12-31`),
  // No day that `since` may have lies behind it.
  until: ['9999-12-31', '9999-12-31T10:00:00Z'],
  form: ['8-K', '4', '10-K', '10-Q', '8-k', '4/A', '8-K,8-k, 10-K'],
  items: ['2.02', '9.01,2.02', '6.10, 6.10'],
  transactionCode: goodCodes,
  code: goodCodes,
  minValue: ['0', '100000', '1234.5', '999999999999.99', '007'],
  direction: ['acquired', 'disposed'],
  relationship: ['director', 'officer', 'ten_percent_owner', 'other'],
  isDerivative: ['true', 'false'],
  isPlanned: ['true', 'false'],
  owner: ['0001936006'],
  eventType: ['current_report', 'annual_report', 'CURRENT_REPORT'],
  ticker: ['AAPL', 'MSFT', 'aapl', '0000320193', 'KO', 'GOOG', 'BRK-B', 'brk.b'],
  tickers: [
    'AAPL',
    'AAPL,MSFT',
    'AAPL,NOPE,KO',
    '0000320193,GOOG',
    Array.from({ length: 25 }, (_, at) => `T${at}`).join(','),
  ],
  q: ['apple', 'coca-cola', 'in', '0000320193', 'J&J', "o'r", 'éa', 'a b c d e', '%%'],
  accessionNo: ['0000320193-25-000079', '000032019325000079', '0000320193-26-000018', '0000000000-00-000000'],
  accessionNos: [
    '0000320193-25-000079',
    '000032019325000079, 0000320193-25-000079,0000000000-00-000000',
    Array.from({ length: 50 }, (_, at) => `0000320193-25-${String(at).padStart(6, '0')}`).join(','),
  ],
  days: statisticsDays.map(String),
  sic: ['3571', '7372', '3571,7372, 0100', '9995'],
  state: ['DE', 'de', 'X0,E9', 'CA, DE,CA'],
  exchange: ['Nasdaq', 'nyse', 'OTC,CBOE', 'NASDAQ, Nasdaq'],
  listed: ['true', 'false'],
};
/** Those of the insider filings, where they are others. */
const goodOfInsiders: typeof goodValues = {
  form: ['3', '4', '4/a', '3,4,5,3/A,4/A,5/A'],
  eventType: ['insider_transaction', 'Insider_Annual_Statement'],
};
/** Those of the change feed, which knows every company that it is asked for. */
const goodOfChanges: typeof goodValues = {
  tickers: ['AAPL', 'AAPL,MSFT', 'ko, aapl ,GOOG,GOOGL', '0000320193,GOOG'],
};
/** Values that are never allowed, by parameter. */
const badValues: Readonly<Record<string, readonly string[]>> = {
  limit: [
    ...valuesIn('0 | 201 | -1 | 1e2 | 0x10 | +5 | 1.0 | NaN | ٣ | null | [] | 5\0 | 5,5 | １'),
    '',
    ' 5',
    '5 ',
    '1'.repeat(400),
  ],
  since: [
    ...valuesIn(`
      2026-02-30 | 2026-13-01 | 20260801 | yesterday | 0000-00-00 | 2026-8-1 | 2026-08-01T25:00:00Z
      -2026-08-01 | 2026-08-01 OR 1=1 | １２`),
    '',
    '2026-08-01'.repeat(50),
  ],
  until: ['', '2026-02-30', 'tomorrow', '1999-12-31T', '2026-08-01,2026-08-02'],
  form: [
    ...valuesIn(', | 4, | ,4 | 4,,4 | \0 | 10k | 4,8K | 8-K*'),
    '',
    ' ',
    'x'.repeat(41),
    '8\n-K',
    '\x7f'.repeat(3),
    Array.from({ length: 11 }, () => '4').join(','),
  ],
  items: [
    ...valuesIn(', | 2.02, | 2.2 | 202 | 9.02 | 2.02,bogus | ٢.٠٢ | \0'),
    '',
    ' ',
    'x'.repeat(11),
    Array.from({ length: 11 }, () => '2.02').join(','),
  ],
  transactionCode: badCodes,
  code: badCodes,
  minValue: [
    ...valuesIn('-1 | +1 | 1e5 | 0x10 | 1,000 | 1.234 | .5 | 5. | NaN | Infinity | ٣'),
    '',
    ' ',
    '9'.repeat(400),
  ],
  direction: ['', 'sold', 'ACQUIRED', 'acquired,disposed'],
  relationship: ['', 'ceo', 'Director', 'director,officer'],
  isDerivative: ['', '1', 'TRUE', 'null'],
  isPlanned: ['', '0', 'yes', 'true '],
  owner: ['', 'AAPL', '320193', '00003201930', '٠٠٠٠٣٢٠١٩٣', '0000320193,0000789019'],
  eventType: ['', ' ', 'x'.repeat(61), '\0', 'a\tb', '8-K', 'bogus'],
  ticker: [
    ...valuesIn(`
      - | A$ | <script> | \0 | ÄÖÜ | ../.. | '; DROP TABLE x | AAPL,MSFT | .`),
    '',
    ' ',
    'x'.repeat(21),
  ],
  tickers: [
    ...valuesIn(', | AAPL, | ,AAPL | AAPL,,MSFT | \0 | A;B'),
    '',
    Array.from({ length: 26 }, (_, at) => `T${at}`).join(','),
    'x'.repeat(1001),
    ','.repeat(900),
  ],
  q: ['', 'a', ' a ', 'x'.repeat(101), '\0\0', 'a\nb', '   '],
  cursor: [
    ...valuesIn('x | null | Zn4z | \0 | ../../etc/passwd | AAAA | -_-_ | = | Zn5-fn5-fn4'),
    '',
    'A'.repeat(2001),
    Buffer.from('f~~~~~~').toString('base64url'),
  ],
  accessionNo: valuesIn(`
    0000320193-25-00007 | 0000320193-25-0000790 | x | 0000320193_25_000079 | 0000320193-25-00007９ | \0 | -`),
  accessionNos: [
    '',
    ',',
    '0000320193-25-000079,',
    '0000320193-25-000079,x',
    Array.from({ length: 51 }, (_, at) => `0000320193-25-${String(at).padStart(6, '0')}`).join(','),
    '0'.repeat(5000),
    '\0',
  ],
  sic: ['', ' ', ',', '357', '3573', '03571', '٣٥٧١', '3571,', '3571;7372', '\0', 'x'.repeat(41)],
  state: [
    ...valuesIn('ZZ | Delaware | DE, | D E | \0 | " | DE" | \\ | \u{1f600} | all | true'),
    '',
    'x'.repeat(500),
  ],
  exchange: ['', 'Nasdag', 'Nasdaq,', '"', '\uffff', '../..', 'NASDAQ\n', 'x'.repeat(41)],
  listed: ['', 'True', '1', 'yes', 'true,false', 'null', ' true'],
  days: ['', '0', '2', '31', '7.0', ' 7', '-7', '1e1', 'x'],
};

type Style = (text: string) => string;
const styles: readonly (readonly [number, Style])[] = [
  [8, encodeURIComponent],
  [2, (text) => encodeURIComponent(text).replaceAll('%20', '+')],
  [2, (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
  [1, (text) => encodeURIComponent(text).replaceAll(/%../g, (each) => each.toLowerCase())],
];
/** Escapes that stand for no text. */
const brokenEscapes = valuesIn(
  '% | %E0%A4%A | %zz | %C0%AF | %FF | %u0041 | %00 | %2 | %ED%A0%80 | %25 | %F0%9F%98',
);
/** Texts that lead elsewhere when they stand in a path. */
const pathTricks = [
  ...valuesIn(`
    .. | . | %2e%2e | %2E | ..%2f.. | %2F | %5c | %00 | %0d%0aX-Injected:%201 | ;x=1 | %3f | %23 | ~ | * | //
    AAPL/ | %E2%80%AE | __proto__ | constructor`),
  '',
  'a'.repeat(5000),
];
const unknownNames = [
  ...valuesIn(`
    x | limit[] | Limit | LIMIT | __proto__ | constructor | toString | page | since%20 | %00 | api_key | sort
    limit%3d5`),
  'a'.repeat(3000),
  '',
];

/** The parameters of a request, and what can be said of them. */
interface Made {
  readonly path: string;
  readonly query: string;
  readonly wants: HostileRequest['wants'];
  /** Whether the path still leads to the operation. */
  readonly leads: boolean;
}

/** A read, or another method, of an operation of the contract. */
export function operationRequest(random: Random, facts: Facts): HostileRequest {
  const endpoint = random.choose(endpoints as readonly Endpoint[]);
  const { path, query, wants, leads } = random.chance(0.3)
    ? exampleOf(endpoint)
    : parametersOf(random, facts, endpoint);
  const target = query === '' ? path : `${path}?${query}`;
  const method = methodOf(random);
  return restRequest(random, facts, {
    kind: 'operation',
    method,
    target,
    operation: leads && isRead(method) ? `get ${endpoint.path}` : null,
    wants: isRead(method) ? wants : 'either',
  });
}

/** A request of REST with some headers, a key or none, and at times a body. */
function restRequest(
  random: Random,
  facts: Facts,
  made: Pick<HostileRequest, 'kind' | 'method' | 'target' | 'operation' | 'wants'>,
): HostileRequest {
  const { headers, isOdd } = someHeaders(random, facts, made.target);
  const [body, lengthHeaders] = smallBody(random, made.method);
  return {
    ...made,
    headers: [...headers, ...keyHeaders(random, facts), ...lengthHeaders],
    body,
    message: null,
    surface: 'rest',
    isOdd,
  };
}

function exampleOf({ example }: Endpoint): Made {
  const [path = '', query = ''] = example.split('?');
  return { path, query, wants: 'good', leads: true };
}

function parametersOf(random: Random, facts: Facts, endpoint: Endpoint): Made {
  const { path, leads, isGood: isGoodPath } = pathOf(random, endpoint);
  const query: string[] = [];
  let [isGood, isBad] = [isGoodPath, false];
  for (const { parameter, required } of endpoint.parameters) {
    if (parameter.in === 'path' || random.chance(required ? 0.05 : 0.55)) {
      if (parameter.in === 'query' && required) isBad = true;
      continue;
    }
    const { good, bad } = valuesOf(parameter, endpoint, facts);
    const count = random.chance(0.05) ? random.integer(2, 4) : 1;
    if (count > 1) isBad = true;
    for (let at = 0; at < count; at++) {
      const kind = random.weighted([
        [20, 'good'],
        [4, 'bad'],
        [1, 'broken'],
      ] as const);
      const style = random.weighted(styles);
      const name = random.chance(0.05) ? style(parameter.name) : parameter.name;
      const broken = `${random.choose(brokenEscapes)}${random.choose(['', 'x'])}`;
      query.push(
        `${name}=${kind === 'broken' ? broken : style(random.choose(kind === 'good' ? good : bad))}`,
      );
      if (kind === 'bad') isBad = true;
      // A cursor belongs to the list that it came from.
      if (kind !== 'good' || parameter.name === 'cursor') isGood = false;
    }
  }
  if (random.chance(0.06)) {
    query.push(`${random.choose(unknownNames)}=${random.choose(['1', '', 'x'.repeat(2000)])}`);
    isBad = true;
  }
  if (random.chance(0.02)) query.push(random.choose(['', '&', '&&', '=', '?']));
  if (random.chance(0.01)) query.push(manyNames(random.integer(100, 900)));
  if (query.some((each) => !/^\w+=[^&=?]/.test(each))) isGood = false;
  // Filters that never match together are refused, and so are items of insider filings.
  const filtered = query.filter((each) => /^(?:form|eventType|items|transactionCode|minValue)=/.test(each));
  if (filtered.length > (endpoint.id === 'listInsiderTrades' ? 0 : 1)) isGood = false;
  // The change feed and the list of transactions take one of the two.
  const takesOneOfThem = endpoint.id === 'listChanges' || endpoint.id === 'listInsiderTransactions';
  if (takesOneOfThem && query.filter((each) => /^tickers?=/.test(each)).length > 1) isGood = false;
  // Counts of all companies are kept by month, so days go without what tells filings apart.
  const isOfDays = query.some((each) => /^(?:since|until)=/.test(each));
  if (endpoint.id === 'countFilings' && isOfDays && query.some((each) => /^(?:form|items|by)=/.test(each)))
    isGood = false;
  // The change feed has to be told where to begin.
  if (endpoint.id === 'listChanges' && !query.some((each) => each.startsWith('since='))) isGood = false;
  // What is no parameter of a public operation is left alone.
  const wants = isBad && endpoint.access === 'keyed' ? 'refusal' : isGood && !isBad ? 'good' : 'either';
  return { path, query: shuffled(random, query).join('&'), wants: leads ? wants : 'either', leads };
}

function valuesOf(
  { name, example }: Parameter,
  { id }: Endpoint,
  { cursors }: Facts,
): { good: readonly string[]; bad: readonly string[] } {
  const own: typeof goodValues =
    id === 'listInsiderTrades' ? goodOfInsiders : id === 'listChanges' ? goodOfChanges : {};
  const good = name === 'cursor' ? cursors : (own[name] ?? goodValues[name] ?? [example]);
  return { good, bad: badValues[name] ?? ['', '\0', 'x'.repeat(5000)] };
}

/** The path of an operation with something instead of its parameter. */
function pathOf(
  random: Random,
  { path, parameters }: Endpoint,
): { path: string; leads: boolean; isGood: boolean } {
  const parameter = parameters.find((each) => each.parameter.in === 'path')?.parameter;
  if (!parameter) return { path, leads: true, isGood: true };
  const good = goodValues[parameter.name] ?? [parameter.example];
  const isTrick = random.chance(0.15);
  const value = random.choose(random.chance(0.15) ? (badValues[parameter.name] ?? ['']) : good);
  const text = isTrick
    ? random.choose(random.choose([pathTricks, brokenEscapes]))
    : random.weighted(styles)(value);
  return {
    path: path.replace(`{${parameter.name}}`, () => text),
    // A slash may end the path segment, and dots may be taken away with it, escaped or not.
    leads: !isTrick && !/^\.{0,2}$|[/\\]/.test(value),
    isGood: !isTrick && good.includes(value),
  };
}

function manyNames(count: number): string {
  return Array.from({ length: count }, (_, at) => `a${at}=`).join('&');
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0] as Item);
}

/** Whether a method asks for an answer and changes nothing. */
export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const methods = [
  [80, 'GET'],
  [12, 'HEAD'],
  [2, 'OPTIONS'],
  [2, 'POST'],
  [1, 'PUT'],
  [1, 'DELETE'],
  [1, 'PATCH'],
  [0.5, 'TRACE'],
  [0.5, 'PROPFIND'],
  [0.3, 'QUERY'],
  [0.3, 'PURGE'],
  [0.3, 'M-SEARCH'],
] as const;

/** Mostly reads. */
export function methodOf(random: Random): string {
  return random.weighted(methods);
}

const smallBodies = [
  '{}',
  'x',
  '',
  'a=b',
  '\0'.repeat(100),
  'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
] as const;

/** A body where none is wanted, with the header that says where it ends. */
export function smallBody(random: Random, method: string): [Buffer | null, Header[]] {
  if (isRead(method) && random.chance(0.97)) return [null, []];
  const text = random.chance(0.4) ? '' : random.choose(smallBodies);
  if (random.chance(0.7)) return [Buffer.from(text), [['Content-Length', String(text.length)]]];
  const chunk = text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`;
  return [Buffer.from(`${chunk}0\r\n\r\n`), [['Transfer-Encoding', 'chunked']]];
}

const strangePaths = valuesIn(`
  /nothing | /v1 | /v1/ | /v1/sec | /v1/sec/latest/ | //v1/sec/latest | /v1//sec/latest | /V1/SEC/LATEST
  /v1/sec/latest%20 | /v1/sec/latest;x | /v1/sec/%6catest | /%76%31/sec/latest | /./v1/sec/latest
  /x/../v1/sec/latest | /x/%2e%2e/v1/sec/latest | /docs/../v1/sec/stats | /../../../../etc/passwd
  /..%2f..%2fetc/passwd | /keys.json | /pointer.json | /current | /manifest.json | /tables/latest
  /snapshots | /documents/stats.json | /public/index.html | /../documents/stats.json | /.git/config | /.env
  /docs/ | /docs// | //docs/ | /%2f%2fevil.example/ | //evil.example/ | //evil.example/%2e%2e | /docs%2f
  /docs%00 | /docs.html | /index.html | /404.html | /docs%0d%0aSet-Cookie:x=1/ | /__proto__ | /constructor
  /toString | /hasOwnProperty | /mcp/ | /a2a/ | /MCP | /mcp%20 | /favicon.ico | /health/ | /? | /?x | /??
  /% | /%zz | /%ff | /* | /validate | /validate/x | /validate/x/y | /validate/__proto__/view
  /validate/filings/__proto__ | /metrics | /v1/sec/companies/ | /v1/sec/companies//search
  /v1/sec/companies/AAPL | /v1/sec/company//profile | /v1/sec/company/AAPL | /v1/sec/forms//summary
  /v1/sec/bulk | /v1/sec/bulk/x`);
const segments = [
  ...valuesIn(`
    a | .. | . | %2e | %2f | v1 | sec | % | ~ | @ | : | !$& | '() | +,;=`),
  '',
];
const appendices = ['?', '?x=1', '/', '%00', '.br', '.gz', '//', '/..', '/.', '?'.repeat(50)] as const;
const sampleValues = ['a', '2026-01-01', '', '\0', 'x'.repeat(101), 'x'.repeat(100), 'é'] as const;
const markets = ['filings', 'consumer-product-safety', 'nope', '%00', '__proto__'] as const;
const actions = ['view', 'request', 'demo', 'download', 'marketplace', 'x'] as const;
const targets = ['', '?target=', '?target=x', '?target=a&target=b', '?target=constructor'] as const;

/** Public documents, sample-only paths, intents, and paths where nothing is. */
export function pathRequest(random: Random, facts: Facts): HostileRequest {
  const { choose } = random;
  const method = methodOf(random);
  const [kind, target, path] = random.weighted<() => [kind: string, target: string, path?: string]>([
    [10, () => ['document', choose(facts.publicPaths)]],
    [1, () => ['document', `${choose(facts.publicPaths)}${choose(appendices)}`]],
    [
      8,
      () => {
        const sample = choose(facts.samples);
        const query = `?${choose([...sample.parameters, 'x'])}=${random.weighted(styles)(choose(sampleValues))}`;
        return ['sample', `${sample.path}${random.chance(0.4) ? '' : query}`, sample.path];
      },
    ],
    [1, () => ['intent', `/validate/${choose(markets)}/${choose(actions)}${choose(targets)}`]],
    [8, () => ['nothing', choose(strangePaths)]],
    [
      2,
      () => [
        'nothing',
        `/${Array.from({ length: random.integer(1, 40) }, () => choose(segments)).join('/')}`,
      ],
    ],
  ])();
  const operation = path !== undefined && isRead(method) ? `get ${path}` : null;
  return restRequest(random, facts, { kind, method, target, operation, wants: 'either' });
}
