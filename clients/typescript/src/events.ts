/** A server-sent event, or a part between two empty lines that is none. Example: `{ id: 'aH5…', data: '', retryMs: null }`. */
export interface ServerEvent {
  /** Where the next stream goes on behind it; empty if it does not say. */
  readonly id: string;
  /** Empty if it is no event: a comment, an id alone, or a time. */
  readonly data: string;
  /** After so long a client whose stream ended asks again; null if it does not say. */
  readonly retryMs: number | null;
}

/**
 * Reads server-sent events (HTML standard, section 9.2) from the bytes of a stream, comments included, because they are
 * signs of life. What the end of the stream cut off is not given. Example: `eventsIn(response.body)`.
 */
export async function* eventsIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  let lines: string[] = [];
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    const whole = text.split('\n');
    text = whole.pop() ?? '';
    for (const ended of whole) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line !== '') lines.push(line);
      else if (lines.length > 0) {
        yield eventOf(lines);
        lines = [];
      }
    }
  }
}

function eventOf(lines: readonly string[]): ServerEvent {
  const data: string[] = [];
  const others = { id: '', retry: '' };
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? '' : line.slice(line[at + 1] === ' ' ? at + 2 : at + 1);
    if (name === 'data') data.push(value);
    if (name === 'id' || name === 'retry') others[name] = value;
  }
  const { id, retry } = others;
  return { id, data: data.join('\n'), retryMs: /^\d+$/.test(retry) ? Number(retry) : null };
}
