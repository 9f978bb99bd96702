import { isEnd, pageRows } from '../../clients/typescript/src/source.ts';
import type { Change } from '../../src/contract/records.ts';
import { plainCommas } from '../pages/parts/code-block.ts';
import { ask, type Trouble } from './ask-service.ts';

/** The most pages of the feed that are read at once. Only very busy days of a company have more. */
const pagesMaximum = 5;

/** A page of the change feed. */
interface ChangePage {
  readonly data: readonly Change[];
  readonly meta: { readonly nextCursor: string; readonly endedEarly?: true };
}

/** What was read of the change feed. */
export interface ReadChanges {
  /** Oldest first. */
  readonly changes: readonly Change[];
  /** The cursor behind them; null if nothing was read. */
  readonly cursor: string | null;
  /** Whether the feed has no more. */
  readonly isAll: boolean;
  /** Why reading ended before the end of the feed. */
  readonly trouble?: Trouble;
}

/** Reads the change feed with the key of the page, from where a query begins, up to a number of pages. */
export async function readChanges(query: Readonly<Record<string, string>>): Promise<ReadChanges> {
  const asked = new URLSearchParams({ ...query, limit: String(pageRows) });
  const changes: Change[] = [];
  let cursor: string | null = null;
  for (let read = 0; read < pagesMaximum; read++) {
    const { body, trouble } = await ask<ChangePage>(`/v1/sec/changes?${plainCommas(asked)}`);
    if (trouble) return { changes, cursor, isAll: false, trouble };
    changes.push(...body.data);
    cursor = body.meta.nextCursor;
    if (isEnd(body)) return { changes, cursor, isAll: true };
    asked.set('cursor', cursor);
  }
  return { changes, cursor, isAll: false };
}
