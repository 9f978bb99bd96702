import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readPointer } from '../../build/snapshot/pointer.ts';
import { startEdgarDouble, type EdgarDouble } from '../edgar/edgar-double.ts';
import { command, start, type Running } from '../support/command.ts';
import { useDirectories } from '../support/directories.ts';
import { generateLedger } from '../support/generate.ts';
import { parseMetrics } from '../support/metrics.ts';
import { followHere } from '../support/following.ts';
import { until } from '../support/wait.ts';
import { manifestOf, wholeSnapshot } from '../support/whole.ts';

// Processes that build thousands of filings take long on a busy machine, hence the limits.
const fresh = useDirectories('follow-threads');
const many = { filings: 5000, companies: 100, batches: 1 };
let edgar: EdgarDouble;
beforeAll(async () => void (edgar = await startEdgarDouble()));
afterAll(() => edgar.close());

interface Following extends Running {
  readonly snapshots: string;
  output(): string;
}

/** Starts the command, which finds nothing of what it asks for. */
function followIn(ledger: string, snapshots: string): Following {
  const running = start(
    ['follow', '--universe', '1', '--interval', '1', '--ledger', ledger, '--snapshots', snapshots],
    {
      EDGAR_USER_AGENT: 'Threads Test test@example.com',
      EDGAR_DATA_URL: edgar.dataUrl,
      EDGAR_WWW_URL: edgar.wwwUrl,
      EDGAR_RPS: '10',
      METRICS_PORT: '0',
    },
  );
  let output = '';
  running.child.stdout?.on('data', (text: string) => (output += text));
  return { ...running, snapshots, output: () => output };
}

/** What builds are writing, or left when they were killed. */
const stagingsIn = (snapshots: string) =>
  readdirSync(snapshots).filter((name) => name.startsWith('.staging-') && !name.endsWith('.lock'));
const isBuilding = (snapshots: string) => stagingsIn(snapshots).length > 0;

async function metric({ output }: Following, name: string): Promise<number | undefined> {
  const port = () => /"event":"metrics","host":"127.0.0.1","port":(\d+)/.exec(output())?.[1];
  await until(() => port() !== undefined);
  return parseMetrics(await (await fetch(`http://127.0.0.1:${port()}/metrics`)).text()).get(name);
}

describe('a follower that publishes many filings', () => {
  it('its loop does not stand still while it publishes, and answers meanwhile', {
    tags: ['slow'],
    timeout: 900_000,
  }, async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await generateLedger(ledger, many);
    const following = followIn(ledger, snapshots);
    await until(() => isBuilding(snapshots), 60_000);
    const startedMs = performance.now();
    let answersMeanwhile = 0;
    while (!/snapshot \S+: 5000 filings/.test(following.output())) {
      await metric(following, 'fei_follow_listed_total');
      if (isBuilding(snapshots)) answersMeanwhile++;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const tookMs = performance.now() - startedMs;
    const stoodStillMs = 1000 * ((await metric(following, 'fei_follow_stood_still_seconds')) ?? Infinity);
    expect(answersMeanwhile).toBeGreaterThan(3);
    // Where the loop published itself, it stood still for most of that time.
    expect(stoodStillMs).toBeLessThan(tookMs / 4);
    following.child.kill('SIGTERM');
    expect((await following.ended).code).toBe(0);
    await wholeSnapshot(snapshots);
  });

  it('a stop during a publication ends it in good order, and a kill leaves no process behind', {
    tags: ['slow'],
    timeout: 900_000,
  }, async () => {
    const [ledger, snapshots] = [fresh(), fresh()];
    await generateLedger(ledger, many);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const left = stagingsIn(snapshots);
      const following = followIn(ledger, snapshots);
      // A folder without its lock stays for a day: whoever is killed before the lock leaves one.
      await until(
        () =>
          stagingsIn(snapshots).some(
            (name) => !left.includes(name) && existsSync(join(snapshots, `${name}.lock`)),
          ),
        60_000,
      );
      following.child.kill(signal);
      // If it fails, the whole end is shown: its signal and what it printed.
      expect(await following.ended).toMatchObject(
        signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal },
      );
      expect(following.output().includes('stopped:')).toBe(signal === 'SIGTERM');
      // Nobody builds any more: nothing is published by a thread that lives on.
      expect((await readPointer(snapshots)) === null).toBe(
        signal === 'SIGKILL' || following.output().includes('a publication is left unfinished'),
      );
    }
    expect(
      (await command(['build', '--ledger', ledger, '--snapshots', snapshots], { SNAPSHOTS_DIR: snapshots }))
        .code,
    ).toBe(0);
    expect((await manifestOf(snapshots)).filingCount).toBe(many.filings);
    expect(isBuilding(snapshots)).toBe(false);
  });
});

describe('the end of a follower', () => {
  const running: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of running.splice(0)) await end();
  });
  const never = () => new Promise<never>(() => {});

  it('a stop does not wait for a publication that takes long', async () => {
    const ledger = fresh();
    await generateLedger(ledger, { filings: 3, companies: 2, batches: 1 });
    const published: string[] = [];
    const { lines, end } = followHere(running, edgar, '1', ledger, {
      publish: () => (published.push('begun'), never()),
      endingMs: 50,
    });
    await until(() => published.length > 0);
    await end();
    expect(lines).toEqual(
      expect.arrayContaining([
        'a publication is left unfinished: the next start publishes what the ledger has',
        expect.stringMatching(/^stopped:/),
      ]),
    );
  });

  it('joins are prepared after each publication, also while a long one is being prepared', {
    tags: ['slow'],
  }, async () => {
    const ledger = fresh();
    await generateLedger(ledger, { filings: 3, companies: 2, batches: 1 });
    let [publications, preparations, isEnding] = [0, 0, false];
    const { end } = followHere(running, edgar, '1', ledger, {
      publish: async () => (publications++, null),
      prepare: () => (preparations++, never()),
      watch: async (follower) =>
        void setInterval(() => isEnding || follower.publisher.noteFilled(0), 20).unref(),
      endingMs: 50,
    });
    await until(() => preparations > 2);
    isEnding = true;
    await end();
    expect(preparations).toBeLessThanOrEqual(publications);
  });
});
