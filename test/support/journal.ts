import type { Journal } from '../../src/intents/journal.ts';

/** A journal that keeps nothing. */
export const noJournal: Journal = {
  isKept: true,
  append: async () => {},
  hasRoom: () => true,
  close: async () => {},
};
