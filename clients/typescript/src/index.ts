/** The package `filing-events`, which runs wherever there is `fetch`: see README.md. */
export { createClient, type Client } from './client.ts';
export type { Changes, FollowOptions } from './changes.ts';
export {
  changeKey,
  memoryCursor,
  parsePosition,
  positionText,
  type CursorStore,
  type Position,
} from './cursor.ts';
export { FilingEventsError, type ClientErrorCode, type ErrorCode } from './errors.ts';
export type * from './generated.ts';
export { operations } from './generated.ts';
export type { ChangeFilter, ChangePage } from './source.ts';
export type { ClientSettings, RequestOptions } from './transport.ts';
