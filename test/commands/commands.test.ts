import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { commands, deliverCommands, keyCommands } from '../../src/settings/commands.ts';
import { commandSettings, settingTexts } from '../../src/settings/settings-of-commands.ts';
import { readBuildSettings, readRuntimeSettings } from '../../src/settings/settings.ts';
import { clearedSettings } from '../support/command.ts';
import { startProgram } from '../support/programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Runs a script of package.json without npm and without settings. Returns exit code, output and complaint. */
async function run(script: string, ...words: string[]): Promise<[number | null, string, string]> {
  const { code, stdout, stderr } = await startProgram(
    'sh',
    ['-c', `${scripts[script]} "$@"`, 'sh', ...words],
    { cwd: root, env: clearedSettings },
  ).ended;
  return [code, stdout, stderr];
}

/** A node of a syntax tree. */
const isNode = (value: unknown): value is { readonly type: string; readonly [member: string]: unknown } =>
  typeof value === 'object' && value !== null && 'type' in value;

/**
 * Reads the code of some files of `build`, and returns which settings a command reads: those that are named in
 * the functions that the entry of its name in `programs` reaches.
 */
function settingsReadBy(files: readonly string[]): (command: string) => string[] {
  const isSetting = (name: string) => Object.hasOwn(settingTexts, name);
  const named = new Map<string, Set<string>>();
  const identifiersOf = (node: unknown): Set<string> => {
    const found = new Set<string>();
    const visit = (each: unknown, isMemberName = false) => {
      if (!isNode(each)) return;
      // Only a setting counts as the name of a member, as in `settings.PORT`.
      if (each.type === 'Identifier' && (isSetting(String(each.name)) || !isMemberName))
        found.add(String(each.name));
      // A type says what may be read, not what is.
      for (const [member, inner] of Object.entries(each))
        for (const one of [inner].flat())
          if (member !== 'typeAnnotation' && member !== 'typeArguments')
            visit(one, (member === 'property' || member === 'key') && each['computed'] === false);
    };
    visit(node);
    return found;
  };
  for (const file of files) {
    const url = new URL(`../../build/${file}.ts`, import.meta.url);
    for (const statement of parseAst(readFileSync(url, 'utf8'), { lang: 'ts' }).body) {
      const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
      if (declared?.type === 'FunctionDeclaration' && declared.id)
        named.set(declared.id.name, identifiersOf(declared));
      if (declared?.type !== 'VariableDeclaration') continue;
      for (const { id, init } of declared.declarations) {
        if (!init || id.type !== 'Identifier') continue;
        named.set(id.name, identifiersOf(init));
        if (id.name !== 'programs' || init.type !== 'ObjectExpression') continue;
        for (const entry of init.properties)
          if (entry.type === 'Property' && entry.key.type === 'Identifier')
            named.set(`command ${entry.key.name}`, identifiersOf(entry.value));
      }
    }
  }
  return (command) => {
    // The threads of the follower run the same program.
    const reached = new Set([`command ${command}`, ...(command === 'follow' ? ['threadWork'] : [])]);
    for (const each of reached) for (const name of named.get(each) ?? []) reached.add(name);
    return [...reached].filter(isSetting).sort();
  };
}

/** The commands below `deliver`: two of them have names of other commands. */
const belowDeliver = Object.fromEntries(
  Object.entries(deliverCommands).map(([name, make]) => [`deliver ${name}`, make]),
);

/** The help of a command as it is printed. */
function helpOf(made: ReturnType<(typeof commands)['start']>): string {
  let text = '';
  made.configureOutput({ writeOut: (part) => void (text += part) }).outputHelp();
  return text;
}

