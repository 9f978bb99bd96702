import { bulkContentType, bulkPath } from '../contract/bulk.ts';
import { ApiError } from '../contract/errors.ts';
import { bulkListOf, type Snapshot } from '../snapshot/open.ts';
import type { Answer } from '../http/http-answer.ts';

/**
 * A file of the change feed, which is compressed already. Its name tells its range and not its content: after a
 * ledger was restored from a backup, a closed file may be another one. So caches ask again, by its ETag. Throws
 * `not_found`.
 */
export async function bulkFileAnswer(snapshot: Snapshot, name: string): Promise<Answer> {
  const file = bulkListOf(snapshot.documents).data.find((each) => each.name === name);
  if (!file) throw new ApiError('not_found', `there is no file ${name}; ${bulkPath} lists all`);
  const bytes = await snapshot.longFile(file);
  return {
    contentType: bulkContentType,
    etag: `"${file.sha256.slice(0, 32)}"`,
    body: () => bytes,
    headers: {
      'Accept-Ranges': 'bytes',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    },
  };
}
