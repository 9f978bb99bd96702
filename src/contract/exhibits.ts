import { z } from 'zod';

/** A document of a filing beside its main one. */
export const Exhibit = z
  .object({
    type: z.string().describe('Type as the filer gave it, e.g. `EX-99.1`.'),
    name: z.string().nullable().describe('File name; null where EDGAR names no file.'),
  })
  .meta({ id: 'Exhibit', description: 'A document of a filing beside its main one.' });
export type Exhibit = z.infer<typeof Exhibit>;
