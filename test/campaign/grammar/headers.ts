import { valuesIn } from '../../support/values.ts';
import type { Random } from '../random.ts';
import type { Facts, Header } from '../request.ts';

const accepts = [
  ...valuesIn(`
    application/json | */* | text/html | text/html,application/xhtml+xml;q=0.9,*/*;q=0.8
    text/html;q=0.1, application/json;q=0.9 | text/event-stream | application/json, text/event-stream | ;;;
    q=1 | application/json;q=abc | text/html;q=1e9 | text/html;q=-1 | * | ,,, | application/* | image/png`),
  '',
];
const encodings = [
  ...valuesIn(`
    br | gzip | gzip, br | br;q=0 | gzip;q=0, * | *;q=0 | identity;q=0 | br;q=1e9 | br;q=-1 | br;q=NaN
    gzip;q=0.001, br;q=1.000 | BR | x-gzip | zstd | * | gzip;Q=1 | gzip ; q = 1 | br;q=0;q=1 | br;q=0.0001
    br;q=1.5, gzip;q=0.5 | br;q= | ;q=1 | gzip;q=0.5, br;q=0.5, identity;q=0.7 | identity`),
  ' , ,',
  '',
];
const ranges = [
  ...valuesIn(`
    bytes=0-9 | bytes=99999999- | bytes=-5 | bytes=-0 | bytes=5-1 | bytes=0-0,2-3 | bytes=a-b | items=0-1
    bytes=0-99999999999999999999 | bytes= | bytes=- | bytes=0- | BYTES=1-2 | bytes = 0-1
    bytes=99999999999999999999999- | bytes=-99999999999999999999 | bytes=0-0 | bytes=1-0x5 | bytes=--1`),
  '',
];
const strangeHosts = [
  ...valuesIn(`
    x | [::1] | EXAMPLE.com:80 | x:99999 | x:0 | x@y | user:pass@127.0.0.1 | x/y | :: | [ | [::1 | %41
    ex ample | x\\y | ; | x?y | x#y | 0 | 1.2.3.4.5 | .. | - | \xe9.com | <script> | xn-- | a,b
    localhost, evil.example | 127.1 | 2130706433 | localhost. | 999.999.999.999 | x: | :80`),
  '',
  '\tx',
];
const origins = [
  ...valuesIn(`
    null | http://evil.example | :// | x | http://localhost | https://127.0.0.1 | http://127.0.0.1:1 | file://
    http://\xff`),
  '',
  `http://${'a'.repeat(2000)}.example`,
];

/** Headers that any request may have. `isOdd` if the HTTP layer may refuse one of them. */
export interface SomeHeaders {
  readonly headers: readonly Header[];
  readonly isOdd: boolean;
}

/** What a request says about itself, without its key and its body. */
export function someHeaders(random: Random, facts: Facts, target: string): SomeHeaders {
  const own = `127.0.0.1:${facts.port}`;
  const [host, isOdd] = random.weighted<[string, boolean]>([
    [60, [own, false]],
    [10, [`localhost:${facts.port}`, false]],
    [2, ['localhost', false]],
    [5, [random.choose(strangeHosts), true]],
    [1, [`${'a'.repeat(random.integer(200, 4000))}.example`, true]],
  ]);
  const headers: Header[] = [[random.choose(['Host', 'host', 'HOST']), host]];
  const maybe = (probability: number, name: string, value: () => string) => {
    if (random.chance(probability)) headers.push([random.chance(0.2) ? name.toUpperCase() : name, value()]);
  };
  maybe(0.3, 'Accept', () => random.choose(accepts));
  maybe(0.4, 'Accept-Encoding', () =>
    random.chance(0.02)
      ? Array.from({ length: 500 }, (_, at) => `e${at};q=0.${at}`).join(',')
      : random.choose(encodings),
  );
  maybe(0.02, 'Accept-Encoding', () => random.choose(encodings));
  maybe(0.3, 'If-None-Match', () => heldList(random, facts, target));
  maybe(0.02, 'If-None-Match', () => heldList(random, facts, target));
  maybe(0.12, 'Range', () => random.choose(ranges));
  maybe(0.04, 'If-Range', () =>
    random.choose(['"x"', etagOf(random, facts, target), 'Wed, 21 Oct 2026 07:28:00 GMT', '']),
  );
  maybe(0.05, 'If-Modified-Since', () => random.choose(['Wed, 21 Oct 2037 07:28:00 GMT', 'yesterday', '']));
  maybe(0.02, 'If-Match', () => random.choose(['"x"', '*', '']));
  maybe(0.08, 'Origin', () => (random.chance(0.3) ? `http://${own}` : random.choose(origins)));
  maybe(0.05, 'X-Forwarded-For', () => random.choose(['127.0.0.1', '::1', "' OR 1=1", 'a'.repeat(1000)]));
  maybe(0.03, 'X-Forwarded-Host', () => random.choose(['evil.example', own, '']));
  maybe(0.03, 'X-Forwarded-Proto', () => random.choose(['https', 'javascript', '']));
  maybe(0.03, 'X-HTTP-Method-Override', () => random.choose(['DELETE', 'POST', 'x']));
  maybe(0.04, 'User-Agent', () =>
    random.choose(['Mozilla/5.0', 'Googlebot', '', '\xff\xfe', 'x'.repeat(3000)]),
  );
  maybe(0.03, 'Referer', () =>
    random.choose([
      'http://x.example/?secret=1',
      'javascript:alert(1)',
      '\xe9',
      'http://[',
      'x'.repeat(2000),
    ]),
  );
  maybe(0.02, 'Cookie', () => 'a=b; '.repeat(random.integer(1, 200)));
  maybe(0.02, 'Connection', () => random.choose(['keep-alive', 'Keep-Alive, x', 'x-api-key', 'TE']));
  maybe(0.02, 'Sec-Purpose', () => 'prefetch');
  maybe(0.02, 'TE', () => 'trailers');
  if (random.chance(0.01))
    for (let at = random.integer(50, 900); at > 0; at--) headers.push([`x-${at}`, 'y']);
  return { headers, isOdd };
}

