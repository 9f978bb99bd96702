import { Readable } from 'node:stream';
import type { Random } from '../random.ts';
import type { Files } from './files.ts';

/** What the modules of a process need: its files, and how it waits. */
export interface DiskCalls {
  readonly files: Files;
  readonly random: Random;
  /** Does something a little later, and resolves to what it returns. A process that has ended does nothing. */
  later<Result>(call: () => Result): Promise<Result>;
  /** The files of this repository, which are read as they are. */
  readonly isReal: (path: string) => boolean;
  readonly real: typeof import('node:fs');
}

type Encoding = BufferEncoding | { readonly encoding?: BufferEncoding | null } | null | undefined;
type Callback = (error: Error | null, value?: unknown) => void;
interface ListOptions {
  readonly withFileTypes?: boolean;
  readonly recursive?: boolean;
}
interface MkdirOptions {
  readonly recursive?: boolean;
}
interface RemoveOptions extends MkdirOptions {
  readonly force?: boolean;
}

const encodingOf = (encoding: Encoding) =>
  typeof encoding === 'string' ? encoding : (encoding?.encoding ?? null);
const decoded = (bytes: Buffer, encoding: Encoding) => {
  const as = encodingOf(encoding);
  return as === null ? bytes : bytes.toString(as);
};
const bytesOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? Buffer.from(content) : content;

