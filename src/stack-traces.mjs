// Stack traces of a bundle name lines of the sources. With `process.setSourceMapsEnabled` Node reads the maps of all
// files when it loads them, a seventh of a start; this reads the map of a file when a stack names it.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a file of a bundle, as stacks have it: its address, line and column, both from 1. */
const place = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/;

/** Lets stack traces name the lines of sources in place of those of the bundle in a folder, whose address is given. */
export function nameSourceLines(bundle) {
  /** The maps that were read, by address of the file; null for a file without one. */
  const maps = new Map();
  const mapOf = (address) => {
    if (!maps.has(address)) maps.set(address, readMap(address));
    return maps.get(address);
  };
  const inSource = (found, address, line, column) => {
    const entry = address.startsWith(bundle) ? mapOf(address)?.findEntry(line - 1, column - 1) : undefined;
    if (entry?.originalSource === undefined) return found;
    return `${new URL(entry.originalSource, address)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  };
  Error.prepareStackTrace = (error, frames) =>
    [`${error}`, ...frames.map((frame) => `    at ${`${frame}`.replace(place, inSource)}`)].join('\n');
}

function readMap(address) {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${address}.map`), 'utf8')));
  } catch {
    return null;
  }
}
