/** Error codes: those of JSON-RPC 2.0, and the first of the codes that it leaves to servers. */
export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  parameters: -32602,
  internal: -32603,
  refused: -32000,
} as const;

/** What those are told whose request is refused before its message is understood. */
export const refusalMessages = {
  notJson: 'Parse error: the body is no JSON',
  notPosted: 'Method not allowed: POST one JSON-RPC message',
  notAcceptable: 'Not acceptable: answers are application/json',
  unsupportedMediaType: 'Unsupported media type: Content-Type must be application/json',
} as const;

/** How deep the objects and lists of a message may be nested. What the protocols define needs ten levels. */
const depthMaximum = 64;

/** The id of a request, which its answer repeats; null if it has no valid id. */
export type RequestId = string | number | null;

/** The parsed JSON, or a sentence that says why it is refused. */
export type ParsedMessage =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** Parses a JSON-RPC message. Of members with the same name the last one counts. */
export function parseMessage(text: string): ParsedMessage {
  // Recursive functions that walk through the value would overflow the stack on deep nesting.
  if (depthOf(text) > depthMaximum)
    return { problem: `Parse error: the body is nested more than ${depthMaximum} levels deep` };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: refusalMessages.notJson };
  }
}

/** The answer to a request that succeeded. */
export function resultMessage(id: RequestId, result: unknown): object {
  return { jsonrpc: '2.0', id, result };
}

/** The answer to a refused request; `id` is null if the request has none or it could not be read. */
export function errorMessage(
  id: RequestId,
  { code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown },
): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}');

/** The greatest number of lists and objects that are open at once in a JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isInString) {
      if (character === backslash) at++;
      else if (character === quote) isInString = false;
    } else if (character === quote) isInString = true;
    else if (character === openObject || character === openList) deepest = Math.max(deepest, ++depth);
    else if (character === closeObject || character === closeList) depth--;
  }
  return deepest;
}