/** Makes `node:fs` and `node:fs/promises` of a process. */
export function diskModules({ files, random, later, isReal, real }: DiskCalls) {
  function readWhole(path: string, encoding?: Encoding): Buffer | string {
    if (isReal(path)) return real.readFileSync(path, encodingOf(encoding));
    return decoded(files.readWhole(path), encoding);
  }
  const listed = (path: string, options?: ListOptions): unknown[] =>
    files.list(path).flatMap(({ name, node }) => {
      const entry = options?.withFileTypes
        ? {
            name,
            parentPath: path,
            isFile: () => node.entries === null,
            isDirectory: () => node.entries !== null,
          }
        : name;
      const isWalked = options?.recursive === true && node.entries !== null;
      return [entry, ...(isWalked ? listed(`${path}/${name}`, options) : [])];
    });
  const asPath = (path: string | URL) => (path instanceof URL ? path.pathname : path);
  const madeTemporary = (prefix: string) => {
    const path = `${prefix}${random.bytes(4).toString('hex').slice(0, 6)}`;
    files.mkdir(path, false);
    return path;
  };
  const space = () => {
    const bavail = Math.floor(Math.max(0, Math.min(files.free(), 2 ** 40)) / 4096);
    return { bavail, bfree: bavail, blocks: 2 ** 28, bsize: 4096 };
  };

  /** What `open` of `node:fs/promises` gives. A long write takes two steps: a kill may come between. */
  function handleOf(descriptor: number) {
    let isOpen = true;
    const writeAll = async (content: string | Uint8Array) => {
      const bytes = bytesOf(content);
      const half = bytes.length > 1 ? 1 + random.below(bytes.length - 1) : bytes.length;
      await later(() => files.write(descriptor, bytes.subarray(0, half)));
      if (half < bytes.length) await later(() => files.write(descriptor, bytes.subarray(half)));
    };
    return {
      fd: descriptor,
      writeFile: writeAll,
      appendFile: writeAll,
      write: (content: Uint8Array | string, from = 0, length?: number, at?: number | null) =>
        later(() => {
          const bytes = bytesOf(content);
          const part = bytes.subarray(from, from + (length ?? bytes.length - from));
          return { bytesWritten: files.write(descriptor, part, at ?? null), buffer: content };
        }),
      read: (into: Uint8Array, from: number, length: number, at: number | null) =>
        later(() => ({
          bytesRead: files.read(descriptor, into.subarray(from, from + length), at),
          buffer: into,
        })),
      readFile: (encoding?: Encoding) =>
        later(() => {
          const bytes = Buffer.allocUnsafe(files.sizeOf(descriptor));
          files.read(descriptor, bytes, 0);
          return decoded(bytes, encoding);
        }),
      stat: (options?: { readonly bigint?: boolean }) =>
        later(() => files.statOf(descriptor, options?.bigint === true)),
      sync: () => later(() => files.sync(descriptor)),
      datasync: () => later(() => files.sync(descriptor)),
      truncate: (size = 0) => later(() => files.truncate(descriptor, size)),
      close: () =>
        later(() => {
          if (isOpen) files.close(descriptor);
          isOpen = false;
        }),
    };
  }

  const promises = {
    readFile: (path: string, encoding?: Encoding) => later(() => readWhole(asPath(path), encoding)),
    async writeFile(path: string, content: string | Uint8Array, options?: { readonly flag?: string }) {
      const descriptor = await later(() => files.open(path, options?.flag ?? 'w'));
      const handle = handleOf(descriptor);
      try {
        await handle.writeFile(content);
      } finally {
        await handle.close();
      }
    },
    open: async (path: string, flags?: string) => handleOf(await later(() => files.open(path, flags))),
    mkdir: (path: string, options?: MkdirOptions) =>
      later(() => files.mkdir(path, options?.recursive === true)),
    mkdtemp: (prefix: string) => later(() => madeTemporary(prefix)),
    async rm(path: string, options?: RemoveOptions) {
      await later(() => {});
      // Each file takes a step of its own.
      const remove = async (each: string): Promise<void> => {
        if (options?.recursive === true && isFolder(each))
          for (const { name } of files.list(each)) await remove(`${each}/${name}`);
        await later(() => files.remove(each, options?.recursive === true, options?.force === true));
      };
      await remove(path);
    },
    unlink: (path: string) => later(() => files.unlink(path)),
    rename: (from: string, to: string) => later(() => files.rename(from, to)),
    readdir: (path: string, options?: ListOptions) =>
      later(() => (isReal(path) ? real.readdirSync(path) : listed(path, options))),
    stat: (path: string, options?: { readonly bigint?: boolean }) =>
      later(() => files.stat(path, options?.bigint === true)),
    lstat: (path: string) => later(() => files.stat(path)),
    access: (path: string) => later(() => void files.stat(path)),
    utimes: (path: string, _: number | Date, modified: number | Date) =>
      later(() => files.touch(path, typeof modified === 'number' ? modified * 1000 : modified.getTime())),
    chmod: (path: string) => later(() => void files.stat(path)),
    statfs: (path: string) => later(() => (files.stat(path), space())),
  };
  const isFolder = (path: string) => files.exists(path) && files.stat(path).isDirectory();
  const called = (work: Promise<unknown>, callback: Callback) =>
    void work.then(
      (value) => callback(null, value),
      (error: Error) => callback(error),
    );

  const synchronous = {
    constants: real.constants,
    existsSync: (path: string) => (isReal(path) ? real.existsSync(path) : files.exists(path)),
    openSync: (path: string, flags?: string | number) => files.open(path, flags),
    closeSync: (descriptor: number) => files.close(descriptor),
    readSync: (
      descriptor: number,
      into: Uint8Array,
      from = 0,
      length = into.length - from,
      at: number | null = null,
    ) => files.read(descriptor, into.subarray(from, from + length), at),
    writeSync: (descriptor: number, bytes: Uint8Array, from = 0, length = bytes.length - from) =>
      files.write(descriptor, bytes.subarray(from, from + length)),
    fsyncSync: (descriptor: number) => files.sync(descriptor),
    fstatSync: (descriptor: number, options?: { readonly bigint?: boolean }) =>
      files.statOf(descriptor, options?.bigint === true),
    statSync: (path: string) => (isReal(path) ? real.statSync(path) : files.stat(path)),
    lstatSync: (path: string) => files.stat(path),
    mkdirSync: (path: string, options?: MkdirOptions) => files.mkdir(path, options?.recursive === true),
    mkdtempSync: madeTemporary,
    readdirSync: (path: string, options?: ListOptions) =>
      isReal(path) ? real.readdirSync(path) : listed(path, options),
    readFileSync: (path: string | URL, encoding?: Encoding) => readWhole(asPath(path), encoding),
    writeFileSync: (path: string, content: string | Uint8Array, flags?: string) =>
      files.writeWhole(path, bytesOf(content), flags),
    renameSync: (from: string, to: string) => files.rename(from, to),
    rmSync: (path: string, options?: RemoveOptions) =>
      files.remove(path, options?.recursive === true, options?.force === true),
    open: (path: string, flags: string, callback: Callback) =>
      called(
        later(() => files.open(path, flags)),
        callback,
      ),
    close: (descriptor: number, callback: Callback = () => {}) =>
      called(
        later(() => files.close(descriptor)),
        callback,
      ),
    read: (
      descriptor: number,
      into: Uint8Array,
      from: number,
      length: number,
      at: number | null,
      callback: Callback,
    ) =>
      called(
        later(() => files.read(descriptor, into.subarray(from, from + length), at)),
        callback,
      ),
    createReadStream: (path: string) => {
      let isAsked = false;
      const stream = new Readable({
        read() {
          if (isAsked) return;
          isAsked = true;
          later(() => readWhole(path)).then(
            (bytes) => {
              if (bytes.length > 0) stream.push(bytes);
              stream.push(null);
            },
            (error: Error) => stream.destroy(error),
          );
        },
      });
      return stream;
    },
  };
  return { fs: { ...synchronous, promises }, promises };
}
