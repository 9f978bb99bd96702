import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { PublishedChange } from '../clients.ts';
import type { World } from '../world.ts';

/** The folder of the exported tables. */
export const exportFolder = '/export';

interface Manifest {
  readonly lastSequence: number;
  readonly tables: Readonly<Record<string, { readonly files: readonly { readonly path: string }[] }>>;
}

/** Fails the run unless the exported tables have what the feed has, each entry and each filing once. */
export async function checkExport({ look, fail }: World, entries: readonly PublishedChange[]): Promise<void> {
  const manifest = JSON.parse(look.readWhole(`${exportFolder}/manifest.json`).toString()) as Manifest;
  const newest = new Map(entries.map((each) => [each.filing.accessionNo, each.sequence]));
  const wanted = {
    changes: entries.map(textOf),
    filings: entries
      .filter(({ sequence, filing }) => newest.get(filing.accessionNo) === sequence)
      .map(textOf),
  };
  for (const name of ['changes', 'filings'] as const) {
    const rows: string[] = [];
    for (const { path } of manifest.tables[name]?.files ?? []) {
      const bytes = look.readWhole(`${exportFolder}/${path}`);
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
      const columns = ['sequence', 'accessionNo', 'revision'];
      for (const row of (await parquetReadObjects({ file, columns, compressors })) as unknown as Row[])
        rows.push(`${row.sequence} ${row.accessionNo}.${row.revision}`);
    }
    const [missing, besides] = [
      wanted[name].filter((each) => !rows.includes(each)),
      rows.filter((each) => !wanted[name].includes(each)),
    ];
    if (missing.length + besides.length + rows.length - wanted[name].length !== 0)
      fail(
        `the exported table ${name} lacks ${missing.length} rows of ${wanted[name].length}, and has ${besides.length} others, first ${besides[0] ?? missing[0] ?? 'one twice'}`,
      );
  }
}

interface Row {
  readonly sequence: number | bigint;
  readonly accessionNo: string;
  readonly revision: number | bigint;
}

const textOf = ({ sequence, revision, filing }: PublishedChange) =>
  `${sequence} ${filing.accessionNo}.${revision}`;
