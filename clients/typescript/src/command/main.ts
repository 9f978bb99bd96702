#!/usr/bin/env node
// The command `filing-events`.
import { createClient } from '../node-client.ts';
import { FilingEventsError } from '../errors.ts';
import { commands } from './commands.ts';
import { commandHelp, completion, program, programHelp, shells } from './help.ts';
import { tell } from '../tell.ts';
import type { ClientSettings } from '../transport.ts';
import { createPrinter, print } from './print.ts';
import { commonOptions, parseWords, UsageError } from './words.ts';

const stopped = new AbortController();

async function main([name = '', ...given]: readonly string[]): Promise<void> {
  if (['', '--help', '-h', 'help'].includes(name)) return print(process.stdout, programHelp(commands));
  if (name === 'completion') {
    const shell = shells.find((each) => each === given[0]);
    if (!shell) throw new UsageError(`completion: give one of ${shells.join(', ')}`);
    return print(process.stdout, completion(shell, commands));
  }
  const command = commands.find((each) => each.name === name);
  if (!command && name.startsWith('-'))
    throw new UsageError(`give the COMMAND before its options, as in ${program} tail ${name} …`);
  if (!command) throw new UsageError(`there is no command ${name}; ${program} --help lists all`);
  const { words, values } = parseWords(given, [...command.options, ...commonOptions]);
  if (values['help'] !== undefined) return print(process.stdout, commandHelp(command));
  const baseUrl = values['url'] ?? process.env['FILING_EVENTS_URL'];
  if (!baseUrl) throw new UsageError('give --url, or set FILING_EVENTS_URL');
  const settings: ClientSettings = {
    baseUrl,
    apiKey: values['key'] ?? process.env['FILING_EVENTS_KEY'],
    onRetry: ({ message }, seconds) => tell(`${message}; asking again in ${seconds.toFixed(1)} s`),
  };
  const isTable = process.stdout.isTTY && values['json'] === undefined;
  await command.run({
    words,
    values,
    client: createClient(settings),
    settings,
    write: (text) => print(process.stdout, text),
    signal: stopped.signal,
    tell,
    printer: (columns) => createPrinter(process.stdout, isTable, columns),
  });
}

process.once('SIGINT', () => stopped.abort());
// `head` has seen enough.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (stopped.signal.aborted) process.exit(130);
  const code = error instanceof FilingEventsError ? ` (${error.code})` : '';
  tell(`${program}: ${(error as Error).message}${code}`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
