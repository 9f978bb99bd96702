import { diskError, namesOf, type Disk, type Node } from './disk.ts';

/** What `stat` says. */
export interface Stats {
  readonly ino: number | bigint;
  readonly size: number | bigint;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly mtime: Date;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly uid: number;
  readonly mode: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

interface Open {
  readonly path: string;
  readonly node: Node;
  readonly appends: boolean;
  at: number;
}

/** The calls of the file system, as one process makes them: each happens at once. */
export type Files = ReturnType<typeof filesOf>;

/** Descriptors are unique on all machines of a run, so a stale one never means another file. */
let descriptors = 1000;

/** Opens a disk for a process. `onCall` comes before each call that changes something. */
export function filesOf(disk: Disk, onCall: (call: string, path: string) => void) {
  const opened = new Map<number, Open>();

  const openOf = (descriptor: number, call: string): Open => {
    const found = opened.get(descriptor);
    if (!found) throw diskError('EBADF', call, String(descriptor));
    return found;
  };
  const nodeAt = (path: string, call: string): Node => {
    const node = disk.find(path);
    if (node === null) throw diskError(isBelowFile(disk, path) ? 'ENOTDIR' : 'ENOENT', call, path);
    return node;
  };

  function open(path: string, flags: string | number = 'r'): number {
    const how = String(flags);
    let node = disk.find(path);
    if (how !== 'r') {
      onCall('open', path);
      if (node?.entries) throw diskError('EISDIR', 'open', path);
      if (node !== null && how.includes('x')) throw diskError('EEXIST', 'open', path);
      if (node === null) {
        if (how === 'r+') throw diskError('ENOENT', 'open', path);
        const { folder, name } = disk.parentOf(path, 'open');
        disk.begin();
        node = disk.make(false);
        disk.set(folder, name, node);
      } else if (how.startsWith('w')) disk.truncate(node, 0, path);
    }
    if (node === null) node = nodeAt(path, 'open');
    node.readers++;
    opened.set(++descriptors, { path, node, appends: how.startsWith('a'), at: 0 });
    return descriptors;
  }

  function close(descriptor: number): void {
    const { node } = openOf(descriptor, 'close');
    opened.delete(descriptor);
    if (node.lockedBy === descriptor) node.lockedBy = null;
    node.readers--;
    disk.free(node);
  }

  function write(descriptor: number, bytes: Uint8Array, at: number | null = null): number {
    const file = openOf(descriptor, 'write');
    onCall('write', file.path);
    const from = file.appends ? file.node.size : (at ?? file.at);
    disk.write(file.node, bytes, from, file.path);
    if (at === null) file.at = from + bytes.length;
    return bytes.length;
  }

  function read(descriptor: number, into: Uint8Array, at: number | null = null): number {
    const file = openOf(descriptor, 'read');
    const from = at ?? file.at;
    const length = Math.max(0, Math.min(into.length, file.node.size - from));
    file.node.bytes.copy(into, 0, from, from + length);
    if (at === null) file.at = from + length;
    return length;
  }

  /** The bytes of a whole file. */
  function readWhole(path: string): Buffer {
    const { bytes, size } = nodeAt(path, 'open');
    return Buffer.from(bytes.subarray(0, size));
  }

  function writeWhole(path: string, bytes: Uint8Array, flags = 'w'): void {
    const descriptor = open(path, flags);
    try {
      write(descriptor, bytes);
    } finally {
      close(descriptor);
    }
  }

  function remove(path: string, isRecursive: boolean, isForced: boolean): void {
    const node = disk.find(path);
    if (node === null) {
      if (isForced) return;
      throw diskError('ENOENT', 'rm', path);
    }
    if (node.entries !== null && !isRecursive) throw diskError('EISDIR', 'rm', path);
    // A folder is emptied one by one: a kill or a power cut leaves a part.
    for (const name of node.entries?.keys() ?? []) remove(`${path}/${name}`, true, true);
    onCall('rm', path);
    const { folder, name } = disk.parentOf(path, 'rm');
    disk.begin();
    disk.set(folder, name, null);
  }

  function rename(from: string, to: string): void {
    onCall('rename', from);
    const node = nodeAt(from, 'rename');
    const source = disk.parentOf(from, 'rename');
    const target = disk.parentOf(to, 'rename');
    const there = target.folder.entries?.get(target.name);
    if (there === node) return;
    if (there?.entries && there.entries.size > 0) throw diskError('ENOTEMPTY', 'rename', from);
    if (there?.entries && node.entries === null) throw diskError('EISDIR', 'rename', from);
    if (there && there.entries === null && node.entries !== null) throw diskError('ENOTDIR', 'rename', from);
    disk.begin();
    disk.set(target.folder, target.name, node);
    disk.set(source.folder, source.name, null);
    node.changedMs = disk.now();
  }

  function mkdir(path: string, isRecursive: boolean): string | undefined {
    const there = disk.find(path);
    if (there !== null) {
      if (isRecursive && there.entries !== null) return undefined;
      throw diskError('EEXIST', 'mkdir', path);
    }
    const names = namesOf(path);
    let first: string | undefined;
    if (!isRecursive) disk.parentOf(path, 'mkdir');
    for (let depth = 1; depth <= names.length; depth++) {
      const each = `/${names.slice(0, depth).join('/')}`;
      const node = disk.find(each);
      if (node !== null && node.entries === null) throw diskError('ENOTDIR', 'mkdir', path);
      if (node !== null) continue;
      first ??= each;
      onCall('mkdir', each);
      const { folder, name } = disk.parentOf(each, 'mkdir');
      disk.begin();
      disk.set(folder, name, disk.make(true));
    }
    return isRecursive ? first : undefined;
  }

  function stats(node: Node, isBig = false): Stats {
    const [modified, changed] = [node.modifiedMs, node.changedMs];
    const nanoseconds = (ms: number) => BigInt(Math.floor(ms * 1000)) * 1000n;
    return {
      ino: isBig ? BigInt(node.number) : node.number,
      size: isBig ? BigInt(node.size) : node.size,
      mtimeMs: modified,
      ctimeMs: changed,
      mtime: new Date(modified),
      mtimeNs: nanoseconds(modified),
      ctimeNs: nanoseconds(changed),
      // All processes of a machine run as one user.
      uid: 1000,
      mode: node.entries === null ? 0o600 : 0o700,
      isFile: () => node.entries === null,
      isDirectory: () => node.entries !== null,
    };
  }

  return {
    open,
    close,
    read,
    write,
    readWhole,
    /** The bytes of a whole file; null if there is none. */
    fileAt: (path: string) => (disk.find(path)?.entries === null ? readWhole(path) : null),
    writeWhole,
    rename,
    mkdir,
    remove,
    exists: (path: string) => disk.find(path) !== null,
    sync(descriptor: number) {
      const { node, path } = openOf(descriptor, 'fsync');
      onCall('fsync', path);
      disk.sync(node, path);
    },
    truncate(descriptor: number, size: number) {
      const { node, path } = openOf(descriptor, 'ftruncate');
      onCall('ftruncate', path);
      disk.truncate(node, size, path);
    },
    sizeOf: (descriptor: number) => openOf(descriptor, 'fstat').node.size,
    statOf: (descriptor: number, isBig = false) => stats(openOf(descriptor, 'fstat').node, isBig),
    stat: (path: string, isBig = false) => stats(nodeAt(path, 'stat'), isBig),
    list(path: string): { name: string; node: Node }[] {
      const node = nodeAt(path, 'scandir');
      if (node.entries === null) throw diskError('ENOTDIR', 'scandir', path);
      return [...node.entries].map(([name, each]) => ({ name, node: each }));
    },
    unlink(path: string) {
      onCall('unlink', path);
      nodeAt(path, 'unlink');
      const { folder, name } = disk.parentOf(path, 'unlink');
      disk.begin();
      disk.set(folder, name, null);
    },
    touch(path: string, modifiedMs: number) {
      const node = nodeAt(path, 'utimes');
      node.modifiedMs = modifiedMs;
      node.changedMs = disk.now();
    },
    /** Locks a file for everybody else; false if somebody else has the lock. */
    lock(descriptor: number): boolean {
      const { node } = openOf(descriptor, 'flock');
      if (node.lockedBy !== null && node.lockedBy !== descriptor) return false;
      node.lockedBy = descriptor;
      return true;
    },
    free: () => disk.capacityBytes - disk.usedBytes,
    /** Closes everything, as the system does when a process ends. */
    end() {
      for (const descriptor of opened.keys()) close(descriptor);
    },
    opened: () => opened.size,
  };
}

function isBelowFile(disk: Disk, path: string): boolean {
  const names = namesOf(path);
  return names.some((_, depth) => disk.find(`/${names.slice(0, depth).join('/')}`)?.entries === null);
}
