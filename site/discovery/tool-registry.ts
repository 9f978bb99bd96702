import {
  productDescription,
  productName,
  productVersion,
  registryName,
  agentNamespace,
} from '../../src/contract/product.ts';
import {
  currentRevision,
  handshakeRevisions,
  privateToolsPath,
  toolsPath,
} from '../../src/contract/tools.ts';
import type { SnapshotSettings } from '../../src/format/snapshot.ts';
import { addressOf, jsonFile, type PublicFile, type PublicInput } from '../content/public-file.ts';

/** Registries cut descriptions at 100 characters. */
const shortDescription =
  'SEC EDGAR filings as data: watchlists, company search, profiles, histories, insiders, summaries.';
const cardHeaders = {
  'Cache-Control': 'public, max-age=3600',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Content-Type, If-None-Match',
} as const;

/** Where clients connect: the first address is for all, the second for those that sign in when they connect. */
const remotesOf = (settings: SnapshotSettings) =>
  [toolsPath, privateToolsPath].map((path) => remote(settings, path));

function remote(settings: SnapshotSettings, path: string) {
  return {
    type: 'streamable-http',
    url: addressOf(settings, path),
    headers: [
      {
        name: 'x-api-key',
        description:
          path === toolsPath
            ? 'Key of direct access. The public tools need none.'
            : 'Key of direct access, where no token is sent.',
        isRequired: false,
        isSecret: true,
      },
    ],
  };
}

/** Returns the files that describe the tool endpoint to registries, catalogs and assistants. */
export function registryFiles({ settings }: PublicInput): PublicFile[] {
  const facts = {
    name: registryName(addressOf(settings, '')),
    title: productName,
    description: shortDescription,
    version: productVersion,
    websiteUrl: addressOf(settings, '/'),
  };
  // https://github.com/modelcontextprotocol/registry: server.json
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    ...facts,
    remotes: remotesOf(settings),
  };
  // https://modelcontextprotocol.io, SEP-2127: server card
  const card = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    ...facts,
    remotes: remotesOf(settings).map((each) => ({
      ...each,
      supportedProtocolVersions: [currentRevision, ...handshakeRevisions],
    })),
  };
  return [
    jsonFile('/server.json', server),
    jsonFile('/.well-known/mcp-server.json', server),
    jsonFile('/mcp/server-card', card, 'application/mcp-server-card+json', cardHeaders),
    jsonFile('/.well-known/ai-catalog.json', aiCatalog(settings), 'application/ai-catalog+json'),
  ];
}

/**
 * Makes the catalog of agents and tool endpoints of this host. Entries have both `type` and `mediaType`,
 * because drafts used either name.
 */
function aiCatalog(settings: SnapshotSettings) {
  const entry = (kind: string, type: string, path: string) => ({
    identifier: `${agentNamespace(addressOf(settings, ''))}:${kind}:filings`,
    displayName: productName,
    description: productDescription,
    type,
    mediaType: type,
    url: addressOf(settings, path),
  });
  return {
    specVersion: '1.0',
    host: { displayName: productName },
    entries: [
      entry('mcp', 'application/mcp-server-card+json', '/mcp/server-card'),
      entry('a2a', 'application/a2a-agent-card+json', '/.well-known/agent-card.json'),
    ],
  };
}
