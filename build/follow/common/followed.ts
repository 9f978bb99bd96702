import { watchFile } from '../../../src/files/local.ts';
import { ContentError } from '../../../src/files/watch.ts';
import type { LineLog } from '../../../src/log/levels.ts';
import { describeUniverse, universeOfList, type Universe } from '../../ingest/universe.ts';

/** Whom a follower follows. */
export interface Followed {
  /** The universe now. If its list is a file, that file may change it. */
  universe(): Universe;
  /** The name of the universe in the records of runs. */
  target(): string;
  /** Looks at the file. True if it names others now; one that is wrong or cannot be read changes nothing. */
  hasChanged(): Promise<boolean>;
}

/** Follows a universe, which comes from a file if `path` is not null. */
export function createFollowed(given: Universe, path: string | null, log: LineLog): Followed {
  let universe = given;
  const look =
    path === null
      ? null
      : watchFile(path, (text) => {
          if (text === null) throw new ContentError('there is no such file');
          universe = listIn(text, universe);
        });
  return {
    universe: () => universe,
    target: () => describeUniverse(universe, null),
    async hasChanged() {
      const before = universe;
      const problem = await look?.();
      if (problem?.isNew === true) log(`${problem.reason}; whoever was followed before still is`, 'error');
      return universe !== before;
    },
  };
}

/** The universe of a list; the one that is known if it names the same. Throws a `ContentError`. */
function listIn(text: string, known: Universe): Universe {
  try {
    const read = universeOfList(text);
    return JSON.stringify(read) === JSON.stringify(known) ? known : read;
  } catch (error) {
    throw new ContentError((error as Error).message);
  }
}
