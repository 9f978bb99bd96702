import type { SettingsOf } from '../src/settings/settings-of-commands.ts';
import { SettingsError } from '../src/settings/settings.ts';
import { edgarSettings, foldersOf, type FolderOptions } from './command-settings.ts';
import { explainFullDisk } from './disk/full.ts';
import {
  ingestContents,
  type IngestContentsOptions,
  type IngestedContents,
} from './ingest/ingest-contents.ts';

/** The arguments of `npm run ingest`. */
export interface IngestCommandOptions extends FolderOptions {
  readonly universe?: string;
  readonly since?: string;
  readonly contents?: true;
  readonly fromDataSets?: true;
}

/** Throws a `SettingsError` for arguments that do not go together. */
export function checkIngestOptions({ universe, contents, fromDataSets }: IngestCommandOptions): void {
  if (universe === undefined && !contents)
    throw new SettingsError("required option '--universe <who>' not specified");
  if (universe !== undefined && contents)
    throw new SettingsError('--contents takes no --universe: it asks for what the ledger lacks');
  if (fromDataSets && !contents) throw new SettingsError('--from-data-sets goes with --contents alone');
}

/** Runs `npm run ingest -- --contents`. */
export async function ingestContentsCommand(
  options: IngestCommandOptions,
  settings: SettingsOf<'ingest'>,
  given: Required<Pick<IngestContentsOptions, 'now' | 'progress' | 'log' | 'signal'>>,
): Promise<IngestedContents> {
  const edgar = edgarSettings(settings);
  const folders = foldersOf(options, settings);
  const { ledgerDirectory } = folders;
  const kinds = settings.CONTENTS;
  if (kinds.length === 0) {
    given.log('CONTENTS names nothing that is asked for', 'warn');
    return { added: 0, unread: 0 };
  }
  const done = await ingestContents({
    kinds,
    since: options.since ?? null,
    fromDataSets: options.fromDataSets === true,
    ...folders,
    settings: edgar,
    ...given,
  }).catch(async (error: unknown) => {
    throw await explainFullDisk(error, ledgerDirectory, null);
  });
  given.log(`contents of ${done.added} filings in ${ledgerDirectory}, ${done.unread} refusals`);
  return done;
}
