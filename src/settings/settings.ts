import * as z from 'zod';
import { gatewayNameDefault, gatewayNamePattern } from '../contract/gateway.ts';
import { freshWithinSecondsDefault } from '../format/heartbeat-file.ts';
import { isLoopback } from '../http/origin.ts';
import { isTrustworthy } from '../keys/issuer.ts';
import { perMinuteMaximum } from '../keys/ring.ts';
import { logLevels } from '../log/levels.ts';
import { parsePublicKeys } from '../snapshot/trust.ts';

/** A wrong setting, described in one line that names it. */
export class SettingsError extends Error {}

/**
 * The SEC's limit of requests in a second for all that one user runs, whatever the number of machines (SEC,
 * "Accessing EDGAR Data").
 */
export const edgarRpsMaximum = 10;

/** What a key looks like in a header. */
export const apiKeyPattern = /^[\x21-\x7e]{1,256}$/;

const httpUrl = z.string().refine((text) => {
  try {
    return /^https?:$/.test(new URL(text).protocol) && !text.includes('?') && !text.includes('#');
  } catch {
    return false;
  }
}, 'must be an http or https address without query');
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
);
const address = httpUrl.transform((text) => text.replace(/\/+$/, '')).nullable();

const portNumber = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
  .transform(Number)
  .pipe(z.int().max(65535, 'must be a port number from 0 to 65535'));

/** Limits of plans in requests a minute. */
const planLimits = () =>
  list
    .pipe(z.array(z.string().regex(planLimitPattern, planLimitRule)))
    .transform((entries) => new Map(entries.map(planLimit)))
    .refine((limits) => [...limits.values()].every((limit) => limit <= perMinuteMaximum), planLimitRule)
    .nullable()
    .default(null);

const planLimitPattern = /^[^=]{1,64}=[1-9]\d{0,6}$/;
const planLimitRule = `must be plans with requests a minute, 1 to ${perMinuteMaximum}, as BASIC=60,PRO=600,*=30`;

/** The plan and the requests a minute of an entry such as `BASIC=60`. */
function planLimit(entry: string): [plan: string, perMinute: number] {
  const [plan = '', perMinute = ''] = entry.split('=');
  return [plan.trim(), Number(perMinute)];
}

/** What can be asked for beside the metadata of filings: what ownership filings say, and the lists of documents. */
export const contentsNames = ['ownership', 'documents'] as const;
/** See the list of the same name. */
export type ContentsName = (typeof contentsNames)[number];

const isContentsName = (name: string): name is ContentsName => contentsNames.some((each) => each === name);

