import { FilingEventsError } from './errors.ts';
import { boundedSeconds } from './pauses.ts';

/** A server-sent event, or a part between two empty lines that is none. Example: `{ id: 'aH5…', data: '', retryMs: null }`. */
export interface ServerEvent {
  /** Where the next stream goes on behind it; empty if it does not say. */
  readonly id: string;
  /** Empty if it is no event: a comment, an id alone, or a time. */
  readonly data: string;
  /** How long a client whose stream ended waits before it asks again, an hour at most; null if it does not say. */
  readonly retryMs: number | null;
}

/** The most characters of an event. A change has far fewer; more would fill the memory of whoever waits for their end. */
const charactersMaximum = 4 * 1024 * 1024;

/**
 * Reads server-sent events (HTML standard, section 9.2) from the bytes of a stream, comments included, because they are
 * signs of life. What the end of the stream cut off is not given. Throws `answer_too_long` for an event without an end.
 * Example: `eventsIn(piecesOf(response))`.
 */
export async function* eventsIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let lines: string[] = [];
  let begun: string[] = [];
  let characters = 0;
  for await (const piece of pieces) {
    const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n');
    begun.push(first);
    characters += first.length + 1;
    for (const next of others) {
      const ended = begun.join('');
      begun = [next];
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line !== '') lines.push(line);
      else {
        if (lines.length > 0) yield eventOf(lines);
        lines = [];
        characters = 0;
      }
      characters += next.length + 1;
    }
    if (characters > charactersMaximum)
      throw new FilingEventsError(`an event of the stream has more than ${charactersMaximum} characters`, {
        code: 'answer_too_long',
      });
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
  return {
    id,
    data: data.join('\n'),
    retryMs: /^\d+$/.test(retry) ? boundedSeconds(Number(retry) / 1000) * 1000 : null,
  };
}
