import { hourMs, minuteMs } from '../../../src/contract/time.ts';
import { volume, type World } from '../world.ts';

/** What a reader may still need stays so long after it was replaced. */
export const keptForMs = 14 * minuteMs;
/** So long after the clock was right again ages may be wrong: it may have been a day ahead. */
const wrongAgesMs = 28 * hourMs;

/** What a snapshot that was current has of a ledger, and how often something could bring an older one back until then. */
interface Seen {
  readonly snapshotId: string;
  readonly ledger: { readonly id: string; readonly batches: number };
  readonly times: number;
}

/**
 * Returns the function that takes note of the snapshot that is current, which the host of the snapshots sees only when
 * it is asked. What was current has to stay for those who still read it, and no publication may bring an older
 * snapshot back.
 */
export function createPointerWatch(world: World): () => void {
  let before: Seen | null = null;

  function compare(now: Seen): void {
    const { backwards } = world;
    const isFree = backwards.underway > 0 || now.times !== before?.times;
    if (before !== null && !isFree && before.ledger.id === now.ledger.id) {
      const [had, has] = [before.ledger.batches, now.ledger.batches];
      if (has < had)
        world.fail(
          `${before.snapshotId}, which has ${had} batches, was current, and now it is ${now.snapshotId} with ${has}, although nobody rolled back`,
        );
    }
    before = now;
  }

  return () => {
    const pointer = readText(world, `${volume}/current.json`);
    if (pointer === null) return;
    world.published.see(pointer, readText(world, `${volume}/.published.json`));
    const snapshotId = world.published.current();
    if (snapshotId === null) return;
    const { times } = world.backwards;
    if (before?.snapshotId !== snapshotId || before.times !== times) {
      const manifest = readText(world, `${volume}/manifests/${snapshotId}.json`);
      if (manifest !== null) {
        const { ledger } = JSON.parse(manifest) as Seen;
        compare({ snapshotId, ledger, times });
      }
    }
    expectKept(world);
  };
}

/** Whoever reads a snapshot that was current a short time ago finds it. */
function expectKept(world: World): void {
  if (!isClockRight(world)) return;
  const nowMs = world.schedule.nowMs();
  for (const id of world.published.currentSince(nowMs - keptForMs))
    if (!world.look.exists(`${volume}/manifests/${id}.json`)) {
      const minutes = Math.round((nowMs - world.published.currentAt(id)) / minuteMs);
      world.fail(
        `the snapshot ${id} is gone, although it was current ${minutes} minutes ago: it may be read`,
      );
    }
}

/** Whether ages that the machine counts are right: after its clock was set, they are wrong for a while. */
export function isClockRight({ history, schedule }: World): boolean {
  const nowMs = schedule.nowMs();
  return !history.happenings.some(
    (each) =>
      (each.kind === 'clock' || each.kind === 'drift') &&
      each.atMs < nowMs &&
      each.atMs + each.forMs + wrongAgesMs > nowMs,
  );
}

/** The text of a file; null if there is none. */
function readText({ look }: World, path: string): string | null {
  if (!look.exists(path)) return null;
  const descriptor = look.open(path);
  const bytes = Buffer.alloc(look.sizeOf(descriptor));
  look.read(descriptor, bytes, 0);
  look.close(descriptor);
  return bytes.toString();
}
