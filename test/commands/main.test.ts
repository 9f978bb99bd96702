import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { paths } from '../../src/format/snapshot.ts';
import { segmentParts } from '../../src/table/segment.ts';
import { json, startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { clearedSettings, command } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { generateLedger } from '../support/generate.ts';
import { readRows } from '../support/ledger-rows.ts';
import { appendMadeUp, appendNumbered, batchAt, company, filing } from '../support/ledgers.ts';
import { buildQuietly, filesBelow, namesIn } from '../support/snapshots.ts';
import { accessionOf, submissionsOf, upstreamRow } from '../support/submissions.ts';
import { manifestOf, wholeSnapshot } from '../support/whole.ts';

const directory = useDirectories('main');
const agent = { EDGAR_USER_AGENT: 'Main Test main@example.com' };

/**
 * Runs the program in this process, which is much faster than starting another one. Returns the exit code and
 * the output.
 */
async function runInThisProcess(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { argv } = process;
  const written = { log: '', error: '' };
  for (const name of ['log', 'error'] as const)
    vi.spyOn(console, name).mockImplementation((text: string) => void (written[name] += `${text}\n`));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.error += String(text);
    return true;
  });
  process.argv = [...argv.slice(0, 2), ...words];
  for (const [name, value] of Object.entries({ ...clearedSettings, ...environment })) vi.stubEnv(name, value);
  try {
    vi.resetModules();
    await import('../../build/main.ts');
    return { code: Number(process.exitCode ?? 0), stdout: written.log, stderr: written.error };
  } finally {
    process.argv = argv;
    process.exitCode = undefined;
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}

/** Runs a command that fails. Returns its exit code and the one line that it writes to stderr. */
async function complaint(
  words: readonly string[],
  environment: Record<string, string> = {},
  run: typeof runInThisProcess | typeof command = runInThisProcess,
): Promise<[number | null, string]> {
  const { code, stdout, stderr } = await run(words, environment);
  expect([words, stdout, stderr.trimEnd().split('\n').length]).toEqual([words, '', 1]);
  return [code, stderr.trimEnd()];
}

describe('the program', () => {
  it('the program exits with the same code and line in a process of its own as in the process of a test', {
    tags: ['slow'],
  }, async () => {
    const environment = { SNAPSHOTS_DIR: directory() };
    for (const words of [['ingest'], ['verify']])
      expect(await complaint(words, environment, command)).toEqual(await complaint(words, environment));
    expect((await runInThisProcess(['verify'], environment)).code).toBe(1);
  });
});

