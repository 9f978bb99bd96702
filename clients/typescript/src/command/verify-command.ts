import { readFile } from 'node:fs/promises';
import { FilingEventsError } from '../errors.ts';
import type { BulkFile } from '../generated.ts';
import { fetchListed, type FetchBytes } from '../mirror/files.ts';
import { readSnapshotFile, verifyFiles, verifySnapshot, type FileState } from '../verify.ts';
import { keepAccepted, readAccepted } from './accepted.ts';
import type { Command, Context } from './command.ts';
import { numberOf, oneWord, UsageError } from './words.ts';

/** How often the list is read at most: the open file may grow between the list and what is fetched by it. */
const listingsMaximum = 3;

/** What files are compared with. */
interface Listing {
  readonly files: readonly BulkFile[];
  readonly fetchListed: FetchBytes;
}

/** Compares the files of a mirror with a list. Example: `commands.includes(verify)`. */
export const verify: Command = {
  name: 'verify',
  words: 'DIR',
  text: 'compares the files of a mirror with their digests, as the service or a signed snapshot has them',
  options: [
    {
      name: 'snapshots',
      value: 'SOURCE',
      text: 'folder or address of the snapshots, instead of the service',
    },
    {
      name: 'trusted-key',
      value: 'KEY',
      text: 'public key of the pointer: a file in PEM, or its base64 line',
    },
    {
      name: 'at-least',
      value: 'N',
      text: 'refuses a pointer with a smaller number; DIR keeps the greatest one that was accepted',
    },
  ],
  examples: ['verify filings', 'verify filings --snapshots https://files.example --trusted-key key.pem'],
  async run(context) {
    const folder = oneWord(context.words, 'DIR');
    const list = await listingOf(folder, context);
    let states: FileState[] = [];
    for (let listings = 0; listings < listingsMaximum; listings++) {
      const { files, fetchListed } = await list();
      states = await verifyFiles(folder, files, fetchListed);
      if (!states.some(({ state }) => state === 'unproven')) break;
    }
    const rows = context.printer<FileState>([
      ['FILE', 30, ({ name }) => name],
      ['STATE', 8, ({ state }) => state],
    ]);
    for (const state of states) await rows.row(state);
    const bad = states.filter(({ state }) => state !== 'ok' && state !== 'older');
    if (bad.length > 0)
      throw new FilingEventsError(
        `${bad.length} of ${states.length} files are missing, damaged, or not proven to be older; mirror fetches them again`,
        { code: 'digest_mismatch' },
      );
  },
};

/** How the list is had: from the service, or proven by the signature of a pointer. */
async function listingOf(
  folder: string,
  { client, values, signal, tell }: Context,
): Promise<() => Promise<Listing>> {
  const { snapshots: source, 'trusted-key': key } = values;
  if ((source === undefined) !== (key === undefined))
    throw new UsageError('--snapshots and --trusted-key belong together');
  const given = numberOf(values, 'at-least', 0);
  if (source === undefined || key === undefined) {
    if (values['at-least'] !== undefined) throw new UsageError('--at-least belongs to --snapshots');
    return async () => ({
      files: (await client.listBulkFiles({}, { signal })).data,
      fetchListed: (file) => fetchListed(client, file, { signal }),
    });
  }
  const trustedKey = await readFile(key, 'utf8').catch(() => key);
  let told = 0;
  return async () => {
    const atLeast = Math.max(given, await readAccepted(folder));
    const { snapshotId, number, files } = await verifySnapshot(source, { trustedKey, atLeast });
    await keepAccepted(folder, number);
    if (number !== told)
      tell(`the signature of the pointer is good: snapshot ${snapshotId}, number ${number}`);
    told = number;
    return { files, fetchListed: (file) => readSnapshotFile(source, file) };
  };
}
