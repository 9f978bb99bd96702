// @module-tag slow
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { Change, Filing } from '../../src/contract/records.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { clearedSettings } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { sampleLedger } from '../support/sample.ts';
import { until } from '../support/wait.ts';

const fresh = useDirectories('update');
const root = fileURLToPath(new URL('../..', import.meta.url));
const key = 'a-key-for-this-rehearsal';
const running: ChildProcess[] = [];
afterAll(() => running.forEach((child) => child.kill('SIGKILL')));

/** The rules of the release before rules had numbers, as changes of this version's sources. */
const lastRelease: readonly (readonly [file: string, now: string, then: string])[] = [
  ['src/domain/rules.ts', `rulesNumber = ${rulesNumber};`, 'rulesNumber = 1;'],
  [
    'build/ledger/parties.ts',
    "ownershipFamilies.has(family) ? 'issuer' : 'subject'",
    "ownershipFamilies.has(family) || family === 'restricted_sale_notice' ? 'issuer' : 'subject'",
  ],
  ['build/ledger/parties.ts', "hasSubject && family === 'restricted_sale_notice'", 'Boolean(0)'],
];

/** Copies the program, with other rules. */
function programOf(changes: typeof lastRelease): string {
  const directory = fresh();
  for (const part of ['src', 'build', 'clients', 'site', 'package.json', 'tsconfig.json', 'CHANGELOG.md'])
    cpSync(join(root, part), join(directory, part), { recursive: true });
  mkdirSync(join(directory, 'snapshots'));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const [file, now, then] of changes) {
    const text = readFileSync(join(directory, file), 'utf8');
    expect(text.split(now).length, `${now} in ${file}`).toBe(2);
    writeFileSync(join(directory, file), text.replace(now, then));
  }
  return directory;
}

/** Copies the sample as a program wrote it before rules had numbers: its batches name no rules. */
function ledgerWithoutRules(): string {
  const ledger = fresh();
  cpSync(sampleLedger, ledger, { recursive: true });
  let previousSha256: string | null = null;
  for (const batch of readdirSync(join(ledger, 'batches')).sort()) {
    const head = join(ledger, 'batches', batch, 'batch.json');
    const { rules, ...others } = JSON.parse(readFileSync(head, 'utf8')) as Record<string, unknown>;
    expect(rules).toBeDefined();
    const text = JSON.stringify({ ...others, previousSha256 });
    writeFileSync(head, text);
    previousSha256 = sha256Of(text);
  }
  return ledger;
}

function run(program: string, words: readonly string[], environment: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', ...words], {
    cwd: program,
    env: { ...process.env, ...clearedSettings, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

/** Runs a command to its end and returns what it printed. Fails unless it succeeds. */
async function command(program: string, words: readonly string[], snapshots: string): Promise<string> {
  const child = run(program, ['build/main.ts', ...words], { SNAPSHOTS_DIR: snapshots });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => void (printed += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code, printed).toBe(0);
  return printed;
}

/** Starts a service and returns its address. */
async function serve(program: string, snapshots: string): Promise<{ address: string; child: ChildProcess }> {
  const child = run(program, ['src/server.ts'], { SNAPSHOTS_DIR: snapshots, API_KEYS: key, PORT: '0' });
  let printed = '';
  child.stdout?.on('data', (text: Buffer) => void (printed += text.toString()));
  const address = () => /at (http:\/\/127\.0\.0\.1:\d+)/.exec(printed)?.[1];
  await until(() => address() !== undefined);
  return { address: address() as string, child };
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly nextCursor: string };
}

async function get<Row>(address: string, path: string): Promise<Page<Row>> {
  const response = await fetch(`${address}${path}`, { headers: { 'x-api-key': key } });
  expect(response.status, path).toBe(200);
  return (await response.json()) as Page<Row>;
}

describe('an update of the program', () => {
  it('a client that follows the feed through an update by new rules has what the lists have', {
    timeout: 900_000,
  }, async () => {
    const [ledger, snapshots] = [ledgerWithoutRules(), join(fresh(), 'snapshots')];
    const old = programOf(lastRelease);
    await command(old, ['build', '--ledger', ledger], snapshots);
    const before = await serve(old, snapshots);

    const copy = new Map<string, Filing>();
    const seen: Change[] = [];
    let cursor: string | null = null;
    const followOn = async (address: string) => {
      for (;;) {
        const from = cursor === null ? 'since=1990-01-01' : `cursor=${cursor}`;
        const { data, meta }: Page<Change> = await get(address, `/v1/sec/changes?${from}&limit=200`);
        for (const change of data) copy.set(change.filing.accessionNo, change.filing);
        seen.push(...data);
        cursor = meta.nextCursor;
        if (data.length === 0) return;
      }
    };
    await followOn(before.address);
    const [filings, first] = [copy.size, seen.length];
    expect(filings).toBeGreaterThan(4000);
    const closed = (await get<{ sha256: string; closed: boolean }>(before.address, '/v1/sec/bulk')).data;

    // The old service serves while the new program builds, then serves what it has built.
    const build = command(root, ['build', '--ledger', ledger], snapshots);
    let isBuilding = true;
    void build.finally(() => (isBuilding = false)).catch(() => {});
    let asked = 0;
    for (; isBuilding; asked++) await get(before.address, '/v1/sec/latest?limit=5');
    expect(asked).toBeGreaterThan(0);
    const printed = await build;
    expect(printed).toMatch(/rules \d+ of this version replace rules 1/);
    const restated = Number(/: (\d+) filings say something else now/.exec(printed)?.[1]);
    expect(restated, 'the sample has Forms 144, whose roles changed').toBeGreaterThan(500);
    await until(async () => {
      await followOn(before.address);
      return seen.length > first;
    });

    // The new service takes over, with the same cursor.
    before.child.kill('SIGTERM');
    const after = await serve(root, snapshots);
    await followOn(after.address);
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1));
    expect(
      seen.slice(first).every(({ revision, corrected }) => revision > 1 && corrected?.includes('parties')),
    ).toBe(true);
    expect([seen.length - first, copy.size]).toEqual([restated, filings]);

    const listed = new Map<string, Filing>();
    for (let next: string | null = ''; next !== null; ) {
      const { data, meta }: Page<Filing> = await get(
        after.address,
        `/v1/sec/latest?limit=200${next === '' ? '' : `&cursor=${next}`}`,
      );
      for (const filing of data) listed.set(filing.accessionNo, filing);
      next = data.length === 0 ? null : meta.nextCursor;
    }
    expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(listed));
    const still = (await get<{ sha256: string; closed: boolean }>(after.address, '/v1/sec/bulk')).data;
    expect(still.filter((file) => file.closed).length).toBeGreaterThanOrEqual(
      closed.filter((file) => file.closed).length,
    );
    expect(await command(root, ['verify', '--ledger', ledger], snapshots)).toContain('gives the same bytes');
  });
});
