import * as z from 'zod';
import { timestamp } from '../domain/scalars.ts';

/** How often a follower writes its heartbeat at least, in milliseconds. */
export const heartbeatMs = 5000;

/** How long after a heartbeat data counts as stale if nobody says otherwise, in seconds of EDGAR's hours. */
export const freshWithinSecondsDefault = 300;

/**
 * The heartbeat that a follower leaves beside the pointer. The instants in it count, not the time of the file.
 */
export const Heartbeat = z.object({
  format: z.literal(1),
  writtenAt: timestamp.describe('When the follower wrote it, UTC.'),
  readAt: timestamp.describe(
    'EDGAR was read without error then, and everything that it listed is published, UTC.',
  ),
  acceptedThrough: timestamp
    .nullable()
    .describe('The newest acceptance that EDGAR has listed, UTC; null if it has told none.'),
  signature: z
    .object({
      key: z
        .string()
        .regex(/^[0-9a-f]{16}$/)
        .describe('The beginning of the SHA-256 of the public key in DER: which key it was.'),
      signature: z.base64().describe('Ed25519, over the lines that the specification names.'),
    })
    .optional(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/** The text that is signed: lines with every member of the heartbeat. */
export function heartbeatText({ writtenAt, readAt, acceptedThrough }: Heartbeat): Buffer {
  return Buffer.from(
    `${['filing-event-intelligence heartbeat', writtenAt, readAt, acceptedThrough ?? ''].join('\n')}\n`,
  );
}
