import { join } from 'node:path';
import type { Command } from 'commander';
import { printData, printLine, printProblem } from '../src/log/printable.ts';
import { commands, keyCommands } from '../src/settings/commands.ts';
import type { SettingsOf } from '../src/settings/settings-of-commands.ts';
import { warnOfOpenFiles } from './command-settings.ts';
import { addKey, describeUse, listKeys, revokeKey, usageLines } from './keys.ts';

/**
 * The commands below `npm run keys`. `read` reads the settings when one of them runs. `now` is in milliseconds.
 */
export function keysProgram(read: () => SettingsOf<'keys'>, now: () => number): Command {
  /** The file of keys. Warns if others may read or change it. */
  async function keysPath(): Promise<string> {
    const settings = read();
    const path = settings.API_KEYS_FILE ?? join(settings.SNAPSHOTS_DIR, 'keys.json');
    await warnOfOpenFiles([path], printProblem);
    return path;
  }

  async function add({ label, days, perMinute }: { label: string; days?: number; perMinute?: number }) {
    const path = await keysPath();
    const { key, entry } = await addKey(path, label, days ?? null, now(), perMinute ?? null);
    printLine(key);
    printLine(
      `This is shown once. Its id is ${entry.id}${entry.expiresAt === null ? '' : `, it expires at ${entry.expiresAt}`}${perMinute === undefined ? '' : `, it may make ${perMinute} requests a minute`}; ${path} keeps its digest.`,
    );
  }

  async function list() {
    const path = await keysPath();
    const use = await describeUse(path);
    for (const { id, label, createdAt, expiresAt, perMinute } of await listKeys(path))
      printLine(
        `${id}  ${createdAt}  ${expiresAt ?? 'never expires'}  ${perMinute === undefined ? 'no limit' : `${perMinute} a minute`}  ${use(id)}  ${label}`,
      );
  }

  async function usage(options: Parameters<typeof usageLines>[1]) {
    const print = options.csv === true ? printData : printLine;
    for (const line of await usageLines(await keysPath(), options)) print(line);
  }

  async function revoke(name: string) {
    const { id, label } = await revokeKey(await keysPath(), name);
    printLine(`revoked ${id} ${label}`);
  }

  return commands
    .keys()
    .addCommand(keyCommands.add().action(add))
    .addCommand(keyCommands.list().action(list))
    .addCommand(keyCommands.revoke().action(revoke))
    .addCommand(keyCommands.usage().action(usage));
}