/** Settings that the runtime and the build share, by the name of their environment variable. */
const shared = {
  // Pages and redirects use paths from the root of the host, so the service cannot be below a path.
  BASE_URL: address
    .refine((text) => text === null || new URL(text).pathname === '/', 'must be an address without a path')
    .default(null),
  SNAPSHOTS_DIR: z.string().min(1).default('snapshots'),
  API_KEYS_FILE: z.string().min(1).nullable().default(null),
  MARKETPLACE_URL: address.default(null),
  MARKETPLACE_NAME: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.string().regex(gatewayNamePattern, 'must be 2 to 32 letters, digits and hyphens'))
    .default(gatewayNameDefault),
  INTENTS_DIR: z.string().min(1).nullable().default(null),
  TRUSTED_KEY: z
    .string()
    .transform((text, context) => {
      try {
        return parsePublicKeys(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    })
    .nullable()
    .default(null),
  HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_HOST: z.string().min(1).nullable().default(null),
  METRICS_PORT: portNumber.nullable().default(null),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
};

const runtime = z.object({
  ...shared,
  SNAPSHOTS_URL: address
    .refine(
      (text) => text === null || new URL(text).username === '',
      'must be an address without user and password',
    )
    .default(null),
  PORT: portNumber.default(8787),
  FRESH_WITHIN: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number of seconds from 1 to 999999')
    .transform(Number)
    .default(freshWithinSecondsDefault),
  API_KEYS: list
    .pipe(
      z.array(z.string().regex(/^\S{16,256}$/, 'must be keys of 16 to 256 characters, with commas between')),
    )
    .default([]),
  MARKETPLACE_HOST: z.string().min(1).nullable().default(null),
  MARKETPLACE_PROXY_SECRETS: list
    .pipe(z.array(z.string().min(8, 'each secret must have at least 8 characters').max(256)))
    .default([]),
  MARKETPLACE_LIMITS: planLimits(),
  // Compared with what tokens say, letter by letter: some issuers end with a slash.
  OAUTH_ISSUER: httpUrl
    .refine(isTrustworthy, 'must be an https address, or http on this machine')
    .nullable()
    .default(null),
  OAUTH_AUDIENCE: z.string().min(1).max(400).nullable().default(null),
  OAUTH_LIMITS: planLimits(),
});

const build = z.object({
  ...shared,
  STALE_AFTER_HOURS: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'must be a number of hours from 1 to 9999')
    .transform(Number)
    .nullable()
    .default(null),
  SIGNING_KEY_FILE: z.string().min(1).nullable().default(null),
  PLANS_FILE: z.string().min(1).nullable().default(null),
  CONTACT_EMAIL: z.email('must be a mailbox, e.g. data@example.com').nullable().default(null),
  API_KEY: z.string().regex(apiKeyPattern, 'must be a key of the service').nullable().default(null),
  API_KEY_FILE: z.string().min(1).nullable().default(null),
  WEBHOOK_SIGNING_KEY_FILE: z.string().min(1).nullable().default(null),
  CONTENTS: list
    .refine(
      (names) => names.length > 0 && (names.join() === 'none' || names.every(isContentsName)),
      `must be none, or some of ${contentsNames.join(', ')} with commas between`,
    )
    .transform((names) => names.filter(isContentsName))
    .default([...contentsNames]),
  EDGAR_USER_AGENT: z.string().nullable().default(null),
  EDGAR_DATA_URL: httpUrl.default('https://data.sec.gov'),
  EDGAR_WWW_URL: httpUrl.default('https://www.sec.gov'),
  EDGAR_RPS: z
    .string()
    .regex(/^\d+(\.\d+)?$/, `must be a number above 0 and at most ${edgarRpsMaximum}`)
    .transform(Number)
    .pipe(z.number().gt(0, 'must be above 0').max(edgarRpsMaximum, `must be at most ${edgarRpsMaximum}`))
    .default(5),
});

/** Settings of the service. */
export type RuntimeSettings = z.infer<typeof runtime>;
/** Settings of the build. */
export type BuildSettings = z.infer<typeof build>;

/** Variables of an environment. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

function read<Schema extends z.ZodObject>(
  schema: Schema,
  environment: Environment,
  names: readonly string[] = Object.keys(schema.shape),
): z.infer<Schema> {
  const given = Object.fromEntries(
    names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new SettingsError(`${String(issue?.path[0])}: ${issue?.message}`);
}

/** Reads the settings of the service. Throws `SettingsError`. */
export function readRuntimeSettings(environment: Environment): RuntimeSettings {
  const settings = read(runtime, environment);
  if (settings.MARKETPLACE_PROXY_SECRETS.length > 0 && settings.MARKETPLACE_HOST === null)
    throw new SettingsError('MARKETPLACE_HOST: must be set when MARKETPLACE_PROXY_SECRETS is');
  if (settings.OAUTH_ISSUER !== null && settings.BASE_URL === null && !isLoopback(settings.HOST))
    throw new SettingsError('BASE_URL: must be set when OAUTH_ISSUER is: tokens are made for that address');
  return settings;
}

/**
 * Reads the settings of the build, or only those that are named: a wrong one of another command is no error.
 * Throws `SettingsError`.
 */
export function readBuildSettings<Name extends keyof BuildSettings = keyof BuildSettings>(
  environment: Environment,
  names?: readonly Name[],
): Pick<BuildSettings, Name> {
  return read(build, environment, names);
}
