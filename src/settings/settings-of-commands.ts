import type { BuildSettings, RuntimeSettings } from './settings.ts';

/** The name of a setting of the environment. */
export type SettingName = keyof RuntimeSettings | keyof BuildSettings;

/**
 * The help text of every setting of the environment, with its default in parentheses. The type makes sure
 * that no setting is missing.
 */
export const settingTexts: Readonly<Record<SettingName, string>> = {
  HOST: 'address to listen on (127.0.0.1)',
  PORT: 'port to listen on (8787)',
  BASE_URL: 'address that others reach the service by',
  SNAPSHOTS_DIR: 'where snapshots and the pointer are (snapshots)',
  TRUSTED_KEY: 'public key (PEM, or its base64 line): take only pointers that it signed',
  SIGNING_KEY_FILE: 'private Ed25519 key in PEM that signs the pointer',
  SNAPSHOTS_URL: 'read the snapshots from this address; SNAPSHOTS_DIR, if set, keeps copies',
  API_KEYS_FILE: 'digests of keys (keys.json in SNAPSHOTS_DIR)',
  API_KEYS: 'keys with commas between, for local use',
  API_KEY: 'key of the service with which the feed is read',
  API_KEY_FILE: 'file with that key, which is read again when the service refuses it',
  WEBHOOK_SIGNING_KEY_FILE: 'private Ed25519 key in PEM that signs webhooks beside their secrets',
  MARKETPLACE_NAME: "the gateway's name in x-<name>-host and its other headers (marketplace)",
  MARKETPLACE_HOST: "the gateway's host",
  MARKETPLACE_PROXY_SECRETS: "the gateway's secrets, with commas between",
  MARKETPLACE_LIMITS: 'requests a minute of each buyer by plan: BASIC=60,PRO=600,*=30 (none)',
  OAUTH_ISSUER: 'issuer of the OAuth tokens that count beside keys, as tokens name it (none)',
  OAUTH_AUDIENCE: 'audience that tokens must name (addresses of the service)',
  OAUTH_LIMITS: 'requests a minute of each caller with a token by its plan: BASIC=60,*=30 (none)',
  MARKETPLACE_URL: 'where a subscription is bought',
  PLANS_FILE: 'JSON list of the plans that /subscribe offers',
  METRICS_HOST: 'address to listen on for GET /metrics (HOST)',
  METRICS_PORT: 'port of GET /metrics, which Prometheus reads (none)',
  LOG_LEVEL: 'silent, error, warn, info or debug (info)',
  INTENTS_DIR: 'journal of the validation catalog (intents in SNAPSHOTS_DIR)',
  CONTACT_EMAIL: 'mailbox that discovery documents name',
  CONTENTS: 'contents to ask for: ownership, documents or none (ownership,documents)',
  EDGAR_USER_AGENT: 'name and mailbox, as the SEC asks: "Jane Doe jane@example.com"',
  EDGAR_DATA_URL: 'address of the submissions (https://data.sec.gov)',
  EDGAR_WWW_URL: 'address of the ticker files (https://www.sec.gov)',
  STALE_AFTER_HOURS: "after how many hours of EDGAR's business days data counts as stale (36)",
  FRESH_WITHIN: "seconds of EDGAR's hours without a heartbeat after which data is stale (300)",
  EDGAR_RPS: 'requests a second, at most 10 (5)',
};

const fetching = ['EDGAR_USER_AGENT', 'EDGAR_RPS', 'EDGAR_DATA_URL', 'EDGAR_WWW_URL', 'LOG_LEVEL'] as const;
const watched = ['HOST', 'METRICS_HOST', 'METRICS_PORT'] as const;
const building = [
  'SNAPSHOTS_DIR',
  'BASE_URL',
  'MARKETPLACE_NAME',
  'MARKETPLACE_URL',
  'PLANS_FILE',
  'INTENTS_DIR',
  'CONTACT_EMAIL',
  'STALE_AFTER_HOURS',
  'SIGNING_KEY_FILE',
  'TRUSTED_KEY',
] as const;

/**
 * The settings that each command reads. It reads no other, and its help lists them. `start` runs a build where
 * there is no snapshot yet.
 */
export const commandSettings = {
  start: [
    'HOST',
    'PORT',
    'SNAPSHOTS_URL',
    'API_KEYS_FILE',
    'API_KEYS',
    'MARKETPLACE_HOST',
    'MARKETPLACE_PROXY_SECRETS',
    'MARKETPLACE_LIMITS',
    'OAUTH_ISSUER',
    'OAUTH_AUDIENCE',
    'OAUTH_LIMITS',
    'FRESH_WITHIN',
    'METRICS_HOST',
    'METRICS_PORT',
    'LOG_LEVEL',
    ...building,
  ],
  ingest: ['SNAPSHOTS_DIR', ...fetching, 'CONTENTS'],
  build: [...building, 'LOG_LEVEL'],
  rebuild: [...building, ...fetching, 'CONTENTS'],
  follow: [...building, ...fetching, 'CONTENTS', ...watched],
  reconcile: ['SNAPSHOTS_DIR', ...fetching, 'CONTENTS'],
  verify: ['SNAPSHOTS_DIR', 'TRUSTED_KEY', 'LOG_LEVEL'],
  diff: ['SNAPSHOTS_DIR', 'LOG_LEVEL'],
  rollback: ['SNAPSHOTS_DIR', 'SIGNING_KEY_FILE', 'TRUSTED_KEY', 'LOG_LEVEL'],
  export: ['SNAPSHOTS_DIR', 'LOG_LEVEL'],
  deliver: ['API_KEY', 'API_KEY_FILE', 'WEBHOOK_SIGNING_KEY_FILE', ...watched, 'LOG_LEVEL'],
  keys: ['SNAPSHOTS_DIR', 'API_KEYS_FILE', 'LOG_LEVEL'],
} as const satisfies Readonly<Record<string, readonly SettingName[]>>;

/** The settings of a command of the build. */
export type SettingsOf<Name extends Exclude<keyof typeof commandSettings, 'start'>> = Pick<
  BuildSettings,
  (typeof commandSettings)[Name][number]
>;
