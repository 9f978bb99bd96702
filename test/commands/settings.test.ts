import { describe, expect, it } from 'vitest';
import {
  readBuildSettings,
  readRuntimeSettings,
  SettingsError,
  type Environment,
} from '../../src/settings/settings.ts';

function refusal(read: (environment: Environment) => unknown, environment: Environment): string {
  try {
    read(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as Error).message).not.toContain('\n');
    return (error as Error).message;
  }
  throw new Error(`${JSON.stringify(environment)} was accepted`);
}

const defaults = {
  BASE_URL: null,
  SNAPSHOTS_DIR: 'snapshots',
  SNAPSHOTS_URL: null,
  API_KEYS_FILE: null,
  MARKETPLACE_URL: null,
  INTENTS_DIR: null,
  TRUSTED_KEY: null,
  HOST: '127.0.0.1',
  METRICS_HOST: null,
  METRICS_PORT: null,
  LOG_LEVEL: 'info',
  FRESH_WITHIN: 300,
  PORT: 8787,
  API_KEYS: [],
  MARKETPLACE_HOST: null,
  MARKETPLACE_PROXY_SECRETS: [],
  MARKETPLACE_NAME: 'marketplace',
  MARKETPLACE_LIMITS: null,
  OAUTH_ISSUER: null,
  OAUTH_AUDIENCE: null,
  OAUTH_LIMITS: null,
};
const gateway = { MARKETPLACE_HOST: 'filings.example.com', MARKETPLACE_PROXY_SECRETS: 'secret-number-one' };

describe('settings of the service', () => {
  it('settings of the service have defaults, and ignore other variables', () => {
    expect(readRuntimeSettings({})).toEqual(defaults);
    expect(readRuntimeSettings({ PATH: '/bin', EDGAR_RPS: 'fast', port: '1' })).toEqual(defaults);
  });
  it('empty settings count as not set', () =>
    expect(readRuntimeSettings(Object.fromEntries(Object.keys(defaults).map((name) => [name, ''])))).toEqual(
      defaults,
    ));

  it.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65535],
    ['PORT', '080', 80],
    ['METRICS_HOST', '127.0.0.1', '127.0.0.1'],
    ['METRICS_PORT', '0', 0],
    ['METRICS_PORT', '9100', 9100],
    ['LOG_LEVEL', 'silent', 'silent'],
    ['LOG_LEVEL', 'debug', 'debug'],
    ['HOST', '::', '::'],
    ['SNAPSHOTS_DIR', '/var/data', '/var/data'],
    ['SNAPSHOTS_URL', 'https://files.example/snapshots/', 'https://files.example/snapshots'],
    ['API_KEYS_FILE', 'keys.json', 'keys.json'],
    ['INTENTS_DIR', '/var/intents', '/var/intents'],
    ['MARKETPLACE_NAME', 'RapidAPI', 'rapidapi'],
    [
      'MARKETPLACE_LIMITS',
      'BASIC=60, Pro Plus=600,*=1',
      new Map([
        ['BASIC', 60],
        ['Pro Plus', 600],
        ['*', 1],
      ]),
    ],
    ['BASE_URL', 'https://filings.example.com', 'https://filings.example.com'],
    ['BASE_URL', 'http://localhost:8787//', 'http://localhost:8787'],
    ['MARKETPLACE_URL', 'https://market.example.com/api/', 'https://market.example.com/api'],
    ['API_KEYS', 'sixteen-letters-', ['sixteen-letters-']],
    [
      'API_KEYS',
      ' the-first-of-two-keys , the-second-of-two-keys,,',
      ['the-first-of-two-keys', 'the-second-of-two-keys'],
    ],
    ['API_KEYS', ',', []],
  ])('take %s=%s', (name, text, value) =>
    expect(readRuntimeSettings({ [name]: text })).toEqual({ ...defaults, [name]: value }),
  );

  it('the gateway can have several secrets', () =>
    expect(
      readRuntimeSettings({ ...gateway, MARKETPLACE_PROXY_SECRETS: 'secret-number-one, secret-number-two' })
        .MARKETPLACE_PROXY_SECRETS,
    ).toEqual(['secret-number-one', 'secret-number-two']));

  it.each(
    Object.entries({
      PORT: ['http', '65536', '-1', '80.5', '1e3', ' 80', '0x50', '99999999'],
      METRICS_PORT: ['on', '65536'],
      LOG_LEVEL: ['verbose', 'INFO'],
      MARKETPLACE_NAME: ['a b', 'x', '-api'],
      MARKETPLACE_LIMITS: ['BASIC', 'BASIC=0', 'BASIC=60=70', 'BASIC=1000001'],
      BASE_URL: [
        'filings.example.com',
        'ftp://filings.example.com',
        'https://filings.example.com/?a=b',
        'https://filings.example.com/#a',
        'javascript:alert(1)',
        '/',
        'https://example.com/filings',
      ],
      SNAPSHOTS_URL: [
        'files.example',
        's3://bucket',
        'https://name:word@files.example',
        'https://files.example/?signed=yes',
      ],
      MARKETPLACE_URL: ['market'],
      API_KEYS: [
        'two words that are long',
        `the-first-of-two-keys,${'x'.repeat(257)}`,
        'x'.repeat(15),
        'the-first-of-two-keys,short',
      ],
    }),
  )('refuse %s=%j and name it', (name, texts) => {
    for (const text of texts)
      expect(refusal(readRuntimeSettings, { [name]: text }), text).toMatch(new RegExp(`^${name}: must be `));
  });

  it('secrets that can be guessed are refused without repeating them', () => {
    const message = refusal(readRuntimeSettings, {
      ...gateway,
      MARKETPLACE_PROXY_SECRETS: 'long-enough-secret,tiny',
    });
    expect(message).toMatch(/^MARKETPLACE_PROXY_SECRETS: .*8 characters/);
    expect(message).not.toMatch(/tiny|long-enough/);
  });
  it('a gateway with secrets and without a host is refused', () =>
    expect(
      refusal(readRuntimeSettings, { MARKETPLACE_PROXY_SECRETS: gateway.MARKETPLACE_PROXY_SECRETS }),
    ).toContain('MARKETPLACE_HOST: must be set'));
  it('a gateway with a host and without secrets stays closed', () =>
    expect(
      readRuntimeSettings({ MARKETPLACE_HOST: 'filings.example.com' }).MARKETPLACE_PROXY_SECRETS,
    ).toEqual([]));
});

