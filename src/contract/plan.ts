import * as z from 'zod';

/** A plan on the page of subscriptions. */
export const Plan = z.object({
  name: z.string().min(1).max(60),
  price: z.string().min(1).max(60).describe('As people read it, e.g. `$29 a month`.'),
  requests: z.string().min(1).max(120).describe('How much it gives, e.g. `10,000 requests a month`.'),
  includes: z.array(z.string().min(1).max(120)).max(12).default([]),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where it is bought; the marketplace if left out.'),
});
export type Plan = z.infer<typeof Plan>;
