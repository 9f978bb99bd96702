import { refusalMessages } from './messages.ts';

/** Why a request with a message is refused for its headers. */
export interface HeaderRefusal {
  readonly reason: 'forbidden' | 'unsupported_media_type';
  readonly message: string;
}

/** Whether a `Content-Type` says that a body is JSON. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/json\s*(;|$)/i.test(contentType ?? '');
}

/**
 * Why a request with a JSON-RPC message is refused for its headers; null if nothing is wrong. `foreign` is
 * the result of `foreignReason`.
 */
export function headerRefusal(foreign: string | null, contentType: string | undefined): HeaderRefusal | null {
  if (foreign !== null) return { reason: 'forbidden', message: `Forbidden: ${foreign}` };
  return isJsonType(contentType)
    ? null
    : {
        reason: 'unsupported_media_type',
        message: refusalMessages.unsupportedMediaType,
      };
}
