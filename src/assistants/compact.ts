import { leftOutOfCompact } from '../contract/compact-members.ts';
import { isObject } from '../domain/scalars.ts';
import type { Turns } from '../requests/turns.ts';

/** Leaves out of each filing in an answer what compact answers do not have. */
function compacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compacted);
  if (!isObject(value)) return value;
  // Of all records, only filings have a primary document.
  const isFiling = 'primaryDocument' in value;
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value))
    if (!isFiling) made[name] = compacted(member);
    else if (!leftOutOfCompact.has(name)) made[name] = member;
  return made;
}

/** An answer as JSON, and parsed. */
export interface Content {
  readonly json: Buffer;
  readonly parsed: unknown;
}

/** The compact form of an answer. It is made row by row, with pauses between: a watchlist may have megabytes. */
export async function compactContent(turns: Turns, body: unknown): Promise<Content> {
  const { data, ...rest } = body as { data: unknown };
  if (!Array.isArray(data)) {
    const parsed = compacted(body);
    return { parsed, json: Buffer.from(JSON.stringify(parsed)) };
  }
  const rows: unknown[] = [];
  const texts: string[] = [];
  for (const row of data) {
    const made = compacted(row);
    rows.push(made);
    texts.push(JSON.stringify(made));
    await turns.pause();
  }
  return {
    parsed: { data: rows, ...rest },
    json: Buffer.from(`{"data":[${texts.join(',')}],${JSON.stringify(rest).slice(1)}`),
  };
}