describe('settings of the build', () => {
  it('settings of the build have defaults', () =>
    expect(readBuildSettings({})).toEqual({
      BASE_URL: null,
      SNAPSHOTS_DIR: 'snapshots',
      API_KEYS_FILE: null,
      MARKETPLACE_NAME: 'marketplace',
      MARKETPLACE_URL: null,
      INTENTS_DIR: null,
      TRUSTED_KEY: null,
      SIGNING_KEY_FILE: null,
      HOST: '127.0.0.1',
      METRICS_HOST: null,
      METRICS_PORT: null,
      LOG_LEVEL: 'info',
      STALE_AFTER_HOURS: null,
      PLANS_FILE: null,
      CONTACT_EMAIL: null,
      API_KEY: null,
      API_KEY_FILE: null,
      WEBHOOK_SIGNING_KEY_FILE: null,
      EDGAR_USER_AGENT: null,
      EDGAR_DATA_URL: 'https://data.sec.gov',
      EDGAR_WWW_URL: 'https://www.sec.gov',
      EDGAR_RPS: 5,
      CONTENTS: ['ownership', 'documents'],
    }));
  it.each([
    ['STALE_AFTER_HOURS', '1', 1],
    ['STALE_AFTER_HOURS', '9999', 9999],
    ['API_KEY', 'a-key-of-the-service', 'a-key-of-the-service'],
    ['EDGAR_RPS', '0.5', 0.5],
    ['EDGAR_RPS', '10', 10],
    ['CONTENTS', 'none', []],
    ['CONTENTS', 'ownership', ['ownership']],
    ['CONTENTS', 'documents, ownership', ['documents', 'ownership']],
    ['EDGAR_DATA_URL', 'http://127.0.0.1:9000/data', 'http://127.0.0.1:9000/data'],
    ['EDGAR_USER_AGENT', 'Somebody somebody@example.com', 'Somebody somebody@example.com'],
  ])('take %s=%s', (name, text, value) =>
    expect(readBuildSettings({ [name]: text })).toMatchObject({ [name]: value }),
  );
  it.each(
    Object.entries({
      STALE_AFTER_HOURS: ['0', '1.5', '-1', '10000', 'a day'],
      METRICS_PORT: ['-1'],
      LOG_LEVEL: ['all'],
      API_KEY: ['two words', 'a key\n'],
      EDGAR_RPS: ['0', '11', '10.01', '-1', 'many', '1e1', '.5'],
      CONTENTS: [',', 'all', 'none,ownership'],
      EDGAR_DATA_URL: ['data.sec.gov'],
      EDGAR_WWW_URL: ['file:///etc/passwd'],
    }),
  )('refuse %s=%j and name it', (name, texts) => {
    for (const text of texts)
      expect(refusal(readBuildSettings, { [name]: text }), text).toMatch(new RegExp(`^${name}: must be `));
  });
  it('settings of the build ignore those of the service', () =>
    expect(readBuildSettings({ PORT: 'none', MARKETPLACE_PROXY_SECRETS: 'x' })).toBeDefined());
});