describe('what commands print', () => {
  const odd = '\u001b[2Jowned \u009b31m\u202egnp.exe\nforged';
  const shown = '\\u001b[2Jowned \\u009b31m\\u202egnp.exe';

  it('a label, a name of a filer, and an argument are printed without what moves the cursor of a terminal', {
    tags: ['slow'],
  }, async () => {
    const [snapshots, ledger] = [directory(), directory()];
    const environment = { SNAPSHOTS_DIR: snapshots };
    const entry = {
      id: '01234567',
      label: odd,
      sha256: '0'.repeat(64),
      createdAt: batchAt(1),
      expiresAt: null,
    };
    writeFileSync(join(snapshots, 'keys.json'), JSON.stringify({ format: 1, keys: [entry] }));
    const { stdout } = await runInThisProcess(['keys', 'list'], environment);
    expect(stdout).toMatch(/^01234567 .*\n$/);
    expect(stdout).toContain(`${shown}\\u000aforged\n`);
    expect(await complaint([odd], environment)).toEqual([
      2,
      expect.stringMatching(/^\\u001b\[2Jowned .* forged: must be one of /),
    ]);

    await appendMadeUp(ledger, 1, {
      filings: [filing(1)],
      companies: [company(1, 'T1', { name: odd.replace('\n', ' ') })],
    });
    await buildQuietly(ledger, snapshots);
    await appendNumbered(ledger, 2);
    await buildQuietly(ledger, snapshots);
    const differences = await runInThisProcess(['diff'], environment);
    expect(differences.stdout).toContain(`${shown} forged`);
    expect(differences.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('a wrong argument or setting', () => {
  it.each<[string, RegExp, Record<string, string>?]>([
    [
      '',
      /^no command: must be one of ingest, build, rebuild, follow, reconcile, verify, diff, rollback, export, deliver, keys$/,
    ],
    ['frobnicate', /^frobnicate: must be one of ingest/],
    ['toString', /^toString: must be one of ingest/],
    ['ingest', /^required option '--universe <who>' not specified$/],
    ['ingest --contents --universe A', /^--contents takes no --universe/],
    ['ingest --universe A --from-data-sets', /^--from-data-sets goes with --contents alone/],
    ['ingest --contents', /^EDGAR_USER_AGENT: must be set/],
    ['rebuild', /^required option '--universe <who>' not specified$/],
    ['follow', /^required option '--universe <who>' not specified$/],
    [
      'follow --universe AAPL --interval 0',
      /^option '--interval <seconds>' argument '0' is invalid\. It must be a number of seconds from 1 to 3600\.$/,
    ],
    ['follow --universe AAPL', /^EDGAR_USER_AGENT: must be set to a name and a mailbox/],
    [
      'reconcile --since yesterday',
      /^option '--since <date>' argument 'yesterday' is invalid\. It must be a date YYYY-MM-DD\.$/,
    ],
    [
      'reconcile --since 2025-12-12 --until 2025-12-11',
      /^--since 2025-12-12 is later than --until 2025-12-11$/,
    ],
    ['reconcile', /^EDGAR_USER_AGENT: must be set to a name and a mailbox/],
    ['ingest --universe ,', /^--universe names no company/],
    ['ingest --universe all', /^EDGAR_USER_AGENT: must be set/],
    ['ingest --universe A_B', /^--universe: "A_B" is neither/],
    ['ingest --universe @/no/such/file', /^--universe: @\/no\/such\/file cannot be read/],
    [
      'ingest --universe AAPL --since 2026-02-30',
      /^option '--since <date>' argument '2026-02-30' is invalid\. It must be a date YYYY-MM-DD\.$/,
    ],
    ['ingest --universe AAPL', /^EDGAR_USER_AGENT: must be set/],
    [
      'ingest --universe --since 2026-01-01',
      /'--universe <who>' argument '--since' is invalid\. Its value is missing\.$/,
    ],
    ['ingest --universe', /^option '--universe <who>' argument missing$/],
    ['ingest --universe A --nope x', /^unknown option '--nope'$/],
    ['ingest --universe A --sinc x', /^unknown option '--sinc' \(Did you mean --since\?\)$/],
    ['ingest --universe A AAPL', /^too many arguments: AAPL$/],
    [
      'ingest --universe A --edgar-rps 3',
      /^unknown option '--edgar-rps': EDGAR_RPS is set in the environment/,
    ],
    ['build --universe AAPL', /--universe/],
    ['build --replace=yes', /--replace/],
    ['build --snapshots --replace', /'--snapshots <dir>'.* Its value is missing\.$/],
    // As a shell gives a variable that is not set.
    ['build --ledger ', /'--ledger <dir>' argument '' is invalid\. Its value is missing\.$/],
    ['export --parquet ', /'--parquet <dir>' argument '' is invalid\. Its value is missing\.$/],
    [
      'follow --universe A',
      /^PLANS_FILE: \/no\/plans is no list of plans: ENOENT/,
      { PLANS_FILE: '/no/plans' },
    ],
    [
      'rebuild --universe A',
      /^PLANS_FILE: package\.json is no list of plans: Invalid input: expected array, received object$/,
      { PLANS_FILE: 'package.json' },
    ],
    ['verify a', /^there is no snapshot "a" in \S+, only none$/],
    ['diff a', /^there is no snapshot "a" in \S+, only none$/],
    ['rollback a --list', /^--list takes no name: a$/],
    ['keys', /^a command is missing: add, list, revoke, usage$/],
    ['keys nope', /^unknown command 'nope'$/],
    ['keys revoke', /^missing required argument 'id'$/],
    ['keys usage --since May', /^option '--since <date>' /],
    ['keys add', /^required option '--label <name>' not specified$/],
    ['keys add --label ', /^option '--label <name>' argument '' is invalid/],
    [`keys add --label ${'x'.repeat(81)}`, /^option '--label <name>' .* It must have 1 to 80 characters\.$/],
    [
      'keys add --label x --days 1.5',
      /^option '--days <n>' argument '1\.5' is invalid\. It must be a number of days from 1 to 99999\.$/,
    ],
    [
      'keys add --label x --per-minute 0',
      /^option '--per-minute <n>' argument '0' is invalid\. It must be a number of requests from 1 to 1000000\.$/,
    ],
    ['keys add --label x --per-minute 1000001', /^option '--per-minute <n>' /],
  ])(
    'the arguments %j stop the program with exit 2 and one line that matches %s',
    async (text, message, environment = {}) =>
      expect(
        await complaint(text === '' ? [] : text.split(' '), { SNAPSHOTS_DIR: directory(), ...environment }),
      ).toEqual([2, expect.stringMatching(message)]),
  );

  // What each setting refuses is in settings.test.ts.
  it('a wrong setting stops the program with exit 2 and one line that names it', async () =>
    expect(
      await complaint(['follow', '--universe', 'AAPL'], {
        ...agent,
        SNAPSHOTS_DIR: directory(),
        EDGAR_RPS: '11',
      }),
    ).toEqual([2, expect.stringMatching(/^EDGAR_RPS: must be at most 10$/)]));
});

describe('build, verify, diff and rollback', () => {
  const [ledger, snapshots] = [directory(), directory()];
  const here = { SNAPSHOTS_DIR: snapshots };
  const ids: string[] = [];
  const append = (number: number, ...filings: ReturnType<typeof filing>[]) =>
    appendNumbered(ledger, number, filings);
  beforeAll(async () => {
    await append(1, filing(1), filing(2));
    ids.push(await buildQuietly(ledger, snapshots));
    await append(2, filing(2, { form: '10-Q/A' }), filing(3));
  });

  it('build, diff and rollback say what they did', { tags: ['slow'] }, async () => {
    const built = await runInThisProcess(['build', '--ledger', ledger], { ...here, STALE_AFTER_HOURS: '48' });
    ids.push((await readPointer(snapshots))?.snapshotId as string);
    const [first, second] = ids as [string, string];
    expect([built.code, built.stdout]).toEqual([
      0,
      `snapshot ${second}: 3 filings of 1 companies from 2 batches\n`,
    ]);
    expect((await manifestOf(snapshots, second)).settings.staleAfterHours).toBe(48);
    const compared = await runInThisProcess(['diff', first, second, '--snapshots', snapshots]);
    const line = (sign: string, number: number, form: string) =>
      `${sign} ${filing(number).accessionNo}  ${form}  ${filing(number).filedAt}  Company 1 (T1)`;
    expect([compared.code, compared.stdout]).toEqual([
      0,
      `${line('~', 2, '10-Q/A')}: form, summary\n${line('+', 3, '10-Q')}\n1 added, 0 removed, 1 changed\n`,
    ]);
    for (const words of [[], [first], ['--snapshots', snapshots]])
      expect((await runInThisProcess(['diff', ...words], here)).stdout).toBe(compared.stdout);
    expect(await complaint(['diff', first, 'nope'], here)).toEqual([
      2,
      `there is no snapshot "nope" in ${snapshots}, only ${ids.toSorted().join(', ')}`,
    ]);
    const back = await runInThisProcess(['rollback'], here);
    expect([back.code, back.stdout]).toEqual([0, `current snapshot: ${first}\n`]);
    for (const words of [['rollback'], ['diff']])
      expect((await runInThisProcess(words, here)).stderr).toBe(`there is no snapshot before ${first}\n`);
    expect((await readPointer(snapshots))?.snapshotId).toBe(first);
  });

  it('rollback lists what can be served, serves what is named, and refuses what is damaged', {
    tags: ['slow'],
  }, async () => {
    const [own, three] = [directory(), directory()];
    const add = (number: number) => appendNumbered(three, number);
    const made: string[] = [];
    for (const number of [1, 2, 3]) {
      await add(number);
      made.push(await buildQuietly(three, own));
    }
    const [first = '', second = '', third = ''] = made;
    const say = (...words: string[]) => runInThisProcess(['rollback', ...words, '--snapshots', own]);
    const lineOf = (at: number) =>
      `${made[at]}  ${batchAt(at + 1).slice(0, 10)}  ${at + 1} ${at === 0 ? 'batch' : 'batches'}  ${at + 1} ${at === 0 ? 'filing' : 'filings'}`;
    const listed = (current: number) =>
      [2, 1, 0].map((at) => `${lineOf(at)}${at === current ? '  current' : ''}\n`).join('');
    expect((await say('--list')).stdout).toBe(listed(2));
    expect((await say(first)).stdout).toBe(`current snapshot: ${first}\n`);
    expect((await say('--list')).stdout).toBe(listed(0));
    const held = await runInThisProcess(['build', '--ledger', three, '--snapshots', own]);
    expect([held.code, held.stdout]).toEqual([
      0,
      expect.stringContaining(`${first} stays current: a rollback left ${third}`),
    ]);
    expect((await say(third)).stdout).toBe(`current snapshot: ${third}\n`);
    expect(await readPointer(own)).toMatchObject({ snapshotId: third, previous: [second, first] });
    expect([(await say('nope')).code, (await say('nope')).stderr]).toEqual([
      2,
      `there is no snapshot "nope" in ${own}, only ${made.toSorted().join(', ')}\n`,
    ]);
    // One byte of a table that only the second one has.
    const segment = (await manifestOf(own, second)).segments.at(-1)?.name ?? '';
    expect((await manifestOf(own, third)).segments.map(({ name }) => name)).not.toContain(segment);
    const path = join(own, segmentParts.rows(segment, 'summaries'));
    const bytes = readFileSync(path);
    bytes[40] = (bytes[40] as number) ^ 1;
    writeFileSync(path, bytes);
    for (const words of [[], [second]]) {
      const { code, stderr } = await say(...words);
      expect([code, stderr.trimEnd().split('\n')]).toEqual([1, [expect.stringContaining(path)]]);
    }
    expect(await readPointer(own)).toMatchObject({ snapshotId: third, previous: [second, first] });
    expect((await say(first)).code).toBe(0);
    expect((await runInThisProcess(['rollback', '--list', '--snapshots', directory()])).stderr).toMatch(
      /has no snapshot\n$/,
    );
  });

  describe('verify', () => {
    it('verify says that files agree with the manifest, and the ledger with the snapshot', {
      tags: ['slow'],
    }, async () => {
      const [first = '', second = ''] = ids;
      const verified = await runInThisProcess(['verify', second, '--ledger', ledger], here);
      expect([verified.code, verified.stdout]).toEqual([
        0,
        expect.stringMatching(
          new RegExp(
            `^${second}: 1 segment, 3 filings of 1 company match the manifest\n${ledger}: all files of 2 batches match their heads\n${second}: ${ledger} gives the same bytes\n$`,
          ),
        ),
      ]);
      const named = await runInThisProcess(['verify', first], here);
      expect([named.code, named.stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^${first}: .*\nnot checked without --ledger: .*\n$`)),
      ]);
    });

    it('verify exits with 1 and names a damaged file, or the other ledger', {
      tags: ['slow'],
    }, async () => {
      const own = directory();
      const id = await buildQuietly(ledger, own);
      const other = directory();
      await generateLedger(other, { filings: 20, companies: 3, batches: 1 });
      const { code, stderr } = await runInThisProcess(['verify', '--ledger', other], { SNAPSHOTS_DIR: own });
      expect([code, stderr.trimEnd().split('\n')]).toEqual([
        1,
        [expect.stringContaining('is of another ledger than')],
      ]);
      const [segment] = (await manifestOf(own, id)).segments;
      const path = join(own, segmentParts.rows(segment?.name ?? '', 'summaries'));
      const bytes = readFileSync(path);
      bytes[100] = (bytes[100] as number) ^ 1;
      writeFileSync(path, bytes);
      expect(await complaint(['verify'], { SNAPSHOTS_DIR: own })).toEqual([1, expect.stringContaining(path)]);
    });

    it('verify with an empty ledger exits with 1 and one line', async () => {
      expect(await complaint(['verify', ids[0] as string, '--ledger', directory()], here)).toEqual([
        1,
        expect.stringMatching(/holds no batch$/),
      ]);
    });
  });

  it.each<[string, () => string[], RegExp]>([
    [
      'an empty ledger',
      () => ['build', '--ledger', directory(), '--snapshots', snapshots],
      /holds no batch$/,
    ],
    ['nothing to verify', () => ['verify'], /has no pointer$/],
    ['nothing to compare', () => ['diff'], /has no pointer$/],
    ['nowhere to roll back to', () => ['rollback'], /has no pointer$/],
    ['a key that is not there', () => ['keys', 'revoke', 'nobody'], /^0 keys are named "nobody"/],
  ])('a command with %s exits with 1 and one line', async (_, words, message) =>
    expect(await complaint(words(), { SNAPSHOTS_DIR: directory() })).toEqual([
      1,
      expect.stringMatching(message),
    ]),
  );

  it.each([['verify'], ['diff'], ['rollback']])(
    '%s names a snapshot of format 1 in one line, and tells to build again',
    async (name) => {
      const old = directory();
      writeFileSync(
        join(old, paths.pointer),
        JSON.stringify({
          format: 1,
          snapshotId: '20260101-0123456789abcdef',
          manifestSha256: 'a'.repeat(64),
          previous: ['20251231-0123456789abcdef'],
        }),
      );
      expect(await complaint([name], { SNAPSHOTS_DIR: old })).toEqual([
        1,
        expect.stringMatching(/current\.json: it is of format 1, .*build again/),
      ]);
    },
  );
});

describe('keys', () => {
  it('keys add shows a key once, keys list lists its id, and keys revoke removes it', async () => {
    const here = { SNAPSHOTS_DIR: join(directory(), 'new') };
    const added = await runInThisProcess(
      ['keys', 'add', '--label', 'Ada', '--days', '30', '--per-minute', '60'],
      here,
    );
    const [key = '', said = ''] = added.stdout.split('\n');
    expect([added.code, key]).toEqual([0, expect.stringMatching(/^fei_[\w-]{32}$/)]);
    const path = join(here.SNAPSHOTS_DIR, 'keys.json');
    expect(said).toMatch(
      /^This is shown once\. Its id is [0-9a-f]{8}, it expires at \S+Z, it may make 60 requests a minute; .*keys\.json keeps its digest\.$/,
    );
    expect(readFileSync(path, 'utf8')).not.toContain(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const listed = await runInThisProcess(['keys', 'list'], here);
    expect([listed.code, listed.stdout]).toEqual([
      0,
      expect.stringMatching(/^[0-9a-f]{8} {2}\S+Z {2}\S+Z {2}60 a minute {2}never used {2}Ada\n$/),
    ]);
    expect(await runInThisProcess(['keys', 'revoke', 'Ada'], here)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^revoked [0-9a-f]{8} Ada\n$/),
    });
    expect(await runInThisProcess(['keys', 'list'], here)).toMatchObject({ code: 0, stdout: '' });
  });
  it('keys list names a broken keys file in one line, and does not touch it', async () => {
    const path = join(directory(), 'keys.json');
    writeFileSync(path, '{"format":2}', { mode: 0o600 });
    expect(await complaint(['keys', 'list'], { API_KEYS_FILE: path })).toEqual([
      1,
      expect.stringContaining(path),
    ]);
  });
});

describe('ingest and rebuild', () => {
  let edgar: EdgarDouble;
  let here: Record<string, string>;
  beforeAll(async () => {
    edgar = await startEdgarDouble();
    here = { ...agent, EDGAR_DATA_URL: edgar.dataUrl, EDGAR_WWW_URL: edgar.wwwUrl, EDGAR_RPS: '10' };
    edgar.route(
      '/data.sec.gov/submissions/CIK0000000001.json',
      json(submissionsOf('0000000001', [upstreamRow(2), upstreamRow(1)])),
    );
  });
  afterAll(() => edgar.close());

  it('ingest exits with 0 after it has written a batch, and lists its losses', async () => {
    const ledger = directory();
    const { code, stdout } = await runInThisProcess(
      ['ingest', '--universe', '1,2', '--ledger', ledger],
      here,
    );
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      `batch 1 in ${ledger}: 2 new filings, 0 corrected, partial`,
      expect.stringMatching(/^3 lost: .*CIK0000000002\.json not there \(404\)$/),
    ]);
    expect((await readRows(ledger)).filings.map(({ accessionNo }) => accessionNo)).toEqual([
      accessionOf(1),
      accessionOf(2),
    ]);
  });

  it('ingest --strict writes the batch and exits with 3 if something was lost, and logs as much as LOG_LEVEL says', {
    tags: ['slow'],
  }, async () => {
    const ledger = directory();
    const words = ['ingest', '--strict', '--universe', '1,2', '--ledger', ledger];
    const { code, stdout } = await runInThisProcess(words, { ...here, LOG_LEVEL: 'warn' });
    expect([code, stdout]).toEqual([3, expect.stringMatching(/^3 lost: [^\n]*\n$/)]);
    expect((await readRows(ledger)).batches).toBe(1);
  });

  it('ingest exits with 1 if it could read no company, and writes no batch', { tags: ['slow'] }, async () => {
    const ledger = directory();
    const words = ['ingest', '--universe', '2', '--ledger', ledger];
    const { code, stderr } = await runInThisProcess(words, here);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^no company could be read: [^\n]*CIK0000000002\.json not there \(404\)\n$/),
    ]);
    expect((await readRows(ledger)).batches).toBe(0);
  });

  it('rebuild makes a batch and a snapshot, and keeps three snapshots', { tags: ['slow'] }, async () => {
    const snapshots = directory();
    const ids: string[] = [];
    for (const number of [1, 2, 3]) {
      await appendNumbered(join(snapshots, 'ledger'), number);
      ids.push(await buildQuietly(join(snapshots, 'ledger'), snapshots));
    }
    // All files look an hour old. Younger ones are kept for services that have not yet looked for a newer snapshot.
    const old = (Date.now() - 3_600_000) / 1000;
    for (const path of filesBelow(snapshots)) utimesSync(join(snapshots, path), old, old);
    const { code, stdout } = await runInThisProcess(['rebuild', '--universe', '1'], {
      ...here,
      SNAPSHOTS_DIR: snapshots,
    });
    expect(code).toBe(0);
    const { snapshotId = '', previous = [] } = (await readPointer(snapshots)) ?? {};
    expect(stdout).toContain(`snapshot ${snapshotId}: 5 filings of 1 companies from 4 batches`);
    expect(stdout).toContain(`removed snapshot ${ids[0]}`);
    expect(readdirSync(join(snapshots, 'manifests')).sort()).toEqual(
      [snapshotId, ...previous].map((id) => `${id}.json`).sort(),
    );
    expect(namesIn(snapshots)).toEqual([paths.pointer, 'files', 'ledger', 'manifests', 'segments']);
    for (const id of [snapshotId, ...ids.slice(1)]) await wholeSnapshot(snapshots, id);
  });
});
