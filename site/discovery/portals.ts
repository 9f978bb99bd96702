import { marketPath, samplePath, samplesDescriptionPath } from '../../src/contract/catalog.ts';
import { bulkPath } from '../../src/contract/bulk.ts';
import { productDescription, productName } from '../../src/contract/product.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import type { Market } from '../content/market.ts';
import { newestDayOf } from '../content/overview.ts';
import { addressOf, jsonFile, mailboxOf, type PublicFile, type PublicInput } from '../content/public-file.ts';

/** The terms of the catalog vocabularies, for readers of linked data. */
const context = {
  '@vocab': 'http://www.w3.org/ns/dcat#',
  dcat: 'http://www.w3.org/ns/dcat#',
  dcterms: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  spdx: 'http://spdx.org/rdf/terms#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  title: 'dcterms:title',
  description: 'dcterms:description',
  identifier: 'dcterms:identifier',
  modified: 'dcterms:modified',
  publisher: 'dcterms:publisher',
  license: 'dcterms:license',
  name: 'foaf:name',
  fn: 'vcard:fn',
  hasEmail: { '@id': 'vcard:hasEmail', '@type': '@id' },
  checksum: 'spdx:checksum',
  algorithm: 'spdx:algorithm',
  checksumValue: 'spdx:checksumValue',
};

const publisher = { '@type': 'Organization', name: productName } as const;
const contactPoint = (settings: SnapshotSettings) => ({
  '@type': 'Kind',
  fn: productName,
  hasEmail: `mailto:${mailboxOf(settings)}`,
});

/** Returns the files that data portals and API catalogs read: `/dcat.json` and `/.well-known/api-catalog`. */
export function portalFiles(
  { settings, overview, markets }: PublicInput,
  earlier: readonly PublicFile[],
): PublicFile[] {
  const modified = newestDayOf(overview);
  return [
    jsonFile(
      '/dcat.json',
      dcat(settings, modified, samplesOf(markets, earlier), earlier),
      'application/ld+json',
    ),
    jsonFile(
      '/.well-known/api-catalog',
      apiCatalog(settings),
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      { Link: '</.well-known/api-catalog>; rel="api-catalog"' },
    ),
  ];
}

/**
 * Makes the DCAT-US 3.0 catalog (https://github.com/GSA/dcat-us): the service, the public sample, and every
 * sample dataset with its files.
 */
