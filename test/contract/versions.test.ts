import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { announcements, deprecations, type Deprecation } from '../../src/contract/versions.ts';
import { createAuthenticator } from '../../src/keys/authenticator.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import { exchangeOf } from '../../src/http/exchange.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { complete } from '../../src/requests/complete.ts';
import { breakingChanges } from '../support/breaking.ts';

type Json = Record<string, unknown>;
const released = JSON.parse(readFileSync(new URL('openapi-0.1.0.json', import.meta.url), 'utf8')) as Json;
const current = () => JSON.parse(JSON.stringify(openApiDocument(null))) as Json;

/** The part of a document at a path with `/` between the names; `~` stands for `/` within a name. */
function at(document: Json, path: string): Json {
  let value: unknown = document;
  for (const name of path.split('/')) value = (value as Json)[name.replaceAll('~', '/')];
  return value as Json;
}

describe('the description of the service', () => {
  it('nothing that clients of the last release rely on is gone or different', () => {
    expect(Object.keys(released['paths'] as Json).length).toBeGreaterThan(15);
    expect(breakingChanges(released, current())).toEqual([]);
  });

  const set = (path: string, name: string, value: unknown) => (document: Json) =>
    void (at(document, path)[name] = value);
  const unset = (path: string, name: string) => (document: Json) => void delete at(document, path)[name];
  const [latest, demo] = ['paths/~v1~sec~latest/get', 'paths/~demo/get'];
  const [filing, members] = ['components/schemas/Filing', 'components/schemas/Filing/properties'];
  const status = 'components/schemas/ProbeResponse/properties/status';
  function tightenLimit(document: Json): void {
    const all = at(document, latest)['parameters'] as Json[];
    const limit = all.find(({ name }) => name === 'limit') as Json;
    (limit['schema'] as Json)['maximum'] = 100;
  }

  it.each<[string, (document: Json) => void, string]>([
    ['a path is gone', unset('paths', '/demo'), 'GET /demo: is gone'],
    ['an operation has another id', set(demo, 'operationId', 'demo'), 'is called demo'],
    ['a parameter is gone', set(latest, 'parameters', []), 'the parameter query form is gone'],
    ['a parameter is required', set(`${latest}/parameters/0`, 'required', true), 'is required now'],
    ['a bound of a parameter is tighter', tightenLimit, 'limit: maximum is 100 now'],
    ['a public operation needs a key', set(demo, 'security', [{ apiKey: [] }]), 'needs a key now'],
    [
      'a way to send a key is gone',
      set('paths/~v1~sec~stats/get', 'security', [{ apiKey: [] }]),
      'is not opened by bearer any more',
    ],
    ['an answer has no ETag', unset(`${demo}/responses/200/headers`, 'ETag'), 'the header ETag is gone'],
    ['a member is gone', unset(members, 'accessionNo'), 'accessionNo: is gone'],
    ['a member has another type', set(members, 'form', { type: 'integer' }), 'form: may be integer now'],
    ['a member may be null', set(members, 'form', { type: ['string', 'null'] }), 'form: may be null now'],
    ['a member may be left out', set(filing, 'required', []), 'accessionNo: may be left out now'],
    ['a closed list of values gets another one', set(status, 'const', 'fine'), 'status: is not ok any more'],
  ])('it is noticed that %s', (_, change, line) => {
    const changed = current();
    change(changed);
    expect(breakingChanges(released, changed).join('\n')).toContain(line);
  });

  it('what may change at any time breaks nothing', () => {
    const changed = current();
    at(changed, 'components/schemas/Filing/properties')['another'] = { type: 'string' };
    (at(changed, 'components/schemas/Filing')['required'] as string[]).push('another');
    (at(changed, 'paths/~v1~sec~latest/get')['parameters'] as Json[]).push({
      name: 'another',
      in: 'query',
      required: false,
      schema: { type: 'string' },
    });
    at(changed, 'paths')['/v1/sec/another'] = { get: { operationId: 'another', responses: {} } };
    (
      at(changed, 'components/schemas/ErrorResponse/properties/error/properties/code')['enum'] as string[]
    ).push('more');
    expect(breakingChanges(released, changed)).toEqual([]);
  });
});

describe('deprecations', () => {
  const given: Deprecation[] = [
    { operations: ['a', 'b'], what: 'x', instead: 'y', announcedOn: '2027-01-15', removedOn: '2028-01-15' },
    { operations: ['a'], what: 'z', instead: 'y', announcedOn: '2027-03-01', removedOn: '2028-03-01' },
  ];

  it('answers announce what is deprecated in their operation, and when it goes', () => {
    const services = {
      authenticator: createAuthenticator(
        createKeyRing([], null, () => {}),
        { host: null, secrets: [] },
      ),
      elapsed: () => 0,
      now: () => 0,
      served: { coverage: () => null },
    };
    const headersOf = (operation: string, headers: Record<string, string>) => {
      const exchange = exchangeOf({ method: 'GET', target: '/', host: '', headers: {}, body: '' });
      exchange.operation = operation;
      return complete(services, exchange, { status: 200, headers, body: null }, announcements(given)).headers;
    };
    expect(headersOf('a', { Link: '</next>; rel="next"' })).toMatchObject({
      Deprecation: '@1799971200',
      Sunset: 'Sat, 15 Jan 2028 00:00:00 GMT',
      Link: '</next>; rel="next", </docs/versions>; rel="deprecation"; type="text/html"',
    });
    expect(headersOf('b', {})['Link']).toBe('</docs/versions>; rel="deprecation"; type="text/html"');
    expect(Object.keys(headersOf('c', {}))).toEqual(['X-Request-Id']);
  });

  it('what is deprecated stays for a year after it was announced', () => {
    expect(() => announcements([{ ...given[0], removedOn: '2028-01-14' } as Deprecation])).toThrow(
      'x: stays until 2028-01-15 at least',
    );
    expect(() => announcements(deprecations)).not.toThrow();
  });
});
