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
    const bytes = await transport.ask(
      { method, path: fill(path, others), body: message === undefined ? undefined : JSON.stringify(message) },
      { ...options, timeoutSeconds: timeoutSeconds ?? (settings.timeoutSeconds ?? 60) + wait },
    );
    return answer === 'file' ? bytes : parse(bytes, path);
  }

  return Object.fromEntries(
    Object.entries(operations).map(([id, operation]) => [
      id,
      (parameters?: Readonly<Record<string, Value>>, options?: RequestOptions) =>
        call(operation, parameters, options),
    ]),
  ) as unknown as Operations<RequestOptions>;
}

function parse(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new FilingEventsError(`the answer of ${path} is no JSON: is this the address of the service?`, {
      code: 'unexpected_answer',
      cause,
    });
  }
}
