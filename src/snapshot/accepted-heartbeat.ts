import { verify, type KeyObject } from 'node:crypto';
import { Heartbeat, heartbeatText } from '../format/heartbeat-file.ts';
import { minuteMs } from '../time/units.ts';
import { ContentError } from '../files/watch.ts';
import { afterAcceptanceTime } from '../time/calendar.ts';

/** A heartbeat that was accepted, and until when data counts as fresh by it. */
export interface AcceptedHeartbeat {
  readonly heartbeat: Heartbeat;
  /** From this instant on data counts as stale, in milliseconds since 1970, and as records write it. */
  readonly staleFromMs: number;
  readonly staleAfter: string;
}

/** Keeps the newest heartbeat of a follower. */
export interface Heartbeats {
  /** The newest one; null if there is none. */
  newest(): AcceptedHeartbeat | null;
  /**
   * Takes the text of the file; null if there is none. Throws a `ContentError` if it is no heartbeat, or not
   * one that a trusted key has signed, and another `Error` if its time has not come yet.
   */
  take(text: string | null, nowMs: number): void;
}

/** How far a heartbeat may be ahead of this machine's clock, in milliseconds. */
const aheadMaximumMs = 30 * minuteMs;

/**
 * Makes the keeper of heartbeats. Data is fresh for `freshWithinMs` of EDGAR's hours after one. `keys` are
 * those that may have signed it; null if it need not be signed. An older heartbeat than the newest one is
 * ignored: who shows an old one again changes nothing.
 */
export function createHeartbeats(freshWithinMs: number, keys: readonly KeyObject[] | null): Heartbeats {
  let newest: AcceptedHeartbeat | null = null;
  return {
    newest: () => newest,
    take(text, nowMs) {
      if (text === null) {
        // Whoever can remove the file must not make late data look fresh where heartbeats have to be signed.
        if (keys === null) newest = null;
        return;
      }
      const heartbeat = parse(text);
      if (keys !== null && !isSigned(heartbeat, keys))
        throw new ContentError('it is not signed by TRUSTED_KEY');
      const readMs = Date.parse(heartbeat.readAt);
      if (readMs > nowMs + aheadMaximumMs)
        throw new Error(`it says that EDGAR was read at ${heartbeat.readAt}, which is in the future`);
      // One that says that it was written far in the future would keep out all later ones.
      if (Date.parse(heartbeat.writtenAt) > nowMs + aheadMaximumMs)
        throw new Error(`it says that it was written at ${heartbeat.writtenAt}, which is in the future`);
      if (newest !== null && heartbeat.writtenAt < newest.heartbeat.writtenAt) return;
      const staleFromMs = afterAcceptanceTime(readMs, freshWithinMs);
      newest = { heartbeat, staleFromMs, staleAfter: new Date(staleFromMs).toISOString() };
    },
  };
}

function parse(text: string): Heartbeat {
  try {
    return Heartbeat.parse(JSON.parse(text));
  } catch {
    throw new ContentError('it is no heartbeat of format 1');
  }
}

function isSigned(heartbeat: Heartbeat, keys: readonly KeyObject[]): boolean {
  const { signature } = heartbeat;
  if (signature === undefined) return false;
  const bytes = Buffer.from(signature.signature, 'base64');
  return keys.some((key) => verify(null, heartbeatText(heartbeat), key, bytes));
}
