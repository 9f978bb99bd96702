import { createGate } from '../fetch/gate.ts';
import { createRetries, FailedAttempt, type RetryPolicy } from '../fetch/retries.ts';
import type { PartStore } from '../snapshot/store.ts';
import { sha256Of } from '../files/bytes.ts';
import type { Copies } from './copies.ts';
import { createWindowReader, usualWindows, type WindowBounds } from './windows.ts';
import { createHostWire, usualTimeouts, type HostTimeouts } from './host-wire.ts';

/** A host of files that holds snapshots. */
export interface PartHost extends PartStore {
  /** How many requests were sent to the host, and how many bytes came. */
  readonly traffic: () => { readonly requests: number; readonly bytes: number };
}

/** Options of a host. An option that is left out has its default. */
export interface HostOptions {
  /** Keeps copies on this machine. */
  readonly copies?: Copies;
  /** Requests for parts at the same time. Further requests wait for their turn. */
  readonly requestsMaximum?: number;
  readonly retries?: RetryPolicy;
  readonly timeouts?: HostTimeouts;
  readonly windows?: WindowBounds;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Four attempts within about three seconds, unless the host answers slowly. */
const usualRetries: RetryPolicy = {
  attempts: 4,
  firstMs: 300,
  longestMs: 1200,
  untilMs: 15_000,
  probeEveryMs: 1000,
};
const requestsMaximumUsual = 32;
/** A pointer is never longer than this, in bytes. */
const pointerBytesMaximum = 64 * 1024;

/** Opens the snapshots below a URL of any host of files that answers Range requests. */
export function openPartHost(address: string, options: HostOptions): PartHost {
  const {
    copies,
    now,
    requestsMaximum = requestsMaximumUsual,
    retries = usualRetries,
    timeouts = usualTimeouts,
    windows = usualWindows,
  } = options;
  const base = address.replace(/\/+$/, '');
  // One connection more than for parts, so that the pointer never waits for parts.
  const wire = createHostWire(requestsMaximum + 1, timeouts);
  const host = createRetries(retries, createGate(requestsMaximum));
  const urlOf = (part: string) => new URL(`${base}/${part}`);
  const keptPointer = `pointer of ${base}`;
  /** What was last read of each file that may be replaced: of the pointer and the heartbeat. */
  const replaced = new Map<string, { etag: string | null; text: string; state: string }>();
  let unreachableSince: number | null = null;
  let keeping = Promise.resolve();
  let [requests, bytes] = [0, 0];

  async function get(request: Parameters<typeof wire.get>[0]) {
    requests++;
    const answer = await wire.get(request);
    bytes += answer.body.length;
    return answer;
  }

  function fetchRange(part: string, from: number, length: number, isFresh: boolean): Promise<Buffer> {
    return host.run(async (isFirst) => {
      const { kind, body } = await get({
        url: urlOf(part),
        from,
        length,
        isWhole: false,
        isFresh: isFresh || !isFirst,
      });
      // Storage may show a new file a moment late, so a missing part is asked for once more.
      if (kind === 'missing') throw new FailedAttempt(`${urlOf(part).href}: status 404`, isFirst);
      return body;
    });
  }

  const reader = createWindowReader(fetchRange, windows, copies ?? null);

  return {
    nameOf: (part) => urlOf(part).href,
    read: reader.read,
    async readIfChanged(part, knownState) {
      const asked = {
        url: urlOf(part),
        from: 0,
        length: pointerBytesMaximum,
        isWhole: true,
        etag: replaced.get(part)?.etag ?? null,
        isFresh: true,
      };
      const { kind, body, etag } = await host
        .run(() => get(asked), true)
        .catch((error: unknown) => {
          unreachableSince ??= now();
          throw error;
        });
      unreachableSince = null;
      if (kind === 'missing') {
        replaced.delete(part);
        return knownState === 'none' ? null : { text: null, state: 'none' };
      }
      if (kind === 'bytes')
        replaced.set(part, {
          etag: isJson(body.toString()) ? etag : null,
          text: body.toString(),
          state: sha256Of(body),
        });
      const current = replaced.get(part);
      return current === undefined || current.state === knownState ? null : current;
    },
    keepPointer(text, needed) {
      // Until all that it needs is copied, the pointer before it stays.
      const keep = async () => {
        await reader.copy(needed);
        copies?.put(keptPointer, Buffer.from(text));
        copies?.pin([keptPointer, ...reader.namesOf(needed)]);
      };
      keeping = keeping.then(keep).catch(() => {});
    },
    keptPointer: async () => (await copies?.get(keptPointer))?.toString() ?? null,
    unreachableSince: () => unreachableSince,
    traffic: () => ({ requests, bytes }),
    async release(isWanted) {
      reader.release(isWanted);
    },
    async close() {
      await wire.close();
      await keeping;
      await copies?.close();
    },
  };
}

/** Whether a text arrived whole: the ETag of a text that was cut off must not be kept. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
