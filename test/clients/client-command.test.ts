// @module-tag slow
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPointerSigner } from '../../build/snapshot/sign.ts';
import { commands, filingColumns } from '../../clients/typescript/src/command/commands.ts';
import { commandHelp } from '../../clients/typescript/src/command/help.ts';
import { createPrinter } from '../../clients/typescript/src/command/print.ts';
import { printable } from '../../clients/typescript/src/tell.ts';
import { printable as printableOfService } from '../../src/log/printable.ts';
import type { Change, Company, Filing } from '../../clients/typescript/src/node.ts';
import type { Pointer } from '../../src/format/snapshot.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { useDirectories } from '../support/directories.ts';
import { startProgram } from '../support/programs.ts';
import { reopenable } from '../support/servers.ts';
import { serviceKey } from '../support/service.ts';
import { until } from '../support/wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = useDirectories('command');
let served: ClientService;

/** The command as one file, which starts at once: dozens of programs are started here, on a machine that may be busy. */
let program: string;

beforeAll(async () => {
  served = await clientService(90, { logCut: { rowsPerFile: 40, rowsPerMember: 8 } });
  // Beside the packages, because one of them is loaded where Node has no SQLite.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  program = join(mkdtempSync(join(cache, 'command-')), 'filing-events.mjs');
  await build({
    entryPoints: [join(root, 'clients/typescript/src/command/main.ts')],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(async () => {
  rmSync(dirname(program), { recursive: true });
  await served.close();
});

/** Starts the command in a pipe. */
const start = (words: readonly string[], settings: Readonly<Record<string, string>> = {}, input?: string) =>
  startProgram(process.execPath, [program, ...words], {
    cwd: root,
    env: { FILING_EVENTS_URL: served.address, FILING_EVENTS_KEY: serviceKey, ...settings },
    ...(input === undefined ? {} : { input }),
  });

/** A terminal that keeps what is written. */
function terminalOf(columns: number) {
  let written = '';
  return {
    columns,
    written: () => written,
    write(text: string, done: () => void) {
      written += text;
      done();
      return true;
    },
  };
}

const run = (...words: readonly string[]) => start(words).ended;
const linesOf = <Row>(text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);

describe('the command filing-events', { timeout: 900_000 }, () => {
  it.concurrent('filings, search and get print JSON Lines in a pipe', async () => {
    const [filings, companies, limited] = await Promise.all([
      run('filings', 'T1', '--form', '8-K', '--limit', '250'),
      run('search', 'company', '1'),
      run('filings', '--limit', '3'),
    ]);
    expect([filings.code, filings.stderr]).toEqual([0, '']);
    const rows = linesOf<Filing>(filings.stdout);
    expect(rows.map(({ form }) => form)).toEqual(Array.from({ length: 45 }, () => '8-K'));
    expect(linesOf<Company>(companies.stdout)[0]?.name).toBe('Company 1');
    expect(linesOf(limited.stdout).length).toBe(3);
    const numbers = rows.slice(0, 2).map(({ accessionNo }) => accessionNo);
    const got = await run('get', ...numbers, '0000000000-00-000000');
    expect(linesOf<Filing>(got.stdout).map(({ accessionNo }) => accessionNo)).toEqual(numbers);
    expect([got.code, got.stderr]).toEqual([1, expect.stringContaining('filing_not_found')]);
  });

  it.concurrent('tail prints what is published, and goes on from the file of its cursor', async () => {
    const state = join(directory(), 'state');
    const first = start([
      'tail',
      '--form',
      '8-K',
      '--ticker',
      'T1',
      '--since',
      '2026-01-01',
      '--cursor',
      state,
    ]);
    await until(() => first.printed.stdout.split('\n').length > 45, 200_000);
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(130);
    expect(linesOf<Change>(first.printed.stdout).length).toBe(45);
    const second = start(['tail', '--form', '8-K', '--cursor', state]);
    await served.publish(2);
    await until(() => second.printed.stdout.includes('\n'), 200_000);
    second.child.kill('SIGINT');
    await second.ended;
    expect(linesOf<Change>(second.printed.stdout).map(({ sequence }) => sequence)).toEqual([91]);
  });

  it.concurrent('mirror copies the log, and verify finds a file that is damaged', async () => {
    const folder = directory();
    expect(await run('mirror', folder)).toMatchObject({ code: 0, stdout: '' });
    const names = readdirSync(folder).filter((name) => name.endsWith('.gz'));
    expect(names.length).toBe(3);
    const good = await run('verify', folder);
    expect(good.code).toBe(0);
    expect(linesOf<{ name: string }>(good.stdout).map(({ name }) => name)).toEqual(names);
    writeFileSync(join(folder, names[0] ?? ''), 'damaged');
    expect(await run('verify', folder)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"damaged"'),
      stderr: expect.stringContaining('1 of 3 files'),
    });
    expect((await run('mirror', folder)).code).toBe(0);
    const open = join(folder, names[2] ?? '');
    // An older copy of the open file has its first rows, and nothing else has.
    const [row] = gunzipSync(readFileSync(open)).toString().split('\n');
    for (const [bytes, code, state] of [
      [gzipSync(`${row}\n`), 0, '"older"'],
      [Buffer.from('garbage'), 1, '"unproven"'],
    ] as const) {
      writeFileSync(open, bytes);
      expect(await run('verify', folder)).toMatchObject({ code, stdout: expect.stringContaining(state) });
    }
  });

  it.concurrent('verify keeps the greatest number of a pointer that it accepted, and refuses an older one', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const [folder, snapshots] = [directory(), directory()];
    cpSync(served.made.directory, snapshots, { recursive: true });
    const path = join(snapshots, 'current.json');
    const { signature: _signature, ...pointer } = JSON.parse(readFileSync(path, 'utf8')) as Pointer;
    const signAt = (atMs: number) => createPointerSigner(privateKey, () => atMs)(pointer);
    const [first, second] = [signAt(Date.now()), signAt(Date.now() + 100_000)];
    expect((await run('mirror', folder)).code).toBe(0);
    const verified = async (current: Pointer, ...more: string[]) => {
      writeFileSync(path, JSON.stringify(current));
      return run('verify', folder, '--snapshots', snapshots, '--trusted-key', key, ...more);
    };
    expect((await verified(first)).code).toBe(0);
    const number = second.signature?.number ?? 0;
    expect(await verified(first, '--at-least', String(number))).toMatchObject({ code: 1 });
    expect(await verified(second, '--at-least', String(number))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(String(number)),
    });
    expect(await verified(first)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`one with ${number} was accepted before`),
    });
    writeFileSync(join(folder, 'accepted-pointer.txt'), 'none');
    expect(await verified(second)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('remove this file'),
    });
  });

  it.concurrent('a wrong command line is one line and exit code 2, a refusal exit code 1', async () => {
    const wrong = [
      ['nothing'],
      ['tail', '--nothing'],
      ['search'],
      ['filings', 'A', 'B'],
      ['filings', '--limit', 'many'],
      ['filings', '--limit', '-1'],
      ['verify', 'DIR', '--snapshots', 'DIR'],
      ['completion', 'cmd'],
    ];
    for (const words of wrong) {
      const { code, stdout, stderr } = await run(...words);
      expect([words, code, stdout, stderr]).toEqual([
        words,
        2,
        '',
        expect.stringMatching(/^filing-events: .+\n$/),
      ]);
    }
    const unset = await start(['search', 'apple'], { FILING_EVENTS_URL: '' }).ended;
    expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('FILING_EVENTS_URL')]);
    const refused = await run('filings', 'ZZZZ');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('(company_not_found)')]);
    for (const least of ['many', '1,000', '0x10', '']) {
      const { code, stderr } = await run('filings', '--min-value', least);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`not "${least}" (invalid_parameter)`)]);
    }
    const unknownKey = await run('search', 'apple', '--key', 'a wrong key');
    expect([unknownKey.code, unknownKey.stderr]).toEqual([1, expect.stringContaining('(unauthorized)')]);
  });

  it.concurrent('the help of the program and of each command has examples, and completion is a program of bash', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    for (const command of commands) {
      expect(stdout).toContain(`  filing-events ${command.name}`);
      const help = commandHelp(command);
      expect(help).toMatch(/^Usage: filing-events /);
      expect(help).toMatch(/Examples:\n {2}filing-events/);
      for (const option of command.options) expect(help).toContain(`--${option.name}`);
      if (command.name === 'tail')
        expect(await run('tail', '--help')).toMatchObject({
          code: 0,
          stdout: expect.stringContaining(help.trim()),
        });
    }
    const { stdout: completion } = await run('completion', 'bash');
    const completed = `${completion}\nCOMP_WORDS=(filing-events tail --fo); COMP_CWORD=2; _filing_events; echo "\${COMPREPLY[@]}"`;
    expect((await startProgram('bash', ['-c', completed]).ended).stdout).toBe('--form\n');
  });

  it('on a terminal rows are a table that fits, without what would move its cursor', async () => {
    const terminal = terminalOf(20);
    const rows = createPrinter<{ name: string; form: string | null }>(terminal, true, [
      ['FORM', 6, ({ form }) => form],
      ['NAME', 30, ({ name }) => name, 8],
    ]);
    await rows.row({ name: 'A \u001b[2Jcompany with a long name', form: '8-K' });
    await rows.row({ name: 'Other', form: null });
    expect(terminal.written().split('\n')).toEqual([
      'FORM    NAME',
      '8-K     A \\u001b[2J…',
      '        Other',
      '',
    ]);
  });

  it.each([0, 40, 60, 80, 100, 200])(
    'a terminal of %s columns has each accession number whole, and names of companies become shorter first',
    async (columns) => {
      const terminal = terminalOf(columns);
      const rows = createPrinter(terminal, true, filingColumns);
      const filing = {
        filedAt: '2026-02-05',
        form: 'SCHEDULE 13G/A',
        ticker: 'NVDA',
        companyName: 'NVIDIA Corporation of Delaware, a Company',
        items: ['2.02', '9.01'],
        accessionNo: '0001045810-26-000017',
      };
      await rows.row(filing as unknown as Filing);
      const [head = '', row = ''] = terminal.written().split('\n');
      expect([row.startsWith('2026-02-05'), row.endsWith(filing.accessionNo)]).toEqual([true, true]);
      expect(row.length).toBeLessThanOrEqual(columns === 0 ? 103 : Math.min(columns, 103));
      // What is less useful is left out later than the name is.
      if (columns >= 80) expect(row).toContain('2.02 9.01');
      expect(head.includes('COMPANY')).toBe(columns === 0 || columns >= 80);
    },
  );

  it.concurrent('search says that nothing matches, and options before a command are explained', async () => {
    expect(await run('search', 'zzzzzzzz')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no company matches\n',
    });
    expect(await run('--json', 'tail')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('give the COMMAND before its options'),
    });
  });

  it.concurrent('mirror keeps the files of the log where Node has no SQLite', async () => {
    const folder = directory();
    // Beside no packages, so that none stands in for it.
    const alone = join(folder, 'filing-events.mjs');
    cpSync(program, alone);
    const { code, stderr: told } = await startProgram(
      process.execPath,
      [alone, 'mirror', join(folder, 'kept')],
      { env: { FILING_EVENTS_URL: served.address, FILING_EVENTS_KEY: serviceKey } },
    ).ended;
    expect(code).toBe(0);
    const names = readdirSync(join(folder, 'kept'));
    expect(names.filter((name) => name.endsWith('.jsonl.gz')).length).toBe(3);
    const hasOwn = process.getBuiltinModule('node:sqlite') !== undefined;
    expect(names.includes('filings.db')).toBe(hasOwn);
    expect(told.includes('has no SQLite: only the files are kept')).toBe(!hasOwn);
  });

  it.concurrent('mcp passes messages of an assistant on to the tools of the service, with the key', async () => {
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const inRevision = (revision: string) => ({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': revision,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': client.clientInfo,
      },
    });
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: client },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'sec_company_profile', arguments: { ticker: 'T1' } },
      },
      // Refused with another status than 200, and answered as a stream.
      { jsonrpc: '2.0', id: 4, method: 'server/discover', params: inRevision('2027-01-01') },
      {
        jsonrpc: '2.0',
        id: 5,
        method: 'subscriptions/listen',
        params: { notifications: {}, ...inRevision('2026-07-28') },
      },
      null,
    ].map((message) => JSON.stringify(message));
    const { code, stdout: printed } = await start(['mcp'], {}, `${lines.join('\n')}\nno JSON\n`).ended;
    expect(code).toBe(0);
    interface Answer {
      readonly id?: number | null;
      readonly result?: {
        readonly tools?: unknown[];
        readonly isError?: boolean;
        readonly protocolVersion?: string;
      };
      readonly error?: { readonly code: number; readonly data?: { readonly supported?: unknown } };
    }
    const all = linesOf<Answer>(printed);
    const answers = new Map(all.map((answer) => [answer.id, answer]));
    expect(all.map(({ id }) => String(id)).sort()).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      'null',
      'null',
      'undefined',
    ]);
    expect(answers.get(1)?.result?.protocolVersion).toBe('2025-06-18');
    expect(answers.get(2)?.result?.tools?.length).toBeGreaterThan(5);
    expect(answers.get(3)?.result?.isError ?? false).toBe(false);
    expect(JSON.stringify(answers.get(3)?.result)).toContain('Company 1');
    expect(answers.get(4)?.error?.data?.supported).toEqual(['2026-07-28']);
    expect(answers.get(5)?.result).toBeDefined();
    const unread = all.filter(({ id }) => id === null).map(({ error }) => error?.code);
    expect(unread.sort()).toEqual([-32600, -32700]);
  });

  it('what a filer or a service says is one line that moves and turns nothing, and JSON stays the same JSON', async () => {
    const odd = 'a\u001b[2J\u009b31m\u202egnp\u2028b\u200b\ud800\u{e0041}\r\nc\u007f';
    const shown = printable(odd);
    expect(shown).toBe(
      'a\\u001b[2J\\u009b31m\\u202egnp\\u2028b\\u200b\\ud800\\udb40\\udc41\\u000d\\u000ac\\u007f',
    );
    expect(printable('Société Générale, 日本 😀 العربية')).toBe('Société Générale, 日本 😀 العربية');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.json(), (text, json) => {
        for (const each of [printable, printableOfService]) {
          expect(each(text.replaceAll('\t', ''))).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
          const line = JSON.stringify([text, JSON.parse(json)]);
          expect(JSON.parse(each(line))).toEqual(JSON.parse(line));
        }
      }),
    );
    for (const isTTY of [true, false]) {
      const output = { isTTY, ...terminalOf(80) };
      await createPrinter<{ name: string }>(output, false, []).row({ name: odd });
      const written = output.written();
      expect(written).toBe(
        `${isTTY ? printable(JSON.stringify({ name: odd })) : JSON.stringify({ name: odd })}\n`,
      );
      expect(JSON.parse(written)).toEqual({ name: odd });
    }
  });

  it.concurrent('a refusal of a hostile service is one line without escapes', async () => {
    const message = '\u001b]0;owned\u0007\u001b[2J\nfiling-events: all is well \u009b31m\u202egnp.exe';
    const server = createServer((_, response) =>
      response.writeHead(400).end(JSON.stringify({ error: { code: 'invalid_parameter', message } })),
    );
    const { address, down } = await reopenable(server);
    const { code, stderr } = await start(['search', 'apple'], { FILING_EVENTS_URL: address }).ended;
    await down();
    expect([code, stderr]).toEqual([
      1,
      'filing-events: \\u001b]0;owned\\u0007\\u001b[2J filing-events: all is well \\u009b31m\\u202egnp.exe (invalid_parameter)\n',
    ]);
  });

  it('the README of the client names every command', () => {
    const text = readFileSync(join(root, 'clients/typescript/README.md'), 'utf8');
    for (const { name } of commands) expect(text).toContain(`filing-events ${name}`);
  });
});
