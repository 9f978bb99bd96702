import { productName } from '../../../src/contract/product.ts';
import type { SnapshotSettings } from '../../../src/format/snapshot.ts';
import { addressOf } from '../../content/public-file.ts';

/** A page describes its data to search engines with these facts. */
export interface DataFacts {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly modified: string;
  /** Filing dates of the oldest and the newest filing. `null` and `..` leave a side open. */
  readonly span: readonly [oldest: string | null, newest: string];
  readonly isFree: boolean;
  readonly files: readonly (readonly [path: string, type: string])[];
}

/** Describes data as a `Dataset` of schema.org. */
export function dataset(
  settings: SnapshotSettings,
  { name, description, path, modified, span: [oldest, newest], isFree, files }: DataFacts,
): unknown {
  const address = (to: string) => addressOf(settings, to);
  return {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name,
    description,
    url: address(path),
    license: 'https://spdx.org/licenses/MIT',
    dateModified: modified,
    temporalCoverage: `${oldest ?? '..'}/${newest}`,
    isAccessibleForFree: isFree,
    keywords: ['SEC', 'EDGAR', 'filings', '8-K', 'insider filings', 'change feed'],
    creator: { '@type': 'Organization', name: productName, url: address('/') },
    distribution: files.map(([to, type]) => ({
      '@type': 'DataDownload',
      encodingFormat: type,
      contentUrl: address(to),
    })),
  };
}