function dcat(
  settings: SnapshotSettings,
  modified: string,
  samples: ReturnType<typeof samplesOf>,
  earlier: readonly PublicFile[],
) {
  const facts = (title: string, description: string, path: string) => ({
    title,
    description,
    identifier: addressOf(settings, path),
    landingPage: addressOf(settings, path.replace(/\.\w+$/, '')),
    modified,
    publisher,
    contactPoint: contactPoint(settings),
    accessLevel: 'public',
    license: 'https://spdx.org/licenses/MIT',
    language: ['en'],
  });
  const distribution = ({ path, contentType }: PublicFile) => ({
    '@type': 'Distribution',
    title: path.slice(path.lastIndexOf('/') + 1),
    downloadURL: addressOf(settings, path),
    mediaType: contentType.split(';')[0],
  });
  const fixed = (file: PublicFile) => ({
    ...distribution(file),
    byteSize: String(file.bytes.length),
    checksum: {
      '@type': 'Checksum',
      algorithm: 'http://spdx.org/rdf/terms#checksumAlgorithm_sha256',
      checksumValue: sha256Of(file.bytes),
    },
  });
  const demo = earlier
    .filter(({ path }) => path === '/demo')
    .map((file) => ({
      '@type': 'Dataset',
      ...facts(
        'Sample of latest SEC filings',
        'The newest filings of the service and the newest insider filings, in the shape of its answers.',
        '/demo',
      ),
      keyword: ['SEC', 'EDGAR', 'filings', 'sample'],
      accrualPeriodicity: 'R/P1D',
      // It names the address of the service, so its bytes are not those of the build everywhere.
      distribution: [distribution(file)],
    }));
  return {
    '@context': context,
    '@type': 'Catalog',
    '@id': addressOf(settings, '/dcat.json'),
    conformsTo: { '@type': 'Standard', title: 'DCAT-US 3.0' },
    title: productName,
    description: productDescription,
    publisher,
    modified,
    language: ['en'],
    dataset: [
      ...demo,
      {
        '@type': 'Dataset',
        ...facts(
          'All SEC filings of the service, as a log',
          'Every filing and every correction in the order in which they were observed: JSON Lines, compressed with gzip, in files that never change once they are closed. With a key.',
          '/docs/bulk',
        ),
        accessLevel: 'restricted public',
        keyword: ['SEC', 'EDGAR', 'filings', 'change feed', 'bulk'],
        distribution: [
          {
            '@type': 'Distribution',
            title: 'Files of the change feed',
            description: 'The list of the files, with length and SHA-256 of each.',
            accessURL: addressOf(settings, bulkPath),
            mediaType: 'application/json',
          },
        ],
      },
      {
        '@type': 'Dataset',
        ...facts(
          'SEC filings as tables',
          'The log, the newest state of each filing, parties, trades of insiders and companies as Apache Iceberg tables of Parquet files, which the operator exports for warehouses.',
          '/docs/warehouse',
        ),
        accessLevel: 'restricted public',
        keyword: ['SEC', 'EDGAR', 'filings', 'Iceberg', 'Parquet'],
        distribution: [
          {
            '@type': 'Distribution',
            title: 'Tables for warehouses',
            description: 'What the tables hold, and how they are read.',
            accessURL: addressOf(settings, '/docs/warehouse'),
            mediaType: 'application/vnd.apache.parquet',
          },
        ],
      },
      ...samples.map(({ name, description, market, files, path }) => ({
        '@type': 'Dataset',
        ...facts(name, description, path),
        keyword: ['sample', market],
        distribution: files.map(fixed),
      })),
    ],
    service: [
      {
        '@type': 'DataService',
        title: `${productName} API`,
        description: productDescription,
        identifier: addressOf(settings, '/openapi.json'),
        publisher,
        contactPoint: contactPoint(settings),
        endpointURL: [addressOf(settings, '/')],
        endpointDescription: [addressOf(settings, '/openapi.json')],
        servesDataset: demo.map(({ identifier }) => identifier),
      },
    ],
  };
}

/** Returns the sample datasets of the validation catalog with their files. */
function samplesOf(markets: readonly Market[], earlier: readonly PublicFile[]) {
  return markets.flatMap(({ slug: market, sampleDatasets }) =>
    sampleDatasets.map(({ slug, name, description }) => {
      const paths = (['csv', 'json'] as const).map((extension) => samplePath(market, slug, extension));
      return {
        name,
        description,
        market,
        path: marketPath(market),
        files: paths.flatMap((path) => earlier.find((each) => each.path === path) ?? []),
      };
    }),
  );
}

/**
 * Makes the API catalog (RFC 9727, in the form of RFC 9264): where the API is described and documented, where
 * its health is, and where the samples of candidates are.
 */
function apiCatalog(settings: SnapshotSettings) {
  const link = (path: string, type: string) => ({ href: addressOf(settings, path), type });
  return {
    linkset: [
      {
        anchor: addressOf(settings, '/'),
        'service-desc': [link('/openapi.json', 'application/json')],
        'service-doc': [link('/docs', 'text/html')],
        'service-meta': [
          link('/dcat.json', 'application/ld+json'),
          link('/mcp/server-card', 'application/mcp-server-card+json'),
          link('/.well-known/agent-card.json', 'application/json'),
        ],
        status: [link('/health', 'application/json')],
      },
      {
        anchor: addressOf(settings, '/markets'),
        'service-desc': [link(samplesDescriptionPath, 'application/json')],
        'service-meta': [link('/markets.json', 'application/json')],
      },
    ],
  };
}
