import { z } from 'zod';
import { timestamp } from '../domain/scalars.ts';
import { Change } from './records.ts';

/** The body of a webhook. */
export const WebhookMessage = z
  .object({
    type: z
      .enum(Change.shape.changeType.options.map((changeType) => `filing.${changeType}` as const))
      .describe('`filing.` and the `changeType` of the change.'),
    timestamp: timestamp.nullable().describe('When the service observed the change, UTC.'),
    data: Change,
  })
  .meta({ id: 'WebhookMessage', description: 'A change, as a webhook tells it.' });
