import type { JsonSchema } from '../contract/json-schema.ts';
import { WebhookMessage } from '../contract/records.ts';
import { schemaReference } from './components.ts';

/** A header of Standard Webhooks. */
const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The description of the request that an endpoint of webhooks gets for each change. */
export function webhookOperation(): JsonSchema {
  return {
    operationId: 'receiveFiling',
    summary: 'A change of the feed',
    description:
      'Each change that an endpoint asked for is sent to its address, in the order of sequences and at least once, signed as Standard Webhooks has it. An answer that is not 2xx, or none, and the change comes again.',
    tags: ['webhooks'],
    security: [],
    parameters: [
      header(
        'webhook-id',
        'Accession number and revision: the same for each try. Whoever has it drops the message.',
      ),
      header('webhook-timestamp', 'When this try was sent, in seconds since 1970.'),
      header('webhook-signature', 'Signatures of id, timestamp and body, with spaces between.'),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaReference(WebhookMessage) } },
    },
    responses: {
      '2XX': { description: 'The change was taken.' },
      410: { description: 'The endpoint wants nothing more: it is disabled.' },
      '4XX': { description: 'The change was not taken, and comes again.' },
    },
  };
}
