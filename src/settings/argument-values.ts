import { InvalidArgumentError } from 'commander';
import { isCalendarDate } from '../domain/scalars.ts';
import { perMinuteMaximum } from '../keys/ring.ts';

// Each parses an argument of a command, and throws `InvalidArgumentError` for a wrong one.

/**
 * A value that begins with `--` is the next option: the value is missing. So it is if it is empty, as that of a
 * shell variable that is not set: an empty path would be the working directory.
 */
export function value(text: string): string {
  if (text.trim() === '' || text.startsWith('--')) throw new InvalidArgumentError('Its value is missing.');
  return text;
}

/** The address of a store, without a slash at its end. */
export function address(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s?#]+$/.test(text))
    throw new InvalidArgumentError('It must be an address such as s3://bucket/tables.');
  return text.replace(/\/+$/, '');
}

/** The address of a service. */
export function serviceAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It must be an http or https address.');
  return text;
}

/** A calendar date `YYYY-MM-DD`. */
export function date(text: string): string {
  if (!isCalendarDate(text)) throw new InvalidArgumentError('It must be a date YYYY-MM-DD.');
  return text;
}

/** A number of seconds from 1 to 3600. */
export function seconds(text: string): number {
  if (!/^\d{1,4}(\.\d)?$/.test(text) || Number(text) < 1 || Number(text) > 3600)
    throw new InvalidArgumentError('It must be a number of seconds from 1 to 3600.');
  return Number(text);
}

/** A text of at most 80 characters. */
export function label(text: string): string {
  if (text.length === 0 || text.length > 80)
    throw new InvalidArgumentError('It must have 1 to 80 characters.');
  return value(text);
}

/** A number of days from 1 to 99999. */
export function wholeDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('It must be a number of days from 1 to 99999.');
  return Number(text);
}

/** A number of requests a minute. */
export function requests(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > perMinuteMaximum)
    throw new InvalidArgumentError(`It must be a number of requests from 1 to ${perMinuteMaximum}.`);
  return Number(text);
}
