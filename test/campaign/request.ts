/** A header as it is written. A name may come more than once. */
export type Header = readonly [name: string, value: string];

/** What the campaign knows of the service before it begins: everything was learned over HTTP. */
export interface Facts {
  readonly port: number;
  readonly key: string;
  /** A key with a limit that the campaign uses up. */
  readonly limitedKey: string;
  /** CIKs of 25 companies. */
  readonly companies: readonly string[];
  readonly gateway: { readonly host: string; readonly secret: string };
  /** Answers that the service gave, with their ETags. */
  readonly known: readonly { readonly target: string; readonly etag: string }[];
  readonly cursors: readonly string[];
  /** Paths of documents that need no key. */
  readonly publicPaths: readonly string[];
  /** Sample-only paths with the parameters that they take. */
  readonly samples: readonly { readonly path: string; readonly parameters: readonly string[] }[];
  /**
   * What the OpenAPI document says, by operation (`get /v1/sec/latest`): error codes by status, none for what
   * is no error.
   */
  readonly declared: ReadonlyMap<string, ReadonlyMap<number, readonly string[]>>;
}

/** One request whose end is known, so that the next one can follow it on the same connection. */
export interface HostileRequest {
  /** The production of the grammar that made it. */
  readonly kind: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  /** The body as it is sent, with the marks of its chunks if it has any. */
  readonly body: Buffer | null;
  /** The body without such marks. */
  readonly message: Buffer | null;
  readonly surface: 'rest' | 'mcp' | 'a2a';
  /** The operation of the OpenAPI document that answers it; null where that cannot be said. */
  readonly operation: string | null;
  /** Whether a caller with a key gets an answer (`good`) or is refused (`refusal`), if that can be said. */
  readonly wants: 'good' | 'refusal' | 'either';
  /** Whether the HTTP layer may refuse it before anybody looks at the path. */
  readonly isOdd: boolean;
  /** The number of an earlier request of the script that must have had the same answer. */
  readonly sameAs?: number;
}

/** Bytes that may be anything, on a connection of their own. */
export interface Noise {
  readonly kind: string;
  readonly bytes: Buffer;
  /** Whether the server can see that nothing more comes, and so must answer. */
  readonly isComplete: boolean;
  /** The status of the first answer, where it is known: nothing that follows may come before it. */
  readonly first?: number;
  /** Whether a part of it comes from somebody with a key. */
  readonly isKeyed?: boolean;
}

/** What happens on one connection. */
export type Script =
  | { readonly number: number; readonly noise: Noise }
  | {
      readonly number: number;
      readonly requests: readonly HostileRequest[];
      readonly pieces: readonly number[];
      readonly inTurns: boolean;
    };

/** The bytes of a request. Texts are Latin-1, so that a grammar can name every byte. */
export function bytesOf({ method, target, headers, body }: HostileRequest): Buffer {
  const head = `${method} ${target} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

/** The values of a header of a request, in the order in which they stand there. */
export function valuesOf({ headers }: Pick<HostileRequest, 'headers'>, name: string): string[] {
  return headers
    .filter(([each]) => each.toLowerCase() === name)
    .map(([, value]) => value.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
}

/** A call of the tool protocol whose answer may be anything: the message and headers of its own. */
export function toolPost(
  port: number,
  kind: string,
  message: Buffer,
  own: readonly Header[],
): HostileRequest {
  return {
    kind,
    method: 'POST',
    target: '/mcp',
    headers: [
      ['Host', `127.0.0.1:${port}`],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(message.length)],
      ...own,
    ],
    body: message,
    message,
    surface: 'mcp',
    operation: 'post /mcp',
    wants: 'either',
    isOdd: false,
  };
}
