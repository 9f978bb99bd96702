import { hourMs, minuteMs } from '../../../src/time/units.ts';
import type { History } from '../history.ts';
import { volume, type World } from '../world.ts';

/** What a reader may still need stays so long after it was replaced. */
export const keptForMs = 14 * minuteMs;
/** How long ages may be wrong after the clock was right again: it may have been a day ahead. */
const wrongAgesMs = 28 * hourMs;

/** A snapshot that was current, and how often something could bring an older one back until then. */
interface Seen {
  readonly snapshotId: string;
  readonly times: number;
}

/**
 * Returns the function that takes note of the snapshot that is current, which the host of the snapshots sees only when
 * it is asked. What was current has to stay for those who still read it, and no publication may bring an older
 * snapshot back.
 */
export function createPointerWatch(world: World): () => void {
  const textAt = (path: string) => world.look.fileAt(path)?.toString() ?? null;
  let before: Seen | null = null;

  function compare(now: Seen): void {
    const { backwards, published } = world;
    const { batchesOf } = published;
    const isFree = backwards.underway > 0 || now.times !== before?.times;
    if (before !== null && !isFree) {
      const [had, has] = [batchesOf(before.snapshotId), batchesOf(now.snapshotId)];
      if (has >= 0 && has < had)
        world.fail(
          `${before.snapshotId}, which has ${had} batches, was current, and now it is ${now.snapshotId} with ${has}, although nobody rolled back`,
        );
    }
    before = now;
  }

  return () => {
    const pointer = textAt(`${volume}/current.json`);
    if (pointer === null) return;
    world.published.see(pointer, textAt(`${volume}/.published.json`));
    learnBatches(world);
    const snapshotId = world.published.current();
    if (snapshotId !== null) compare({ snapshotId, times: world.backwards.times });
    expectKept(world);
  };
}

/** Takes note of how many batches each snapshot has whose manifest is on the disk. */
function learnBatches(world: World): void {
  const folder = `${volume}/manifests`;
  if (!world.look.exists(folder)) return;
  for (const { name } of world.look.list(folder)) {
    const id = /^(.+)\.json$/.exec(name)?.[1];
    if (id === undefined || world.published.batchesOf(id) >= 0) continue;
    const { ledger } = JSON.parse(world.look.readWhole(`${folder}/${name}`).toString()) as Manifest;
    if (ledger) world.published.learn(id, ledger.batches);
  }
}

/** What is read of a manifest. */
interface Manifest {
  readonly ledger?: { readonly batches: number };
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
  const spans = wrongSpans.get(history) ?? spansOf(history);
  wrongSpans.set(history, spans);
  return !spans.some(({ fromMs, toMs }) => fromMs < nowMs && nowMs < toMs);
}

/** When ages are wrong. */
const wrongSpans = new WeakMap<History, ReturnType<typeof spansOf>>();

const spansOf = ({ happenings }: History) =>
  happenings.flatMap((each) =>
    each.kind === 'clock' || each.kind === 'drift'
      ? [{ fromMs: each.atMs, toMs: each.atMs + each.forMs + wrongAgesMs }]
      : [],
  );
