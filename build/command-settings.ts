import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { openToOthers } from '../src/files/own-only.ts';
import type { SnapshotSettings } from '../src/format/snapshot.ts';
import { gatewayNameDefault } from '../src/contract/gateway.ts';
import type { LineLog } from '../src/log/levels.ts';
import type { SettingsOf } from '../src/settings/settings-of-commands.ts';
import { SettingsError, type BuildSettings } from '../src/settings/settings.ts';
import { validateUserAgent, type EdgarSettings } from './edgar/client.ts';
import type { LedgerFolders } from './ingest/known.ts';
import { onStopSignal } from '../src/stop-signals.ts';
import { readPlans } from './plans.ts';
import { createPointerSigner, readSigningKey, type SignPointer } from './snapshot/sign.ts';

/**
 * Returns the folder of the ledger that commands use without `--ledger`. It is never the embedded sample,
 * which must stay as it is.
 */
export const defaultLedger = (settings: Pick<BuildSettings, 'SNAPSHOTS_DIR'>) =>
  join(settings.SNAPSHOTS_DIR, 'ledger');

/** Options that name the folders of a command. */
export interface FolderOptions {
  readonly ledger?: string | undefined;
  readonly snapshots?: string | undefined;
}

/** Returns the folders that the options of a command name, or else its settings. */
export const foldersOf = (
  { ledger, snapshots }: FolderOptions,
  settings: Pick<BuildSettings, 'SNAPSHOTS_DIR'>,
): LedgerFolders => ({
  ledgerDirectory: ledger ?? defaultLedger(settings),
  snapshotsDirectory: snapshots ?? settings.SNAPSHOTS_DIR,
});

/** Returns what `check` returns. An error of `check` is thrown as a `SettingsError`, behind `prefix`. */
export function setting<Value>(check: () => Value, prefix = ''): Value {
  try {
    return check();
  } catch (error) {
    throw new SettingsError(`${prefix}${(error as Error).message}`);
  }
}

/**
 * Returns the settings of the EDGAR client. Throws `SettingsError` if `EDGAR_USER_AGENT` is missing or wrong.
 */
export function edgarSettings(
  settings: Pick<BuildSettings, 'EDGAR_USER_AGENT' | 'EDGAR_DATA_URL' | 'EDGAR_WWW_URL' | 'EDGAR_RPS'>,
): EdgarSettings {
  if (settings.EDGAR_USER_AGENT === null)
    throw new SettingsError(
      'EDGAR_USER_AGENT: must be set to a name and a mailbox, as the SEC asks: "Jane Doe jane@example.com"',
    );
  const userAgent = setting(() => validateUserAgent(settings.EDGAR_USER_AGENT as string));
  return {
    userAgent,
    dataUrl: settings.EDGAR_DATA_URL,
    wwwUrl: settings.EDGAR_WWW_URL,
    requestsPerSecond: settings.EDGAR_RPS,
  };
}

/** Returns the settings that a snapshot is made with. Throws `SettingsError` for a wrong file of plans. */
export function snapshotSettings(settings: SettingsOf<'build'>): SnapshotSettings {
  return {
    baseUrl: settings.BASE_URL,
    marketplaceUrl: settings.MARKETPLACE_URL,
    ...(settings.MARKETPLACE_NAME === gatewayNameDefault
      ? {}
      : { marketplaceName: settings.MARKETPLACE_NAME }),
    ...(settings.CONTACT_EMAIL === null ? {} : { contactEmail: settings.CONTACT_EMAIL }),
    ...(settings.STALE_AFTER_HOURS === null ? {} : { staleAfterHours: settings.STALE_AFTER_HOURS }),
    ...readPlans(settings.PLANS_FILE),
  };
}

/** Returns the signing key; null if none is configured. Throws `SettingsError`. */
export function signingKeyOf({
  SIGNING_KEY_FILE,
}: Pick<BuildSettings, 'SIGNING_KEY_FILE'>): KeyObject | null {
  return SIGNING_KEY_FILE === null ? null : setting(() => readSigningKey(SIGNING_KEY_FILE));
}

/**
 * Returns the function that signs pointers, or an empty object if no signing key is configured. `now` is in
 * milliseconds. Throws `SettingsError`.
 */
export function signerOf(
  settings: Pick<BuildSettings, 'SIGNING_KEY_FILE' | 'TRUSTED_KEY'>,
  now: () => number,
): { readonly sign?: SignPointer } {
  const key = signingKeyOf(settings);
  return key === null ? {} : { sign: createPointerSigner(key, now, settings.TRUSTED_KEY ?? []) };
}

/**
 * Logs a warning for each of the files that other users may read or change: whoever changes a file of keys
 * has a key, and whoever reads a signing key can sign. Null stands for a file that is not set.
 */
export async function warnOfOpenFiles(files: readonly (string | null)[], log: LineLog): Promise<void> {
  for (const path of files) {
    const may = path === null ? null : await openToOthers(path);
    if (may !== null) log(`${path}: ${may}`, 'warn');
  }
}

/**
 * Checks the files that publishing reads, before anything is fetched, and logs a warning if others may read the
 * signing key. Each publication reads them again. Throws `SettingsError`.
 */
export async function checkPublishing(
  settings: Pick<BuildSettings, 'SIGNING_KEY_FILE' | 'TRUSTED_KEY' | 'PLANS_FILE'>,
  log: LineLog,
): Promise<void> {
  signerOf(settings, () => 0);
  readPlans(settings.PLANS_FILE);
  await warnOfOpenFiles([settings.SIGNING_KEY_FILE], log);
}

/** Returns a signal that is aborted when this process is asked to end. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  return stop.signal;
}
