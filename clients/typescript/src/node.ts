/** The package `filing-events/node`: all of `filing-events`, and what needs files, SQLite or signatures. See README.md. */
export * from './index.ts';
export { createClient, type Client } from './node-client.ts';
export { fileCursor } from './file-cursor.ts';
export type { FetchBytes } from './mirror/files.ts';
export type { Mirror, MirrorFollowOptions, MirrorOptions, MirrorStep } from './mirror/mirror.ts';
export type { SqliteDatabase, SqliteValue } from './mirror/sqlite.ts';
export { verifyPointer, type Pointer, type TrustSettings } from './pointer.ts';
export {
  readSnapshotFile,
  verifyFiles,
  verifySnapshot,
  type FileState,
  type VerifiedSnapshot,
} from './verify.ts';
