import { z } from 'zod';
import { Manifest } from './snapshot.ts';

/** A manifest of format 2, which had the log as a table of segments. Builds go on from it; no service reads it. */
export const OlderManifest = Manifest.omit({ log: true }).extend({ format: z.literal(2) });
export type OlderManifest = Readonly<z.infer<typeof OlderManifest>>;

/** A manifest of this format or of the one before. */
export const AnyManifest = z.union([Manifest, OlderManifest]);
export type AnyManifest = Manifest | OlderManifest;
