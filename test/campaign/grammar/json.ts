import { valuesIn } from '../../support/values.ts';
import type { Random } from '../random.ts';

/** JSON as it will be written: its texts need not be JSON at all, and a member may come twice. */
export type Tree =
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: Tree])[] }
  | { readonly kind: 'list'; readonly items: readonly Tree[] }
  | { readonly kind: 'text'; readonly text: string };

/** Stands for itself. */
export function raw(text: string): Tree {
  return { kind: 'text', text };
}

/** The tree of a value of JSON. */
export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(treeOf) };
  if (typeof value !== 'object' || value === null) return raw(JSON.stringify(value));
  const members = Object.entries(value).filter(([, each]) => each !== undefined);
  return { kind: 'object', members: members.map(([name, each]) => [name, treeOf(each)]) };
}

/** A tree as it is written, without spaces. */
export function written(tree: Tree): string {
  if (tree.kind === 'text') return tree.text;
  if (tree.kind === 'list') return `[${tree.items.map(written).join(',')}]`;
  return `{${tree.members.map(([name, value]) => `${JSON.stringify(name)}:${written(value)}`).join(',')}}`;
}

/** The deepest nesting of lists and objects. */
export function deep(levels: number, ofObjects: boolean): Tree {
  const [open, inside, close] = ofObjects ? ['{"a":', '1', '}'] : ['[', '', ']'];
  return raw(open.repeat(levels) + inside + close.repeat(levels));
}

const strangeValues = [
  ...valuesIn(`
    [] | {} | null | true | false | "" | "x" | 0 | -0 | -1 | 1.5 | 1e400 | -1e400 | 9007199254740993 | 1e-400
    [[]] | [null] | {"a":null} | "\\u0000" | "\\ud800" | "\\udfff\\ud800" | {"__proto__":{"x":1}}
    {"constructor":{"prototype":{}}} | {"toJSON":1} | {"length":1e9} | "2.0" | "__proto__" | "constructor"
    "\\u202e" | [1,2,3] | "0x10" | 123456789012345678901234567890`),
  `"${'x'.repeat(3000)}"`,
];
/** What is no JSON. */
const brokenValues = [
  ...valuesIn(`
    007 | 01 | +1 | .5 | 1. | NaN | Infinity | undefined | 'x' | 0x10 | 1e | "\\x41" | " | 1 2 | [1,] | {,}
    {"a"} | {a:1} | /**/1 | tRuE | \x00 | "\xff | -`),
  '"\t"',
  '',
];

const depths = [10, 60, 100, 500, 1000, 4000, 8000] as const;

/** A value of a wrong type, a strange one, one that is no JSON, or one that is nested deeply. */
export function strangeTree(random: Random): Tree {
  return random.weighted<() => Tree>([
    [20, () => raw(random.choose(strangeValues))],
    [5, () => raw(random.choose(brokenValues))],
    [2, () => deep(random.choose(depths), random.chance(0.5))],
  ])();
}

/** The tree with one thing about it changed: a value, a member gone, a member more, or one twice. */
export function mutated(random: Random, tree: Tree, names: readonly string[]): Tree {
  if (tree.kind === 'text' || random.chance(0.05)) return strangeTree(random);
  if (tree.kind === 'list') {
    const { items } = tree;
    if (items.length === 0 || random.chance(0.2))
      return { kind: 'list', items: [...items, strangeTree(random)] };
    const at = random.integer(0, items.length - 1);
    return {
      kind: 'list',
      items: items.map((item, index) => (index === at ? mutated(random, item, names) : item)),
    };
  }
  const { members } = tree;
  const more = [random.choose([...names, '__proto__', 'constructor', 'x']), strangeTree(random)] as const;
  if (members.length === 0 || random.chance(0.15)) return { kind: 'object', members: [...members, more] };
  const at = random.integer(0, members.length - 1);
  const [name, value] = members[at] as readonly [string, Tree];
  const withValue = (other: Tree): Tree => ({
    kind: 'object',
    members: members.map((each, index) => (index === at ? [name, other] : each)),
  });
  return random.weighted<() => Tree>([
    [10, () => withValue(mutated(random, value, names))],
    [6, () => withValue(strangeTree(random))],
    [3, () => ({ kind: 'object', members: members.filter((_, index) => index !== at) })],
    [2, () => ({ kind: 'object', members: [...members, [name, strangeTree(random)]] })],
    [1, () => ({ kind: 'object', members: [[name, strangeTree(random)], ...members] })],
  ])();
}

/** The tree with one of its values, mostly one far inside, replaced. */
export function replacedInside(random: Random, tree: Tree, other: Tree): Tree {
  if (tree.kind === 'text' || random.chance(0.1)) return other;
  const values = tree.kind === 'list' ? tree.items : tree.members.map(([, value]) => value);
  if (values.length === 0) return other;
  // Rather on into what has something inside than to a text beside it.
  const holders = [...values.keys()].filter((index) => values[index]?.kind !== 'text');
  const at = random.choose(holders.length > 0 && random.chance(0.8) ? holders : [...values.keys()]);
  const replace = (value: Tree, index: number): Tree =>
    index === at ? replacedInside(random, value, other) : value;
  if (tree.kind === 'list') return { kind: 'list', items: tree.items.map(replace) };
  return {
    kind: 'object',
    members: tree.members.map(([name, value], index) => [name, replace(value, index)]),
  };
}

const strangeCharacters = ['{', '}', '[', ']', '"', ',', ':', '\\', '\0', '\xff'] as const;

/** A text of JSON with something done to its characters. */
export function damaged(random: Random, text: string): string {
  const at = random.integer(0, Math.max(0, text.length - 1));
  return random.choose<() => string>([
    () => text.slice(0, at),
    () => `${text.slice(0, at)}${String.fromCharCode(random.integer(0, 255))}${text.slice(at + 1)}`,
    () => `${text.slice(0, at)}${random.choose(strangeCharacters)}${text.slice(at)}`,
    () => text + random.choose([text, 'x', '\0', '}', ',', '\n\n']),
    () => random.choose(['\xef\xbb\xbf', ' ', '\n', '\xff\xfe', ")]}',\n", '\0']) + text,
    () => `[${text}`,
    () => '',
    () => 'x'.repeat(random.integer(1, 2000)),
  ])();
}
