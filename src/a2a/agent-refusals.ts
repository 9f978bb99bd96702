import type { ErrorCode } from '../contract/errors.ts';
import { codes, errorMessage, type RequestId } from '../json-rpc/messages.ts';

/** The refusals between two agents: the code of JSON-RPC, of A2A or of this service, and the HTTP status. */
const refusals = {
  parse_error: { code: codes.parse, status: 200 },
  invalid_request: { code: codes.request, status: 200 },
  method_not_found: { code: codes.method, status: 200 },
  invalid_params: { code: codes.parameters, status: 200 },
  task_not_found: { code: -32001, status: 200 },
  push_notification_not_supported: { code: -32003, status: 200 },
  unsupported_operation: { code: -32004, status: 200 },
  content_type_not_supported: { code: -32005, status: 200 },
  version_not_supported: { code: -32009, status: 200 },
  unauthorized: { code: codes.refused, status: 401 },
  forbidden: { code: codes.request, status: 403 },
  payload_too_large: { code: codes.request, status: 413 },
  unsupported_media_type: { code: -32005, status: 415 },
  rate_limited: { code: codes.refused, status: 429 },
  internal_error: { code: codes.internal, status: 500 },
  overloaded: { code: codes.internal, status: 503 },
  snapshot_unavailable: { code: codes.internal, status: 503 },
} as const;

/** A kind of refusal. */
export type Reason = keyof typeof refusals;

/** A refusal as a JSON-RPC error. */
export class RpcError extends Error {
  readonly reason: Reason;
  /** The error code of the REST operations; null if they do not have this refusal. */
  readonly code: ErrorCode | null;
  /** Headers of its answer beside the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    reason: Reason,
    message: string,
    code: ErrorCode | null = null,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.headers = headers;
    this.reason = reason;
    this.code = code;
  }
  get status(): number {
    return refusals[this.reason].status;
  }
}

/** The answer to a refused request. A2A 1.0 requires `data` to be a list of typed details. */
export function refusalMessage(
  id: RequestId,
  { reason, code, message }: RpcError,
  typedDetails: boolean,
): object {
  const detail = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: reason.toUpperCase(),
    domain: 'a2a-protocol.org',
    ...(code ? { metadata: { code } } : {}),
  };
  const data = typedDetails ? [detail] : { code: code ?? reason };
  return errorMessage(id, { code: refusals[reason].code, message, data });
}
