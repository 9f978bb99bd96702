import { z } from 'zod';
import { ReconciledDay } from '../../src/contract/records.ts';
import { paths, type Routes } from '../../src/contract/snapshot.ts';
import { CorruptSnapshot, sha256Of } from '../../src/table/file.ts';
import { reconciliationPath } from '../documents/reconciliation.ts';

const Published = z.object({ data: z.array(ReconciledDay) });

/** What a build reads a file of a snapshot through. */
interface Parts {
  read(path: string, offset: number, length: number): Promise<Buffer>;
}

/** The days that a snapshot publishes: what is new in its ledger comes on top. Null for one that publishes none. Throws `CorruptSnapshot`. */
export async function publishedDays(parts: Parts, routes: Routes): Promise<readonly ReconciledDay[] | null> {
  const file = routes[reconciliationPath]?.file;
  if (!file) return null;
  const bytes = await parts.read(paths.file(file.sha256), 0, file.bytes);
  if (sha256Of(bytes) !== file.sha256) throw new CorruptSnapshot(`${paths.file(file.sha256)} does not have the SHA-256 that it is named by`);
  return Published.parse(JSON.parse(bytes.toString())).data;
}
