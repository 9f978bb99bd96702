import { endpoints, type Endpoint } from '../../../src/contract/endpoints.ts';
import type { Parameter } from '../../../src/contract/parameters.ts';
import { statisticsDays } from '../../../src/contract/validation.ts';
import type { Random } from '../random.ts';
import type { Facts, Header, HostileRequest } from '../request.ts';
import { keyHeaders, someHeaders } from './headers.ts';

/** Values that are allowed on the embedded sample, by parameter. */
const goodValues: Readonly<Record<string, readonly string[]>> = {
  limit: ['1', '2', '5', '50', '200'],
  since: ['2026-08-01', '2025-08-01', '2000-01-01', '2026-08-01T00:00:00Z', '2026-08-01T10:00:00-04:00', '2024-02-29', '9999-12-31'],
  form: ['8-K', '4', '10-K', '10-Q', '8-k', '4/A'],
  eventType: ['current_report', 'annual_report', 'CURRENT_REPORT'],
  ticker: ['AAPL', 'MSFT', 'aapl', '0000320193', 'KO', 'GOOG', 'BRK-B', 'brk.b'],
  tickers: ['AAPL', 'AAPL,MSFT', 'AAPL,NOPE,KO', '0000320193,GOOG', Array.from({ length: 25 }, (_, at) => `T${at}`).join(',')],
  q: ['apple', 'coca-cola', 'in', '0000320193', 'J&J', "o'r", 'éa', 'a b c d e', '%%'],
  accessionNo: ['0000320193-25-000079', '0000320193-26-000018', '0000000000-00-000000'],
  days: statisticsDays.map(String),
};
/** Values that are never allowed, by parameter. */
const badValues: Readonly<Record<string, readonly string[]>> = {
  limit: ['', '0', '201', '-1', '1e2', '0x10', ' 5', '5 ', '+5', '1.0', 'NaN', '٣', '1'.repeat(400), 'null', '[]', '5\0', '5,5', '１'],
  since: ['', '2026-02-30', '2026-13-01', '20260801', 'yesterday', '0000-00-00', '2026-8-1', '2026-08-01T25:00:00Z', '-2026-08-01', '2026-08-01'.repeat(50), '2026-08-01 OR 1=1', '１２'],
  form: ['', ' ', 'x'.repeat(41), '\0', '8\n-K', '\x7f'.repeat(3)],
  eventType: ['', ' ', 'x'.repeat(61), '\0', 'a\tb'],
  ticker: ['', ' ', '-', 'x'.repeat(21), 'A$', '<script>', '\0', 'ÄÖÜ', '../..', "'; DROP TABLE x", 'AAPL,MSFT', '.'],
  tickers: ['', ',', 'AAPL,', ',AAPL', Array.from({ length: 26 }, (_, at) => `T${at}`).join(','), 'AAPL,,MSFT', 'x'.repeat(1001), ','.repeat(900), '\0', 'A;B'],
  q: ['', 'a', ' a ', 'x'.repeat(101), '\0\0', 'a\nb', '   '],
  cursor: ['', 'x', 'null', 'A'.repeat(2001), 'Zn4z', '\0', '../../etc/passwd', 'AAAA', '-_-_', '=', 'Zn5-fn5-fn4', Buffer.from('f~~~~~~').toString('base64url')],
  accessionNo: ['0000320193-25-00007', '0000320193-25-0000790', 'x', '0000320193_25_000079', '0000320193-25-00007９', '\0', '-'],
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
const brokenEscapes = ['%', '%E0%A4%A', '%zz', '%C0%AF', '%FF', '%u0041', '%00', '%2', '%ED%A0%80', '%25', '%F0%9F%98'] as const;
/** Texts that lead elsewhere when they stand in a path. */
const pathTricks = ['..', '.', '%2e%2e', '%2E', '..%2f..', '%2F', '%5c', '', '%00', '%0d%0aX-Injected:%201', ';x=1', '%3f', '%23', '~', '*', '//', 'AAPL/', '%E2%80%AE', '__proto__', 'constructor', 'a'.repeat(5000)] as const;
const unknownNames = ['x', 'limit[]', 'Limit', 'LIMIT', '__proto__', 'constructor', 'toString', 'page', 'since%20', '%00', 'api_key', 'a'.repeat(3000), '', 'sort', 'limit%3d5'] as const;

/** What was made of the parameters of a request. */
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
  const { path, query, wants, leads } = random.chance(0.3) ? { path: endpoint.example.split('?')[0] as string, query: endpoint.example.split('?')[1] ?? '', wants: 'good' as const, leads: true } : parametersOf(random, facts, endpoint);
  const target = query === '' ? path : `${path}?${query}`;
  const method = methodOf(random);
  const { headers, isOdd } = someHeaders(random, facts, target);
  const [body, lengthHeaders] = smallBody(random, method);
  return {
    kind: 'operation', method, target, headers: [...headers, ...keyHeaders(random, facts), ...lengthHeaders], body, message: null, surface: 'rest',
    operation: leads && isRead(method) ? `get ${endpoint.path}` : null, wants: isRead(method) ? wants : 'either', isOdd,
  };
}

