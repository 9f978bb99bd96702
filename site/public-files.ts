import type { Endpoint } from '../src/contract/endpoints.ts';
import { gatewayHeaders } from '../src/contract/gateway.ts';
import { referenceDocument, referencePath } from '../src/contract/reference.ts';
import { openApiDocument } from '../src/openapi/document.ts';
import { catalogFiles, catalogOf } from './catalog/catalog-files.ts';
import { intentPaths } from './catalog/paths.ts';
import { clientPackageFiles } from './content/client-packages.ts';
import { jsonFile, type PageInput, type PublicFile, type PublicInput } from './content/public-file.ts';
import { reconciliationDocument, reconciliationPath } from './content/reconciliation.ts';
import { demoDocument } from './documents/documents.ts';
import { agentCardFiles } from './discovery/agent-card.ts';
import { portalFiles } from './discovery/portals.ts';
import { collectionFiles } from './discovery/postman.ts';
import { registryFiles } from './discovery/tool-registry.ts';
import { textFiles } from './discovery/texts.ts';
import { feedFiles } from './discovery/feeds.ts';
import { siteFiles } from './site-files.ts';

/** Makes public files. `earlier` are the files of the makers before it. */
type PublicMaker = (input: PageInput, earlier: readonly PublicFile[]) => readonly PublicFile[];

/** All makers of public files, in order. A new document needs one entry here. */
const makers: readonly PublicMaker[] = [
  coreFiles,
  catalogFiles,
  agentCardFiles,
  registryFiles,
  portalFiles,
  collectionFiles,
  feedFiles,
  clientPackageFiles,
  siteFiles,
  textFiles,
];

/** Makes all public files. Throws if two makers want the same path. */
export function publicFiles(input: PublicInput): PublicFile[] {
  const given: PageInput = {
    ...input,
    catalog: catalogOf(input),
    demo: demoDocument(input.overview, input.settings),
    reference: referenceDocument(),
  };
  const files: PublicFile[] = [];
  for (const make of makers) files.push(...make(given, files));
  const twice = files.find(({ path }, at) => files.findIndex((other) => other.path === path) !== at);
  if (twice) throw new Error(`two public files want the path ${twice.path}`);
  return files;
}

/** Makes the public sample, the OpenAPI description, the reference, and the reconciliation results. */
function coreFiles(input: PageInput): PublicFile[] {
  const { overview, settings, markets, examples, demo, reference } = input;
  const exampleOf = ({ id }: Endpoint) =>
    id === 'getDemo' ? { path: '/demo', body: demo } : examples.find(({ endpoint }) => endpoint.id === id);
  const description = openApiDocument(
    settings.baseUrl,
    exampleOf,
    intentPaths(markets),
    gatewayHeaders(settings.marketplaceName),
  );
  return [
    jsonFile('/demo', demo),
    jsonFile('/openapi.json', description),
    jsonFile('/.well-known/openapi.json', description),
    jsonFile(referencePath, reference),
    jsonFile(reconciliationPath, reconciliationDocument(overview)),
  ];
}
