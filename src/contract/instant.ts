import { z } from 'zod';
import { isCalendarDate } from '../domain/scalars.ts';

const instantPattern =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?(Z|[+ -]([01]\d|2[0-3]):?[0-5]\d)$/i;

/** In a zone behind UTC the year 9999 ends later. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** An instant with its zone, as UTC. In addresses an unescaped plus sign arrives as a space. */
export const instant = z
  .string()
  .max(40)
  .transform((text, context) => instantOf(text) ?? (context.addIssue('no instant'), z.NEVER));

function instantOf(text: string): string | undefined {
  if (!instantPattern.test(text) || !isCalendarDate(text.slice(0, 10))) return undefined;
  const written = text
    .toUpperCase()
    .replace(' ', '+')
    .replace(',', '.')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  // Instants are compared as texts, so each has a year of four digits. No filing is beyond the last one.
  const ms = Math.min(Date.parse(written), lastMs);
  return new Date(ms).toISOString();
}
