// @module-tag slow
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { appendBatch } from '../../build/ledger/batch.ts';
import { changeKey, memoryCursor, positionText } from '../../clients/typescript/src/cursor.ts';
import { createClient, type FilingEventsError } from '../../clients/typescript/src/node.ts';
import { useDirectories } from '../support/directories.ts';
import { mirrorsOf, type DrivenClient } from '../support/driven-clients.ts';
import { batchAt, company, filing } from '../support/made-up.ts';
import { listeningService, serviceKey, type ListeningService } from '../support/service.ts';
import { copyOf, makeSnapshot, type MadeSnapshot } from '../support/snapshot.ts';
import { buildQuietly } from '../support/snapshots.ts';

const directory = useDirectories('restored');
const options = { logCut: { rowsPerFile: 40, rowsPerMember: 8 } };
let base: MadeSnapshot;
let made: MadeSnapshot;
let service: ListeningService;

const address = () => `http://127.0.0.1:${service.port}`;
const clientOf = () => createClient({ baseUrl: address(), apiKey: serviceKey, retries: 0 });

async function append(batch: number, from: number, count: number): Promise<void> {
  await appendBatch(made.ledgerDirectory, {
    run: { target: 'made up', status: 'success', message: null, createdAt: batchAt(batch) },
    filings: Array.from({ length: count }, (_, at) => filing(from + at, { filedAt: '2026-02-05' })),
    companies: batch === 1 ? [company(1), company(2)] : [],
    refusals: [],
  });
}

async function publish(replace = false): Promise<void> {
  await buildQuietly(made.ledgerDirectory, made.directory, { ...options, replace });
  await service.services.served.check();
}

/** Restores the ledger of 60 changes, and goes on differently. */
async function restore(count: number): Promise<void> {
  rmSync(made.ledgerDirectory, { recursive: true });
  cpSync(join(made.directory, 'backup'), made.ledgerDirectory, { recursive: true });
  await append(5, 900, count);
  await publish(true);
}

/** A log of 130 changes, and beside it the ledger as it was with 60. */
beforeAll(async () => {
  base = made = await makeSnapshot();
  await append(1, 0, 60);
  cpSync(made.ledgerDirectory, join(made.directory, 'backup'), { recursive: true });
  await buildQuietly(made.ledgerDirectory, made.directory, options);
  await append(2, 60, 70);
  await buildQuietly(made.ledgerDirectory, made.directory, options);
});
beforeEach(async () => {
  made = await copyOf(base);
  service = await listeningService(made.directory);
});
afterEach(async () => {
  await service.close();
  await made.remove();
});
afterAll(() => base.remove());

const languages = mirrorsOf(address);

function numbersIn(database: string): string[] {
  const opened = new DatabaseSync(database);
  const rows = opened.prepare('SELECT accession_no AS number FROM changes ORDER BY sequence').all();
  opened.close();
  return rows.map(({ number }) => String(number));
}

/** A mirror that was stopped while it read the files: it has no cursor yet. */
function stopAt(database: string, sequence: number): void {
  const opened = new DatabaseSync(database);
  opened.exec(
    `DELETE FROM changes WHERE sequence > ${sequence}; DELETE FROM filings WHERE sequence > ${sequence}; DELETE FROM progress`,
  );
  opened.close();
}

async function numbersOfService(): Promise<string[]> {
  const numbers: string[] = [];
  for await (const { filing: each } of clientOf().changes({ since: '2026-01-01' }))
    numbers.push(each.accessionNo);
  return numbers;
}

/** A database for a mirror, which both clients keep, each in its own. */
const databases = () =>
  languages.map(({ language, update }) => ({ language, update, database: join(directory(), 'filings.db') }));

describe('mirrors of both clients, after a restored ledger went on differently', () => {
  it('a mirror that has read further than the backup is refused, whatever it mirrors and however it was stopped', async () => {
    const given: Readonly<Record<string, () => Parameters<DrivenClient['mirror']>[1]>> = {
      whole: () => ({}),
      listed: () => ({ tickers: ['T1'] }),
      since: () => ({ since: '2026-01-01' }),
      kept: () => ({ folder: directory() }),
      stopped: () => ({}),
      'stopped at the end of a file': () => ({}),
      'stopped, with a folder': () => ({ folder: directory() }),
    };
    const mirrors = Object.entries(given).flatMap(([name, each]) =>
      databases().map((mirror) => ({ ...mirror, name: `${mirror.language}: ${name}`, given: each() })),
    );
    for (const { name, update, database, given: each } of mirrors) {
      await update(database, each);
      if (name.includes('stopped')) stopAt(database, name.endsWith('file') ? 80 : 70);
    }
    await restore(90);
    for (const { name, update, database, given: each } of mirrors) {
      const before = numbersIn(database);
      const message = await update(database, each).then(
        () => 'updated',
        ({ code, message: text }: FilingEventsError) => `${code} ${text}`,
      );
      expect(message, name).toMatch(/mirror_mismatch[\s\S]*Mirror into a new database/);
      expect(numbersIn(database), name).toEqual(before);
    }
  });

  it('a mirror that has read no further than the backup goes on', async () => {
    const [stopped, followed] = [databases(), databases()];
    for (const { update, database } of stopped) {
      await update(database);
      stopAt(database, 60);
    }
    await restore(0);
    for (const { update, database } of followed) await update(database);
    await append(6, 700, 25);
    await publish();
    const expected = await numbersOfService();
    for (const { language, update, database } of [...stopped, ...followed]) {
      await update(database);
      expect(numbersIn(database), language).toEqual(expected);
    }
  });

  it('a mirror without a cursor that is further than the log goes on when the log is there again', async () => {
    const mirrors = databases();
    for (const { update, database } of mirrors) {
      await update(database);
      stopAt(database, 70);
    }
    await made.rollBack();
    await service.services.served.check();
    for (const { language, update, database } of mirrors) {
      await update(database);
      expect(numbersIn(database).length, language).toBe(70);
    }
    await publish(true);
    const expected = await numbersOfService();
    for (const { language, update, database } of mirrors) {
      await update(database);
      expect(numbersIn(database), language).toEqual(expected);
    }
  });
});

it('a follower that stopped in the middle of a page is refused after a restore, and goes on after none', async () => {
  const { data: first, meta } = await clientOf().listChanges({ since: '2026-01-01', limit: 50 });
  expect(first.length).toBe(50);
  const { data: page } = await clientOf().listChanges({ cursor: meta.nextCursor, limit: 200 });
  const change = page[25];
  if (!change) throw new Error('the page is too short');
  const text = positionText({
    cursor: meta.nextCursor,
    sequence: change.sequence,
    change: changeKey(change),
  });
  const next = async (saved: string) => {
    const client = createClient({ baseUrl: address(), apiKey: serviceKey });
    for await (const each of client.changes().follow({ cursor: memoryCursor(saved) })) return each.sequence;
    return null;
  };
  expect(await next(text)).toBe(change.sequence + 1);
  await restore(90);
  await expect(next(text)).rejects.toMatchObject({ code: 'invalid_cursor' });
  // What an older version saved has a sequence alone, and loses nothing.
  expect(await next(`${meta.nextCursor} ${change.sequence}`)).toBe(51);
});
