import { join } from 'node:path';
import { SettingsError, type BuildSettings } from '../src/settings/settings.ts';
import { validateUserAgent, type EdgarSettings } from './edgar/client.ts';
import { createPointerSigner, readSigningKey, type SignPointer } from './snapshot/sign.ts';

/**
 * Where a run of the ingest puts its batches unless told otherwise. The embedded sample is never added to.
 */
export const defaultLedger = (settings: BuildSettings) => join(settings.SNAPSHOTS_DIR, 'ledger');

/** Runs a check of the command line; what it throws is a wrong setting. */
export function setting<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
}

/** How EDGAR is asked. Throws `SettingsError`. */
export function edgarSettings(settings: BuildSettings): EdgarSettings {
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

/** What signs pointers, if there is a key. `now` is in milliseconds. Throws `SettingsError`. */
export function signerOf(
  { SIGNING_KEY_FILE }: BuildSettings,
  now: () => number,
): { readonly sign?: SignPointer } {
  return SIGNING_KEY_FILE === null
    ? {}
    : {
        sign: createPointerSigner(
          setting(() => readSigningKey(SIGNING_KEY_FILE)),
          now,
        ),
      };
}

/**
 * Aborted when this process is told to stop. A terminal and npm may both send the same signal: the second one
 * changes nothing.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}