function parametersOf(random: Random, facts: Facts, { path, parameters, access }: Endpoint): Made {
  let [leads, isGood, isBad] = [true, true, false];
  let made = path;
  const query: string[] = [];
  const values = ({ name }: Parameter) => ({ good: name === 'cursor' ? facts.cursors : goodValues[name] ?? [], bad: badValues[name] ?? [] });
  for (const { parameter, required } of parameters) {
    const { good, bad } = values(parameter);
    const style = random.weighted(styles);
    if (parameter.in === 'path') {
      const trick = random.chance(0.15) ? random.choose(random.chance(0.5) ? pathTricks : brokenEscapes) : null;
      const text = trick ?? style(random.choose(random.chance(0.15) ? bad : good));
      // A slash may end the path segment, and dots may be taken away with it, escaped or not.
      if (trick !== null || /^\.{0,2}$|[/\\]/.test(decoded(text))) leads = false;
      isGood &&= trick === null && good.includes(decoded(text));
      made = made.replace(`{${parameter.name}}`, text);
      continue;
    }
    if (!required && random.chance(0.55)) continue;
    if (required && random.chance(0.05)) {
      isBad = true;
      continue;
    }
    const count = random.chance(0.05) ? random.integer(2, 4) : 1;
    if (count > 1) isBad = true;
    for (let at = 0; at < count; at++) {
      const kind = random.weighted([[20, 'good'], [4, 'bad'], [1, 'broken']] as const);
      const name = random.chance(0.05) ? style(parameter.name) : parameter.name;
      if (kind === 'broken') query.push(`${name}=${random.choose(brokenEscapes)}${random.choose(['', 'x'])}`);
      else query.push(`${name}=${style(random.choose(kind === 'good' ? good : bad))}`);
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
  if (random.chance(0.01)) query.push(Array.from({ length: random.integer(100, 900) }, (_, at) => `a${at}=`).join('&'));
  if (query.some((each) => !/^\w+=[^&=?]/.test(each))) isGood = false;
  // What is no parameter of a public operation is left alone.
  const wants = isBad && access === 'keyed' ? 'refusal' : isGood && !isBad ? 'good' : 'either';
  return { path: made, query: shuffled(random, query).join('&'), wants: leads ? (path === '/v1/sec/changes' && wants === 'good' && !query.some((each) => each.startsWith('since=')) ? 'either' : wants) : 'either', leads };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0] as Item);
}

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Mostly reads. */
export function methodOf(random: Random): string {
  return random.weighted([[80, 'GET'], [12, 'HEAD'], [2, 'OPTIONS'], [2, 'POST'], [1, 'PUT'], [1, 'DELETE'], [1, 'PATCH'], [0.5, 'TRACE'], [0.5, 'PROPFIND'], [0.3, 'QUERY'], [0.3, 'PURGE'], [0.3, 'M-SEARCH']] as const);
}