describe('--help', () => {
  it('every script of package.json but the checks has a command with --help', () => {
    expect(Object.keys(commands).sort()).toEqual(
      Object.keys(scripts)
        .filter(
          (name) =>
            !['prepare', 'test', 'test:all', 'test:nightly', 'check', 'format', 'clients'].includes(name),
        )
        .sort(),
    );
  });
  // One for each program: it chooses its command before it reads anything else.
  it.concurrent.each(['start', 'diff', 'bench', 'peers'] as const)(
    '--help of %s prints the help text and exits with 0',
    { tags: ['slow'] },
    async (script) => {
      expect(await run(script, '--help')).toEqual([0, helpOf(commands[script]()), '']);
    },
  );
  it.concurrent('--help of keys add prints the help text and exits with 0', { tags: ['slow'] }, async () => {
    expect(await run('keys', 'add', '--help')).toEqual([
      0,
      expect.stringMatching(/^Usage: npm run keys -- add [^]*--label <name>[^]*--days <n>/),
      '',
    ]);
  });
  it.each(Object.entries({ ...commands, ...keyCommands, ...belowDeliver }))(
    '--help of %s names every argument',
    (name, make) => {
      const made = make();
      const help = helpOf(made);
      expect(help).toContain(
        name in keyCommands || name in belowDeliver
          ? `Usage: ${name.replace('deliver ', '')} `
          : `npm ${name === 'start' ? '' : 'run '}${name} -- [options]`,
      );
      for (const { flags, description } of made.options)
        expect([flags, help.includes(flags), description === '']).toEqual([flags, true, false]);
      for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
    },
  );
  it('--help of every command lists the settings that its code reads, and no other', () => {
    const read = settingsReadBy([
      'main',
      'follow-command',
      'ingest-contents-command',
      'deliver-program',
      'deliver-command',
      'keys-program',
      'command-settings',
      'plans',
    ]);
    const { start: ofService, ...ofBuild } = commandSettings;
    for (const [name, listed] of Object.entries(ofBuild))
      expect([name, [...listed].sort()]).toEqual([name, read(name)]);
    // The service reads all of its settings, and starts a build where there is no snapshot.
    expect([...new Set([...Object.keys(readRuntimeSettings({})), ...commandSettings.build])].sort()).toEqual(
      [...ofService].sort(),
    );
    for (const [name, listed] of Object.entries(commandSettings)) {
      const help = helpOf(commands[name as keyof typeof commandSettings]());
      expect([name, help.match(/^ {2}[A-Z_]+(?= )/gm)?.map((line) => line.trim())]).toEqual([name, listed]);
    }
    for (const make of Object.values(keyCommands)) expect(helpOf(make())).toContain('\n  API_KEYS_FILE ');
  });
  it('a wrong setting that a command does not read does not stop it', () => {
    const wrong = { EDGAR_RPS: 'fast', CONTACT_EMAIL: 'nobody', SNAPSHOTS_DIR: 'here' };
    expect(readBuildSettings(wrong, commandSettings.diff)).toMatchObject({ SNAPSHOTS_DIR: 'here' });
    expect(() => readBuildSettings(wrong, commandSettings.ingest)).toThrow(/^EDGAR_RPS: /);
  });
  it('--help names the default of every setting that has one', () => {
    for (const [name, value] of Object.entries({ ...readRuntimeSettings({}), ...readBuildSettings({}) })) {
      if (value !== null && !Array.isArray(value))
        expect(settingTexts[name as keyof typeof settingTexts]).toContain(`(${String(value)})`);
    }
    expect(helpOf(commands.start())).toMatch(/^ {2}PORT +port to listen on \(8787\)$/m);
  });
});

describe('a wrong argument ends a command with exit 2 and one line that names it:', () => {
  it.concurrent.each<[keyof typeof commands, string[], RegExp]>([
    [
      'start',
      ['--port', '9300'],
      /^unknown option '--port': PORT is set in the environment, as PORT=… before the command\n$/,
    ],
    ['start', ['9300'], /^too many arguments: 9300\n$/],
    ['bench', ['--filings', 'many'], /^--filings: must be a number of at least 1000, not many\n$/],
    ['peers', ['all'], /^too many arguments: all\n$/],
  ])(
    '%s %j exits with 2 and one line that names the argument',
    { tags: ['slow'] },
    async (script, words, message) =>
      expect(await run(script, ...words)).toEqual([2, '', expect.stringMatching(message)]),
  );
});
