import * as z from 'zod';
import { calendarDate } from '../domain/scalars.ts';

/** Every meta has it. */
export const notInvestmentAdvice = z.literal(true).describe('Always true: this is data, not advice.');
/** The cursor of a list. */
export const nextCursor = z
  .string()
  .describe('Pass it back as `cursor` to go on exactly after this page. Opaque.');

/** How far the data reaches. */
export const newestFiledAt = calendarDate
  .nullable()
  .describe(
    'Newest filing date of the whole snapshot, whatever was asked for: an answer without rows says nothing about days after it. Null if it holds no filing.',
  );