/** A body where none is wanted. */
export function smallBody(random: Random, method: string): [Buffer | null, Header[]] {
  if (isRead(method) ? random.chance(0.97) : random.chance(0.4)) return [null, isRead(method) ? [] : [['Content-Length', '0']]];
  const text = random.choose(['{}', 'x', '', 'a=b', '\0'.repeat(100), 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n']);
  if (random.chance(0.3)) return [Buffer.from(text === '' ? '0\r\n\r\n' : `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`, 'latin1'), [['Transfer-Encoding', 'chunked']]];
  return [Buffer.from(text, 'latin1'), [['Content-Length', String(text.length)]]];
}

const strangePaths = [
  '/nothing', '/v1', '/v1/', '/v1/sec', '/v1/sec/latest/', '//v1/sec/latest', '/v1//sec/latest', '/V1/SEC/LATEST', '/v1/sec/latest%20', '/v1/sec/latest;x', '/v1/sec/%6catest', '/%76%31/sec/latest',
  '/./v1/sec/latest', '/x/../v1/sec/latest', '/x/%2e%2e/v1/sec/latest', '/docs/../v1/sec/stats', '/../../../../etc/passwd', '/..%2f..%2fetc/passwd', '/keys.json', '/pointer.json', '/current', '/manifest.json', '/tables/latest', '/snapshots',
  '/documents/stats.json', '/public/index.html', '/../documents/stats.json', '/.git/config', '/.env', '/docs/', '/docs//', '//docs/', '/%2f%2fevil.example/', '//evil.example/', '//evil.example/%2e%2e', '/docs%2f', '/docs%00', '/docs.html',
  '/index.html', '/404.html', '/docs%0d%0aSet-Cookie:x=1/', '/__proto__', '/constructor', '/toString', '/hasOwnProperty', '/mcp/', '/a2a/', '/MCP', '/mcp%20', '/favicon.ico', '/health/', '/?', '/?x', '/??', '/%', '/%zz', '/%ff',
  '/*', '/validate', '/validate/x', '/validate/x/y', '/validate/__proto__/view', '/validate/filings/__proto__', '/metrics', '/v1/sec/company//profile', '/v1/sec/company/AAPL', '/v1/sec/forms//summary', '/v1/sec/bulk', '/v1/sec/bulk/x',
] as const;

/** Public documents, sample-only paths, intents, and paths where nothing is. */
export function pathRequest(random: Random, facts: Facts): HostileRequest {
  const method = methodOf(random);
  const [kind, target, operation] = random.weighted<() => [string, string, string | null]>([
    [10, () => ['document', random.choose(facts.publicPaths), null]],
    [1, () => ['document', `${random.choose(facts.publicPaths)}${random.choose(['?', '?x=1', '/', '%00', '.br', '.gz', '//', '/..', '/.', '?'.repeat(50)])}`, null]],
    [8, () => {
      const { path, parameters } = random.choose(facts.samples);
      const name = random.choose([...parameters, 'x']);
      return ['sample', random.chance(0.4) ? path : `${path}?${name}=${random.weighted(styles)(random.choose(['a', '2026-01-01', '', '\0', 'x'.repeat(101), 'x'.repeat(100), 'é']))}`, `get ${path}`];
    }],
    [1, () => ['intent', `/validate/${random.choose(['filings', 'consumer-product-safety', 'nope', '%00', '__proto__'])}/${random.choose(['view', 'request', 'demo', 'download', 'marketplace', 'x'])}${random.choose(['', '?target=', '?target=x', '?target=a&target=b', '?target=constructor'])}`, null]],
    [8, () => ['nothing', random.choose(strangePaths), null]],
    [2, () => ['nothing', `/${Array.from({ length: random.integer(1, 40) }, () => random.choose(['a', '..', '.', '%2e', '%2f', 'v1', 'sec', '', '%', '~', '@', ':', '!$&', "'()", '+,;='])).join('/')}`, null]],
  ])();
  const { headers, isOdd } = someHeaders(random, facts, target);
  const [body, lengthHeaders] = smallBody(random, method);
  return { kind, method, target, headers: [...headers, ...keyHeaders(random, facts), ...lengthHeaders], body, message: null, surface: 'rest', operation: operation !== null && isRead(method) ? operation : null, wants: 'either', isOdd };
}
