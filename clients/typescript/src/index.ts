/** The package `filing-events`: see README.md. */
export { createClient, type Client } from './client.ts';
export type { Changes, FollowOptions } from './changes.ts';
export {
  changeKey,
  fileCursor,
  memoryCursor,
  parsePosition,
  positionText,
  type CursorStore,
  type Position,
} from './cursor.ts';
export { FilingEventsError, type ClientErrorCode, type ErrorCode } from './errors.ts';
export type * from './generated.ts';
export { operations } from './generated.ts';
export type { Mirror, MirrorFollowOptions, MirrorOptions, MirrorStep } from './mirror/mirror.ts';
export type { SqliteDatabase, SqliteValue } from './mirror/sqlite.ts';
export type { ChangeFilter, ChangePage } from './source.ts';
export type { ClientSettings, RequestOptions } from './transport.ts';
export type { FetchBytes } from './mirror/files.ts';
export { verifyPointer, type Pointer, type TrustSettings } from './pointer.ts';
export {
  readSnapshotFile,
  verifyFiles,
  verifySnapshot,
  type FileState,
  type VerifiedSnapshot,
} from './verify.ts';
