import { toolsPath, privateToolsPath } from './tools.ts';

/** The resources for which tokens are made, by their paths on the service: all of it, and what MCP clients connect to. */
export const resourcePaths = ['', toolsPath, privateToolsPath] as const;

const metadataPath = '/.well-known/oauth-protected-resource';

/** Where the metadata of a resource is, by the path of the resource (RFC 9728, section 3.1). */
export const metadataPathOf = (resourcePath: string): string => `${metadataPath}${resourcePath}`;
