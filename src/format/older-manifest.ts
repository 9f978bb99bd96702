import * as z from 'zod';
import { Manifest } from './snapshot.ts';

/**
 * A manifest of format 2, which had the log as a table of segments, of format 3, whose filings had no `ownership`, or of
 * format 4, whose filings had no `sic`, `exchange` and `exhibits`. Builds go on from it; no service of this version reads it.
 */
export const OlderManifest = z.union([
  Manifest.omit({ log: true }).extend({ format: z.literal(2) }),
  Manifest.extend({ format: z.literal([3, 4]) }),
]);
export type OlderManifest = Readonly<z.infer<typeof OlderManifest>>;

/** A manifest of this format or of an older one. */
export const AnyManifest = z.union([Manifest, OlderManifest]);
export type AnyManifest = Manifest | OlderManifest;
