import { mustBe } from '../contract/errors.ts';
import { isObject } from '../domain/scalars.ts';
import { currentRevision } from '../contract/tools.ts';
import type { HeaderReader } from '../http/exchange.ts';
import { codes } from '../json-rpc/messages.ts';
import type { Refusal } from './tool-refusals.ts';
import { wrongTypes } from './methods.ts';

/** Most messages in a batch. Only one revision has batches, and a long batch would delay other requests. */
const batchMaximum = 10;

/** A message after the checks: `good` goes to the official packages, `refused` gets the error. */
export type Checked =
  | { readonly kind: 'good'; readonly message: unknown }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** There is nothing to answer. */
  | { readonly kind: 'taken' };

/**
 * Checks a message before the official packages do. The packages explain wrong parameters badly, wait for
 * ever for a request that a batch cancels, and answer only once if two requests of a batch have the same id.
 */
export function checkMessage(message: unknown, header: HeaderReader): Checked {
  if (Array.isArray(message)) return checkBatch(message, header);
  const wrong = header('mcp-protocol-version') === currentRevision ? null : wrongParameters(message);
  return wrong === null
    ? { kind: 'good', message }
    : { kind: 'refused', refusal: { status: 200, code: codes.parameters, message: wrong } };
}

function checkBatch(messages: readonly unknown[], header: HeaderReader): Checked {
  const refused = (text: string): Checked => ({
    kind: 'refused',
    refusal: { status: 400, code: codes.request, message: text },
  });
  if (messages.length > batchMaximum)
    return refused(`Invalid request: a batch has at most ${batchMaximum} messages`);
  const ids = messages.flatMap((message) =>
    isObject(message) && message['id'] !== undefined ? [JSON.stringify(message['id'])] : [],
  );
  if (new Set(ids).size < ids.length)
    return refused('Invalid request: each id of a batch stands for one request');
  // The packages would take a list in the batch for a batch of its own, whose calls nobody has counted.
  if (!messages.every(isObject)) return refused('Invalid request: each message of a batch is an object');
  if (header('mcp-protocol-version') === currentRevision)
    return refused(`Invalid request: revision ${currentRevision} has no batches`);
  const has = (message: unknown, method: string) => isObject(message) && message['method'] === method;
  if (messages.length > 1 && messages.some((message) => has(message, 'initialize')))
    return refused('Invalid request: a batch has no initialize');
  // Requests are independent of each other, so there is nothing to cancel.
  const left = messages.filter((message) => !has(message, 'notifications/cancelled'));
  return left.length === 0 && messages.length > 0 ? { kind: 'taken' } : { kind: 'good', message: left };
}

/** Says in a sentence what is wrong with the parameters of a request; null if nothing is. */
function wrongParameters(message: unknown): string | null {
  if (!isObject(message) || message['jsonrpc'] !== '2.0' || message['id'] === undefined) return null;
  const { method, params } = message;
  if (method !== 'initialize') return wrongTypes(method, params);
  if (!isObject(params)) return mustBe('params', 'an object', params);
  return typeof params['protocolVersion'] === 'string'
    ? null
    : mustBe('params.protocolVersion', 'a text', params['protocolVersion']);
}
