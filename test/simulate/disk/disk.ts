import type { Random } from '../random.ts';

/** The size of a block: files take whole ones. */
const blockBytes = 4096;

/** What a disk knows of a file or folder. */
export interface Node {
  readonly number: number;
  /** The files and folders in a folder; null for a file. */
  readonly entries: Map<string, Node> | null;
  bytes: Buffer;
  size: number;
  /** The content that survives a power cut; null if nothing was ever synced. */
  synced: Buffer | null;
  modifiedMs: number;
  changedMs: number;
  /** In how many folders it is: 0 once it was removed. */
  links: number;
  /** Who has it open. */
  readers: number;
  /** The descriptor that has it locked; null if none. */
  lockedBy: number | null;
}

/** A change of a folder that the disk may lose: the folder, a name, and what was there before. */
interface Change {
  readonly folder: Node;
  readonly name: string;
  readonly before: Node | null;
  /** Changes of one call have one number: they are lost together. */
  readonly call: number;
  readonly atMs: number;
}

/** After this time, in milliseconds, a system writes by itself what nobody has synced. */
const writeBackMs = 30_000;

/** An error of the file system, as Node makes it. */
export function diskError(code: string, call: string, path: string): NodeJS.ErrnoException {
  const texts: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or directory',
    EEXIST: 'file already exists',
    ENOTEMPTY: 'directory not empty',
    ENOTDIR: 'not a directory',
    EISDIR: 'illegal operation on a directory',
    ENOSPC: 'no space left on device',
    EBADF: 'bad file descriptor',
    EIO: 'i/o error',
    EINVAL: 'invalid argument',
  };
  return Object.assign(new Error(`${code}: ${texts[code] ?? code}, ${call} '${path}'`), {
    code,
    syscall: call,
    path,
  });
}

/**
 * A disk in memory. It remembers what was synced: `cut` loses what was not, as a power cut does. Its programs call
 * it through `filesOf`.
 */
export class Disk {
  readonly root: Node;
  /** Milliseconds since 1970 by the clock of the machine. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  capacityBytes = Infinity;
  usedBytes = 0;
  /** Whether the next sync fails. */
  failsToSync = false;
  #numbers = 0;
  #calls = 0;
  #changes: Change[] = [];
  /** Files with content that was not synced, and since when. */
  readonly #dirty = new Map<Node, number>();

  constructor(now: () => number, elapsed: () => number) {
    this.now = now;
    this.elapsed = elapsed;
    this.root = this.make(true);
    this.root.links = 1;
  }

  /** Makes a file or folder that no folder has yet. */
  make(isFolder: boolean): Node {
    const nowMs = this.now();
    return {
      number: ++this.#numbers,
      entries: isFolder ? new Map() : null,
      bytes: Buffer.alloc(0),
      size: 0,
      synced: null,
      modifiedMs: nowMs,
      changedMs: nowMs,
      links: 0,
      readers: 0,
      lockedBy: null,
    };
  }

  /** The node at a path; null if there is none. */
  find(path: string): Node | null {
    let node: Node = this.root;
    for (const name of namesOf(path)) {
      const next = node.entries?.get(name);
      if (next === undefined) return null;
      node = next;
    }
    return node;
  }

  /** The folder of a path, and the name in it. Throws if there is no such folder. */
  parentOf(path: string, call: string): { folder: Node; name: string } {
    const names = namesOf(path);
    const name = names.pop() ?? '';
    let folder = this.root;
    for (const each of names) {
      const next = folder.entries?.get(each);
      if (next === undefined) throw diskError('ENOENT', call, path);
      if (next.entries === null) throw diskError('ENOTDIR', call, path);
      folder = next;
    }
    return { folder, name };
  }

