import { closing } from './closing.ts';

/** A server-sent event: its type, its id and its data. Comments have the type `comment`. */
export interface StreamEvent {
  readonly type: string;
  readonly id: string;
  readonly data: string;
}

/** A stream of events that is being read. */
export interface EventStream {
  readonly response: Response;
  /** The next event or comment; null at the end of the stream. */
  next(): Promise<StreamEvent | null>;
  /** The next events that have data. Rejects if the stream ends before. */
  changes(count: number): Promise<StreamEvent[]>;
  close(): Promise<void>;
}

/** Opens a stream and reads it as the HTML standard says, section 9.2.6: only `\n` ends a line here. */
export async function openEvents(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const aborted = new AbortController();
  const response = await fetch(url, {
    headers: { Accept: 'text/event-stream', ...headers },
    signal: aborted.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  async function next(): Promise<StreamEvent | null> {
    for (;;) {
      const at = text.indexOf('\n\n');
      if (at !== -1) {
        const block = text.slice(0, at);
        text = text.slice(at + 2);
        return eventOf(block);
      }
      const read = await reader?.read();
      if (read === undefined || read.done) return null;
      text += read.value;
    }
  }
  return {
    response,
    next,
    async changes(count) {
      const found: StreamEvent[] = [];
      while (found.length < count) {
        const event = await next();
        if (event === null) throw new Error(`the stream ended after ${found.length} of ${count} changes`);
        if (event.type === 'change') found.push(event);
      }
      return found;
    },
    close: closing(async () => {
      aborted.abort();
      await reader?.cancel().catch(() => undefined);
    }),
  };
}

function eventOf(block: string): StreamEvent {
  const fields = block.split('\n').map((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const;
  });
  const valueOf = (name: string) => fields.find(([field]) => field === name)?.[1] ?? '';
  return {
    type: valueOf('event') || (block.startsWith(':') ? 'comment' : 'none'),
    id: valueOf('id'),
    data: valueOf('data'),
  };
}
