import { describe, expect, it } from 'vitest';
import { gatewayHeaders } from '../../src/contract/gateway.ts';
import { createAuthenticator, type Gateway } from '../../src/keys/authenticator.ts';
import { createKeyRing } from '../../src/keys/ring.ts';
import { exchangeOf } from '../../src/http/exchange.ts';
import { callerOf } from '../../src/requests/caller.ts';
import type { Services } from '../../src/requests/services.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const gateway: Gateway = { host: 'Filings.example.com', secrets: ['first-secret', 'second-secret'] };
const through = {
  'x-marketplace-proxy-secret': 'second-secret',
  'x-marketplace-host': 'filings.example.COM',
  'x-marketplace-key': 'buyer',
};
const who = (headers: Record<string, string>, configured = gateway, verb: 'any' | 'direct' = 'any') =>
  createAuthenticator(
    createKeyRing(['good', 'other'], null, () => {}),
    configured,
  )[verb]((name) => headers[name], now);

describe('direct keys', () => {
  it.each([
    { 'x-api-key': 'good' },
    { authorization: 'Bearer good' },
    { authorization: 'bearer  good ' },
    { 'x-api-key': 'good', authorization: 'Bearer good' },
  ])('a request with %o gets in', (headers) =>
    expect(who(headers as Record<string, string>)).toMatch(/^[0-9a-f]{8}$/),
  );
  it.each([
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'Good' },
    { 'x-api-key': 'good ' },
    { 'x-api-key': 'good, good' },
    { 'x-api-key': 'good,other' },
    { authorization: 'good' },
    { authorization: 'Basic good' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer good other' },
    { 'x-api-key': 'good', authorization: 'Bearer other' },
    { 'x-api-key': 'bad', authorization: 'Bearer good' },
    { 'x-api-key': 'x'.repeat(100_000) },
    { 'x-api-key': '__proto__' },
  ])('a request with %o gets 401', (headers) => expect(who(headers as Record<string, string>)).toBeNull());
  it('a wrong direct key gets 401 also beside good gateway headers', () =>
    expect(who({ ...through, 'x-api-key': 'bad' })).toBeNull());
});

describe('the gateway', () => {
  it('each buyer that the gateway names is a caller of its own, with a name that is safe in a log', () => {
    const as = (name: string) => who({ ...through, 'x-marketplace-user': name });
    expect([as('alice'), as('bob@example.com'), as('')]).toEqual([
      'gateway:alice',
      'gateway:bob@example.com',
      'gateway',
    ]);
    for (const odd of ['a"b', 'a b', '\u00e9', 'x'.repeat(65), '{}', 'a\nb'])
      expect(as(odd)).toMatch(/^gateway:#[0-9a-f]{16}$/);
    expect(as('a"b')).not.toBe(as('a"c'));
  });
  it('with another name of the gateway, only headers of that name count', () => {
    const renamed = { ...gateway, headers: gatewayHeaders('rapidapi') };
    const sent = Object.fromEntries(
      Object.entries({ ...through, 'x-marketplace-user': 'alice' }).map(([name, value]) => [
        name.replace('marketplace', 'rapidapi'),
        value,
      ]),
    );
    expect([who(sent, renamed), who(through, renamed), who(sent)]).toEqual(['gateway:alice', null, null]);
  });
  it('a buyer has the limit of its plan, and keeps what was counted when the plan changes', () => {
    const authenticator = createAuthenticator(
      createKeyRing([], null, () => {}),
      {
        ...gateway,
        perMinute: new Map([
          ['BASIC', 2],
          ['pro', 4],
          ['*', 1],
        ]),
      },
    );
    const as = (user: string, plan: string) => {
      const headers: Record<string, string> = {
        ...through,
        'x-marketplace-user': user,
        'x-marketplace-subscription': plan,
      };
      return authenticator.any((name) => headers[name], now) as string;
    };
    const take = (caller: string) => authenticator.take(caller, 1, () => 1000)?.perMinute ?? 'ok';
    const [basic, other] = [as('a', 'basic'), as('b', 'ULTRA')];
    expect([take(basic), take(basic), take(basic), take(other), take(other)]).toEqual([
      'ok',
      'ok',
      2,
      'ok',
      1,
    ]);
    expect(authenticator.standing(basic, () => 1000)).toEqual({
      perMinute: 2,
      requests: 0,
      moreInSeconds: 61,
    });
    expect(authenticator.standing(basic, () => 61_000)).toEqual({
      perMinute: 2,
      requests: 0,
      moreInSeconds: 1,
    });
    as('a', 'PRO');
    expect([take(basic), take(basic), take(basic)]).toEqual(['ok', 'ok', 4]);
    expect(authenticator.standing('gateway:unknown', () => 1000)).toBeNull();
  });
  it('a request of the gateway gets in with proof, host and buyer, with either secret', () => {
    expect(who(through)).toBe('gateway');
    expect(who({ ...through, 'x-marketplace-proxy-secret': 'first-secret' })).toBe('gateway');
  });
  it.each(Object.keys(through))('a request of the gateway without %s gets 401', (name) =>
    expect(who({ ...through, [name]: '' })).toBeNull(),
  );
  it.each([
    ['x-marketplace-proxy-secret', 'third-secret'],
    ['x-marketplace-proxy-secret', 'second-secret, second-secret'],
    ['x-marketplace-host', 'evil.example.com'],
    ['x-marketplace-key', 'x'.repeat(1000)],
  ])('a request of the gateway with %s gets 401: %s', (name, value) =>
    expect(who({ ...through, [name]: value })).toBeNull(),
  );
  it('a request of the gateway gets 401 if nothing is configured', () => {
    expect(who(through, { host: 'filings.example.com', secrets: [] })).toBeNull();
    expect(
      who({ ...through, 'x-marketplace-proxy-secret': '' }, { host: 'filings.example.com', secrets: [''] }),
    ).toBeNull();
    expect(who(through, { host: null, secrets: gateway.secrets })).toBeNull();
  });
  it('the secret of the gateway is no direct key', () => expect(who(through, gateway, 'direct')).toBeNull());
});

describe('a connection that was let in', () => {
  it('has its key for a second more, with no other key and with no second credential', () => {
    let [elapsedMs, valid] = [0, ['good']];
    const services = {
      authenticator: {
        any: (header: (name: string) => string | undefined) =>
          header('authorization') === undefined && valid.includes(header('x-api-key') ?? '') ? 'one' : null,
      },
      expiryNow: () => now,
      elapsed: () => elapsedMs,
    } as unknown as Services;
    const connection = {};
    const ask = (headers: Record<string, string>) =>
      callerOf(services, exchangeOf({ method: 'GET', target: '/', host: '', headers, body: '', connection }));
    expect(ask({ 'x-api-key': 'good' })).toBe('one');
    valid = [];
    elapsedMs = 999;
    expect(ask({ 'x-api-key': 'good' })).toBe('one');
    expect(ask({ 'x-api-key': 'other' })).toBeNull();
    expect(ask({ 'x-api-key': 'good', authorization: 'Bearer other' })).toBeNull();
    elapsedMs = 1000;
    expect(ask({ 'x-api-key': 'good' })).toBeNull();
  });
});
