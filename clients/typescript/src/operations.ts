import { FilingEventsError } from './errors.ts';
import { operations, type Operations } from './generated.ts';
import type { ClientSettings, RequestOptions, Transport } from './transport.ts';
import { fill, type Value } from './url.ts';

/** Makes a method for each operation. Example: `await createOperations(transport, settings).getStats()`. */
export function createOperations(
  transport: Transport,
  settings: Pick<ClientSettings, 'timeoutSeconds'>,
): Operations<RequestOptions> {
  async function call(
    { method, path, answer }: (typeof operations)[keyof typeof operations],
    parameters: Readonly<Record<string, Value>> = {},
    { timeoutSeconds, ...options }: RequestOptions = {},
  ): Promise<unknown> {
    const { message, ...others } = parameters;
    const wait = Number(parameters['wait'] ?? 0);
    return transport.ask<unknown>(
      { method, path: fill(path, others), body: message === undefined ? undefined : JSON.stringify(message) },
      (bytes) => (answer === 'file' ? bytes : parse(bytes, path)),
      { ...options, timeoutSeconds: timeoutSeconds ?? (settings.timeoutSeconds ?? 60) + wait },
    );
  }

  return Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [
      id,
      (parameters?: Readonly<Record<string, Value>>, options?: RequestOptions) =>
        call(operation, parameters, options),
    ]),
  ) as unknown as Operations<RequestOptions>;
}

/** Reads an answer. Every one below `/v1/` has `data`; a page of a proxy has none. */
function parse(bytes: Uint8Array, path: string): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw noAnswer(path, 'is no JSON', cause);
  }
  if (typeof answer !== 'object' || answer === null || (path.startsWith('/v1/') && !('data' in answer)))
    throw noAnswer(path, 'has no data');
  return answer;
}

const noAnswer = (path: string, problem: string, cause?: unknown) =>
  new FilingEventsError(`the answer of ${path} ${problem}: is this the address of the service?`, {
    code: 'unexpected_answer',
    status: 200,
    cause,
  });
