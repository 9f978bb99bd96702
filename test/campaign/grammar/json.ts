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

/** So many levels of lists or objects. */
export function deep(levels: number, ofObjects: boolean): Tree {
  return raw(ofObjects ? `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    : '['.repeat(levels) + ']'.repeat(levels));
}

const strangeValues = [
  '[]', '{}', 'null', 'true', 'false', '""', '"x"', '0', '-0', '-1', '1.5', '1e400', '-1e400',
    '9007199254740993', '1e-400', '[[]]', '[null]', '{"a":null}', '"\\u0000"', '"\\ud800"',
    '"\\udfff\\ud800"',
  '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{}}}', '{"toJSON":1}', '{"length":1e9}', '"2.0"',
    '"__proto__"', '"constructor"', `"${'x'.repeat(3000)}"`, '"\\u202e"', '[1,2,3]', '"0x10"',
    '123456789012345678901234567890',
] as const;
/** What is no JSON. */
const brokenValues = [
  '007', '01', '+1', '.5', '1.', 'NaN', 'Infinity', 'undefined', "'x'", '0x10', '1e', '"\t"', '"\\x41"', '"',
  '', '1 2', '[1,]', '{,}', '{"a"}', '{a:1}', '/**/1', 'tRuE', '\x00', '"\xff', '-',
] as const;

/** A value of a wrong type, a strange one, one that is no JSON, or one that is nested deeply. */
export function strangeTree(random: Random): Tree {
  return random.weighted<() => Tree>([
    [20, () => raw(random.choose(strangeValues))],
    [5, () => raw(random.choose(brokenValues))],
    [1, () => deep(random.choose([10, 60, 100, 500, 1000, 4000, 8000]), false)],
    [1, () => deep(random.choose([10, 60, 100, 500, 1000, 4000, 8000]), true)],
  ])();
}

/** The tree with one thing about it changed: a value, a member gone, a member more, or one twice. */
export function mutated(random: Random, tree: Tree, names: readonly string[]): Tree {
  if (tree.kind === 'text') return strangeTree(random);
  if (tree.kind === 'list') {
    if (tree.items.length === 0 || random.chance(0.2)) return random.chance(0.5) ? strangeTree(random)
      : { kind: 'list', items: [...tree.items, strangeTree(random)] };
    const at = random.integer(0, tree.items.length - 1);
    return { kind: 'list', items: tree.items.map((item,
      index) => (index === at ? mutated(random, item, names) : item)) };
  }
  const { members } = tree;
  const name = random.choose([...names, '__proto__', 'constructor', 'x']);
  if (members.length === 0 || random.chance(0.15)) return { kind: 'object',
    members: [...members, [name, strangeTree(random)]] };
  const at = random.integer(0, members.length - 1);
  const [own, value] = members[at] as readonly [string, Tree];
  return random.weighted<() => Tree>([
    [10, () => ({ kind: 'object', members: members.map((member,
      index) => (index === at ? [own, mutated(random, value, names)] : member)) })],
    [6, () => ({ kind: 'object', members: members.map((member,
      index) => (index === at ? [own, strangeTree(random)] : member)) })],
    [3, () => ({ kind: 'object', members: members.filter((_, index) => index !== at) })],
    [2, () => ({ kind: 'object', members: [...members, [own, strangeTree(random)]] })],
    [1, () => ({ kind: 'object', members: [[own, strangeTree(random)], ...members] })],
    [1, () => strangeTree(random)],
  ])();
}

/** A text of JSON with something done to its characters. */
export function damaged(random: Random, text: string): string {
  const at = random.integer(0, Math.max(0, text.length - 1));
  return random.choose<() => string>([
    () => text.slice(0, at),
    () => `${text.slice(0, at)}${String.fromCharCode(random.integer(0, 255))}${text.slice(at + 1)}`,
    () => `${text.slice(0, at)}${random.choose(['{', '}', '[', ']', '"', ',', ':', '\\', '\0', '\xff'])}${text.slice(at)}`,
    () => text + random.choose([text, 'x', '\0', '}', ',', '\n\n']),
    () => random.choose(['\xef\xbb\xbf', ' ', '\n', '\xff\xfe', ')]}\',\n', '\0']) + text,
    () => `[${text}`,
    () => '',
    () => 'x'.repeat(random.integer(1, 2000)),
  ])();
}
