import type { PublishedChange } from '../clients.ts';
import type { World } from '../world.ts';

/** What somebody outside got of the feed: compared with the feed in the end. */
export interface Reader {
  /** Takes an entry. What comes again or out of order fails the run, unless the ledger was restored before. */
  take(change: PublishedChange): void;
  /** It was cut while it handled an entry: that one may come again. */
  cut(): void;
  /** It was told that its position is gone, and goes on behind a sequence. */
  goBackTo(sequence: number): void;
  /** Fails the run unless it got each entry of the feed that it wants, in order, and no other one. */
  compareWith(entries: readonly PublishedChange[]): void;
}

/** What a reader wants. */
export interface Wants {
  /** Where it begins; null if that is where the first entry says. */
  readonly from: number | null;
  /** Whether it may get the last entry again at any time, as receivers of messages do. */
  readonly mayRepeat: boolean;
  wants(change: PublishedChange): boolean;
}

/** Makes a reader. */
export function createReader(world: World, name: string, { from, mayRepeat, wants }: Wants): Reader {
  const own: PublishedChange[] = [];
  let begin = from;
  let restores = 0;
  let wasCut = false;
  const goBackTo = (sequence: number) => {
    while ((own.at(-1)?.sequence ?? 0) > sequence) own.pop();
    begin = Math.min(begin ?? sequence, sequence);
  };
  return {
    goBackTo,
    cut: () => void (wasCut = true),
    take(change) {
      const last = own.at(-1);
      begin ??= change.sequence - 1;
      if (last !== undefined && change.sequence <= last.sequence) {
        const isAgain = textOf(last) === textOf(change);
        if (isAgain && (mayRepeat || wasCut)) return;
        if (restores === world.restores.count)
          return world.fail(`${name}: it gets ${textOf(change)} after ${textOf(last)}`);
        const before = begin;
        goBackTo(change.sequence - 1);
        begin = before;
      }
      wasCut = false;
      restores = world.restores.count;
      own.push(change);
    },
    compareWith(entries) {
      const last = own.at(-1)?.sequence ?? 0;
      // The service cannot tell whether a position behind the end is one of a log that went on differently.
      if (world.restores.count > 0 && last > (entries.at(-1)?.sequence ?? 0)) return;
      const first = begin ?? entries.at(-1)?.sequence ?? 0;
      const feed = entries.filter((each) => each.sequence > first && wants(each));
      const at = feed.findIndex((each, index) => textOf(each) !== textOf(own[index]));
      const wrongAt = at === -1 && own.length > feed.length ? feed.length : at;
      if (wrongAt !== -1)
        world.fail(
          `${name}: it has ${textOf(own[wrongAt])} where the feed has ${textOf(feed[wrongAt])}, and nobody was told`,
        );
    },
  };
}

/** An entry in a few words: two logs never have the same one at a place behind which they differ. */
const textOf = (change: PublishedChange | undefined) =>
  change === undefined
    ? 'nothing'
    : `entry ${change.sequence}, ${change.filing.accessionNo}.${change.revision} of ${change.observedAt}`;