  /** Begins a call that changes folders: what it changes is lost or kept together. */
  begin(): void {
    this.#calls++;
    const oldMs = this.elapsed() - writeBackMs;
    if ((this.#changes[0]?.atMs ?? Infinity) < oldMs)
      this.#changes = this.#changes.filter(({ atMs }) => atMs >= oldMs);
    for (const [node, sinceMs] of this.#dirty) {
      if (sinceMs >= oldMs) break;
      this.#keep(node);
    }
  }

  #keep(node: Node): void {
    node.synced = node.bytes.subarray(0, node.size);
    this.#dirty.delete(node);
  }

  /** Sets a name in a folder; null removes it. */
  set(folder: Node, name: string, node: Node | null): void {
    const entries = folder.entries as Map<string, Node>;
    const before = entries.get(name) ?? null;
    this.#changes.push({ folder, name, before, call: this.#calls, atMs: this.elapsed() });
    if (node === null) entries.delete(name);
    else entries.set(name, node);
    folder.modifiedMs = folder.changedMs = this.now();
    if (node !== null) node.links++;
    if (before !== null) {
      before.links--;
      this.free(before);
    }
  }

  /** Gives the bytes of a file back when nobody can reach it any more. */
  free(node: Node): void {
    if (node.links === 0 && node.readers === 0 && node.entries === null && node.size >= 0) {
      this.usedBytes -= blocksOf(node.size);
      // A power cut may bring the name back, and then the content, which may be shorter than its buffer.
      node.bytes = node.bytes.subarray(0, node.size);
      node.size = -1;
      this.#dirty.delete(node);
    }
  }

  /** Writes bytes at a place of a file. Throws ENOSPC if they do not fit. */
  write(node: Node, bytes: Uint8Array, at: number, path: string): void {
    const end = Math.max(node.size, at + bytes.length);
    this.#reserve(node, end, path);
    const isAlias = node.synced !== null && node.synced.buffer === node.bytes.buffer;
    const overwrites = at < (node.synced?.length ?? 0) && isAlias;
    if (node.bytes.length < end || overwrites) {
      const grown = Buffer.alloc(Math.max(end, Math.min(node.bytes.length * 2, node.bytes.length + 2 ** 20)));
      node.bytes.copy(grown, 0, 0, node.size);
      node.bytes = grown;
    }
    node.bytes.set(bytes, at);
    node.size = end;
    node.modifiedMs = node.changedMs = this.now();
    if (!this.#dirty.has(node)) this.#dirty.set(node, this.elapsed());
  }

  /** Cuts or extends a file. */
  truncate(node: Node, size: number, path: string): void {
    this.#reserve(node, size, path);
    const kept = Buffer.alloc(size);
    node.bytes.copy(kept, 0, 0, Math.min(size, node.size));
    node.bytes = kept;
    node.size = size;
    node.modifiedMs = node.changedMs = this.now();
    if (!this.#dirty.has(node)) this.#dirty.set(node, this.elapsed());
  }

  #reserve(node: Node, size: number, path: string): void {
    const more = blocksOf(size) - blocksOf(node.size);
    if (more > 0 && this.usedBytes + more > this.capacityBytes) throw diskError('ENOSPC', 'write', path);
    this.usedBytes += more;
  }

  /** Keeps the content of a file, or the names in a folder, over a power cut. */
  sync(node: Node, path: string): void {
    if (this.failsToSync) {
      this.failsToSync = false;
      throw diskError('EIO', 'fsync', path);
    }
    if (node.entries === null) this.#keep(node);
    else this.#changes = this.#changes.filter(({ folder }) => folder !== node);
  }

  /**
   * Cuts the power: of the changes of folders that were not synced the last ones are lost, from a random one on, and
   * of files that were not synced any part. Returns how many names were lost.
   */
  cut(random: Random): number {
    const mode = random.below(3);
    const last = this.#changes.at(-1)?.call ?? 0;
    const first = this.#changes[0]?.call ?? 0;
    const kept = mode === 0 ? -1 : mode === 1 ? last : first - 1 + random.below(last - first + 2);
    const lost = this.#changes.filter(({ call }) => call > kept).toReversed();
    for (const node of this.#dirty.keys()) {
      // What was written last is what the disk has not stored yet.
      const content = node.bytes.subarray(0, Math.max(0, node.size));
      const choice = random.below(3);
      const left =
        choice === 0
          ? (node.synced ?? Buffer.alloc(0))
          : choice === 1
            ? content
            : content.subarray(0, random.below(content.length + 1));
      node.bytes = Buffer.from(left);
      node.size = node.bytes.length;
    }
    for (const { folder, name, before } of lost) {
      if (before === null) folder.entries?.delete(name);
      else {
        folder.entries?.set(name, before);
        if (before.size < 0) before.size = before.bytes.length;
      }
    }
    this.settle();
    return lost.length;
  }

  /** Counts links and bytes anew, and takes what is there for stored. */
  settle(): void {
    this.#changes = [];
    this.#dirty.clear();
    this.usedBytes = 0;
    const visit = (node: Node) => {
      node.readers = 0;
      node.lockedBy = null;
      if (node.entries === null) {
        node.synced = node.bytes.subarray(0, node.size);
        this.usedBytes += blocksOf(node.size);
        node.links = 1;
      } else for (const each of node.entries.values()) visit(each);
    };
    visit(this.root);
  }
}

const blocksOf = (size: number) => Math.ceil(Math.max(0, size) / blockBytes) * blockBytes;

/** The names in a path that begins with `/`. */
export function namesOf(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}
