import { createRandom } from '../support/generate.ts';

/** Repeatable choices. */
export interface Random {
  /** An integer between two others, both inclusive. */
  integer(minimum: number, maximum: number): number;
  /** True with a probability between 0 and 1. */
  chance(probability: number): boolean;
  choose<Item>(items: readonly Item[]): Item;
  /** One of the items, each as often as its weight says. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
}

/** Choices that follow from two numbers alone: the seed of a campaign and the number of a script. */
export function randomOf(seed: number, number: number): Random {
  const next = createRandom(Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const integer = (minimum: number, maximum: number) =>
    minimum + Math.floor(next() * (maximum - minimum + 1));
  return {
    integer,
    chance: (probability) => next() < probability,
    choose: <Item>(items: readonly Item[]) => items[integer(0, items.length - 1)] as Item,
    weighted: <Item>(items: readonly (readonly [number, Item])[]) => {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      return (items.find(([weight]) => (left -= weight) < 0) ?? (items[0] as readonly [number, Item]))[1];
    },
  };
}