/** The ETag that this or another target had, mostly that of this one. */
function etagOf(random: Random, { known }: Facts, target: string): string {
  const own = known.find((each) => each.target === target);
  return own && random.chance(0.7) ? own.etag : random.choose(known).etag;
}

function heldList(random: Random, facts: Facts, target: string): string {
  const etag = () => etagOf(random, facts, target);
  return random.weighted<() => string>([
    [10, etag],
    [4, () => `W/${etag()}`],
    [3, () => `"x", ${etag()}, "y"`],
    [3, () => `${etag().slice(0, -1)}-${random.choose(['br', 'gzip', 'zstd', 'BR'])}"`],
    [2, () => '*'],
    [2, () => Array.from({ length: random.integer(2, 300) }, (_, at) => `"${at}"`).join(', ')],
    [1, () => `"a,${etag()},b"`],
    [1, () => etag().slice(1, -1)],
    [1, () => `${etag()}, *`],
    [1, () => `w/${etag()}`],
    [
      1,
      () => random.choose(['', '"', '""', 'W/', '"\xff"', `"${'a'.repeat(5000)}"`, '"a" "b"', ',,,', "'x'"]),
    ],
  ])();
}

/** Ways to have, or not to have, a key. */
export function keyHeaders(random: Random, { key, gateway }: Facts): Header[] {
  const keys = (...values: string[]): Header[] => values.map((value) => ['x-api-key', value]);
  const credentials = (...values: string[]): Header[] => values.map((value) => ['Authorization', value]);
  const through = (secret: string, host: string, buyer: string): Header[] => [
    ['x-marketplace-proxy-secret', secret],
    ['x-marketplace-host', host],
    ['x-marketplace-key', buyer],
  ];
  const proven = () => through(gateway.secret, gateway.host, 'buyer');
  const unproven = (secret: string) => through(secret, gateway.host, 'buyer');
  const nearKeys = ['', key.slice(1), `${key}x`, key.toUpperCase(), 'k'.repeat(300), 'k'.repeat(6000)];
  const wrongKey = () => random.choose([...valuesIn('wrong | \xff | __proto__ | null | 0'), ...nearKeys]);
  const wrongCredential = () =>
    random.choose([
      ...valuesIn('Bearer | Bearer wrong | Bearer a b | Digest x'),
      '',
      'Bearer ',
      `Basic ${Buffer.from('a:b').toString('base64')}`,
      `Bearer ${'x'.repeat(5000)}`,
    ]);
  return random.weighted<() => Header[]>([
    [40, () => keys(key)],
    [12, () => credentials(`Bearer ${key}`)],
    [15, () => []],
    [3, () => [['X-API-KEY', `  ${key}\t`]]],
    [3, () => keys(wrongKey())],
    [2, () => keys(key, key)],
    [2, () => keys(key, 'wrong')],
    [2, () => keys('wrong', 'worse')],
    [2, () => credentials(random.choose([`bearer ${key}`, `BEARER   ${key}`, `Bearer  ${key} `]))],
    [2, () => credentials(wrongCredential())],
    [2, () => [...keys(key), ...credentials('Bearer wrong')]],
    [2, () => [...keys(key), ...credentials(`Bearer ${key}`)]],
    [1, () => [...keys('wrong'), ...credentials('Bearer wrong')]],
    [5, () => through(gateway.secret, random.choose([gateway.host, gateway.host.toUpperCase()]), 'buyer')],
    [1, () => unproven('wrong-secret')],
    [1, () => through(gateway.secret, 'other.example', 'buyer')],
    [1, () => through(gateway.secret, gateway.host, random.choose(['', 'x'.repeat(1000)]))],
    [1, () => proven().slice(1)],
    [1, () => [...unproven('wrong-secret'), ...unproven('also-wrong')]],
    [1, () => [...proven(), ...keys('wrong')]],
  ])();
}
