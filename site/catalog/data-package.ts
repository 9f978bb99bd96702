import { marketPath } from '../../src/contract/catalog.ts';
import { productVersion } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { addressOf, type PublicFile } from '../content/public-file.ts';
import type { Market } from '../content/market.ts';

/**
 * Returns the Frictionless Data Package (version 2.0, https://datapackage.org) of a market's samples: the JSON files, because
 * CSV is written for spreadsheets, with CIKs as `="0000320193"`.
 */
export function dataPackage(
  market: Market,
  files: readonly PublicFile[],
  settings: SnapshotSettings,
): object {
  const { slug, name, description, source, sampleDatasets } = market;
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: slug,
    title: name,
    description,
    version: productVersion,
    homepage: addressOf(settings, marketPath(slug)),
    licenses: [{ name: 'MIT', path: 'https://opensource.org/license/mit', title: 'MIT License' }],
    sources: [{ title: source.name, path: source.url }],
    resources: sampleDatasets.flatMap((dataset) => {
      const file = files.find(({ path }) => path.endsWith(`/${dataset.slug}.json`));
      return file
        ? [
            {
              name: dataset.slug,
              type: 'table',
              title: dataset.name,
              description: dataset.description,
              path: `${dataset.slug}.json`,
              format: 'json',
              mediatype: 'application/json',
              encoding: 'utf-8',
              bytes: file.bytes.length,
              hash: `sha256:${sha256Of(file.bytes)}`,
              dialect: { property: 'data', itemType: 'object' },
              schema: {
                fields: dataset.fields.map((field) => ({
                  name: field.name,
                  type: field.type,
                  description: field.description,
                })),
              },
            },
          ]
        : [];
    }),
  };
}
