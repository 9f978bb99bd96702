import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { commands, keyCommands } from '../src/commands.ts';
import { withPartFolder } from '../src/snapshot/folder.ts';
import { readBuildSettings, SettingsError } from '../src/settings.ts';
import { defaultLedger, edgarSettings, setting, stopSignal } from './command-settings.ts';
import { follow } from './follow/follow.ts';
import { ingest } from './ingest/ingest.ts';
import { isFarBehind } from './ingest/known.ts';
import { parseUniverse } from './ingest/universe.ts';
import { readTally, rollJournals } from './intents/journals.ts';
import { addKey, describeUse, listKeys, revokeKey } from './keys.ts';
import { batchNumbers } from './ledger/batch.ts';
import { readPlans } from './plans.ts';
import { createProgress, quietProgress } from './progress.ts';
import { reconcileLedger } from './reconcile/ledger.ts';
import { buildSnapshot } from './snapshot/build.ts';
import { describeDifference, diffSnapshots } from './snapshot/diff.ts';
import { rollback, snapshotNamed, snapshotPair } from './snapshot/pointer.ts';
import { prune } from './snapshot/prune.ts';
import { derivingAgain } from './snapshot/verify-derived.ts';
import { verifyAgainstLedger, verifySnapshot } from './snapshot/verify.ts';

const sampleLedger = fileURLToPath(new URL('../snapshots/sample', import.meta.url));

const dayMs = 86_400_000;

interface LedgerOption {
  readonly ledger?: string;
}
interface SnapshotsOption {
  readonly snapshots?: string;
}
interface IngestOptions extends LedgerOption {
  readonly universe: string;
  readonly since?: string;
}
interface FollowOptions extends LedgerOption, SnapshotsOption {
  readonly universe: string;
  readonly interval: number;
}
interface ReconcileOptions extends LedgerOption, SnapshotsOption {
  readonly since?: string;
  readonly until?: string;
}
interface BuildOptions extends LedgerOption, SnapshotsOption {
  readonly replace?: true;
}

const readSettings = () => readBuildSettings(process.env);

const progress = createProgress(process.stderr, {
  now: Date.now,
  every(pauseMs, look) {
    const timer = setInterval(look, pauseMs).unref();
    return () => clearInterval(timer);
  },
});

async function runIngest(options: IngestOptions): Promise<void> {
  const settings = readSettings();
  const universe = setting(() => parseUniverse(options.universe));
  const edgar = edgarSettings(settings);
  const ledgerDirectory = options.ledger ?? defaultLedger(settings);
  const result = await ingest({
    universe, ledgerDirectory, snapshotsDirectory: (options as SnapshotsOption).snapshots ?? settings.SNAPSHOTS_DIR, since: options.since ?? null, now: Date.now, log: console.log, signal: stopSignal(), progress, settings: edgar,
  });
  console.log(`batch ${result.batch} in ${ledgerDirectory}: ${result.added} new filings, ${result.corrected} corrected, ${result.run.status}`);
  if (result.run.message !== null) console.log(result.run.message);
}

async function runBuild(options: BuildOptions, ledger: string, log: (line: string) => void = console.log, shown = progress): Promise<void> {
  const settings = readSettings();
  const snapshotsDirectory = options.snapshots ?? settings.SNAPSHOTS_DIR;
  const intents = settings.INTENTS_DIR ?? join(snapshotsDirectory, 'intents');
  const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  await rollJournals(intents, dayAt(Date.now()), log);
  await buildSnapshot({
    tally: await readTally(intents, log, dayAt(Date.now() + dayMs)),
    ledgerDirectory: options.ledger ?? ledger,
    snapshotsDirectory,
    settings: {
      baseUrl: settings.BASE_URL, marketplaceUrl: settings.MARKETPLACE_URL,
      ...(settings.CONTACT_EMAIL === null ? {} : { contactEmail: settings.CONTACT_EMAIL }),
      ...(settings.STALE_AFTER_HOURS === null ? {} : { staleAfterHours: settings.STALE_AFTER_HOURS }),
      ...readPlans(settings.PLANS_FILE),
    },
    replace: options.replace === true,
    log,
    progress: shown,
  });
}

async function runFollow(options: FollowOptions): Promise<void> {
  const settings = readSettings();
  const universe = setting(() => parseUniverse(options.universe));
  const snapshotsDirectory = options.snapshots ?? settings.SNAPSHOTS_DIR;
  const ledgerDirectory = options.ledger ?? defaultLedger(settings);
  const isTerminal = process.stdout.isTTY;
  const clear = isTerminal ? '\r\u001b[K' : '';
  const log = (line: string) => void process.stdout.write(`${clear}${new Date().toISOString()} ${line}\n`);
  await follow({
    universe, folders: { ledgerDirectory, snapshotsDirectory }, intervalMs: options.interval * 1000, settings: edgarSettings(settings), now: Date.now, elapsed: () => performance.now(), signal: stopSignal(), log, progress,
    publish: async () => {
      await runBuild({ ledger: ledgerDirectory, snapshots: snapshotsDirectory }, ledgerDirectory, log, quietProgress);
      return withPartFolder(snapshotsDirectory, async (folder) => (await snapshotNamed(folder)).manifest.newestFiledAt);
    },
    prune: async () => void (await withPartFolder(snapshotsDirectory, (folder) => prune(folder, Date.now()))),
    showStatus: (line, isMinute) => void (isTerminal ? process.stdout.write(`${clear}${line}`) : isMinute && log(line)),
  });
}

async function runReconcile(options: ReconcileOptions): Promise<void> {
  const settings = readSettings();
  const folders = { ledgerDirectory: options.ledger ?? defaultLedger(settings), snapshotsDirectory: options.snapshots ?? settings.SNAPSHOTS_DIR };
  const { since = null, until = null } = options;
  if (since !== null && until !== null && since > until) throw new SettingsError(`--since ${since} is behind --until ${until}`);
  const { results, absent, failed } = await reconcileLedger({ folders, settings: edgarSettings(settings), since, until, now: Date.now, elapsed: () => performance.now(), log: console.log, signal: stopSignal() });
  for (const day of absent) console.log(`${day}: EDGAR has no index of this day yet`);
  const missing = results.reduce((sum, day) => sum + day.missing, 0);
  console.log(`${results.length} ${results.length === 1 ? 'day' : 'days'} reconciled, ${missing} filings missing`);
  if (failed.length > 0) throw new Error(failed.map(({ day, reason }) => `the index of ${day} cannot be had: ${reason}`).join('; '));
}

/** What a schedule reconciles. An index that cannot be had now is asked for by the next run. */
async function reconcileInPassing(options: ReconcileOptions): Promise<void> {
  try {
    await runReconcile(options);
  } catch (error) {
    // A run that is told to stop stops.
    if ((error as Error).name === 'AbortError') throw error;
    console.error(`not reconciled: ${(error as Error).message}`);
  }
}

async function runRebuild(options: IngestOptions & BuildOptions): Promise<void> {
  await runIngest(options);
  const settings = readSettings();
  const { ledger, snapshots } = options;
  // What is reconciled is looked up in the snapshot.
  if (await isFarBehind({ ledgerDirectory: ledger ?? defaultLedger(settings), snapshotsDirectory: snapshots ?? settings.SNAPSHOTS_DIR })) await runBuild(options, defaultLedger(settings));
  await reconcileInPassing({ ...(ledger === undefined ? {} : { ledger }), ...(snapshots === undefined ? {} : { snapshots }) });
  await runBuild(options, defaultLedger(settings));
  const removed = await withPartFolder(options.snapshots ?? settings.SNAPSHOTS_DIR, (folder) => prune(folder, Date.now()));
  for (const id of removed) console.log(`removed snapshot ${id}`);
}

async function runVerify(name: string | undefined, options: LedgerOption): Promise<void> {
  const directory = readSettings().SNAPSHOTS_DIR;
  const { id } = await withPartFolder(directory, (folder) => snapshotNamed(folder, name));
  if (options.ledger !== undefined && (await batchNumbers(options.ledger)).length === 0) throw new Error(`${options.ledger} holds no batch`);
  const manifest = await verifySnapshot(directory, id, progress);
  console.log(`${id}: ${manifest.segments.length} segments, ${manifest.filingCount} filings of ${manifest.companyCount} companies are as the manifest says`);
  if (options.ledger === undefined) return;
  await verifyAgainstLedger(directory, manifest, id, options.ledger, derivingAgain(directory, manifest, options.ledger), progress);
  console.log(`${id}: ${options.ledger} gives the same bytes`);
}

async function runDiff(before: string | undefined, after: string | undefined, options: SnapshotsOption): Promise<void> {
  const counts = { '+': 0, '-': 0, '~': 0 };
  await withPartFolder(options.snapshots ?? readSettings().SNAPSHOTS_DIR, async (folder) => {
    const [older, newer] = await snapshotPair(folder, before, after);
    for await (const difference of diffSnapshots(folder, older.manifest, newer.manifest)) {
      counts[difference.sign]++;
      console.log(describeDifference(difference));
    }
  });
  console.log(`${counts['+']} added, ${counts['-']} removed, ${counts['~']} changed`);
}

async function runRollback(options: SnapshotsOption): Promise<void> {
  const { snapshotId } = await withPartFolder(options.snapshots ?? readSettings().SNAPSHOTS_DIR, rollback);
  console.log(`current snapshot: ${snapshotId}`);
}

function keysPath(): string {
  const settings = readSettings();
  return settings.API_KEYS_FILE ?? join(settings.SNAPSHOTS_DIR, 'keys.json');
}

async function runKeysAdd({ label, days }: { label: string; days?: number }): Promise<void> {
  const path = keysPath();
  const { key, entry } = await addKey(path, label, days ?? null, Date.now());
  console.log(`${key}\nThis is shown once. Its id is ${entry.id}${entry.expiresAt === null ? '' : `, it expires at ${entry.expiresAt}`}; ${path} keeps its digest.`);
}

async function runKeysList(): Promise<void> {
  const path = keysPath();
  const use = await describeUse(path);
  for (const { id, label, createdAt, expiresAt } of await listKeys(path)) console.log(`${id}  ${createdAt}  ${expiresAt ?? 'never expires'}  ${use(id)}  ${label}`);
}

async function runKeysRevoke(name: string): Promise<void> {
  const { id, label } = await revokeKey(keysPath(), name);
  console.log(`revoked ${id} ${label}`);
}

/** The commands of this program. */
const programs: Readonly<Record<string, () => Command>> = {
  ingest: () => commands.ingest().action(runIngest),
  build: () => commands.build().action((options: BuildOptions) => runBuild(options, sampleLedger)),
  rebuild: () => commands.rebuild().action(runRebuild),
  follow: () => commands.follow().action(runFollow),
  reconcile: () => commands.reconcile().action(runReconcile),
  verify: () => commands.verify().action(runVerify),
  diff: () => commands.diff().action(runDiff),
  rollback: () => commands.rollback().action(runRollback),
  keys: () => commands.keys().addCommand(keyCommands.add().action(runKeysAdd)).addCommand(keyCommands.list().action(runKeysList)).addCommand(keyCommands.revoke().action(runKeysRevoke)),
};

async function run([name = '', ...words]: readonly string[]): Promise<void> {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined) throw new SettingsError(`${name === '' ? 'no command' : name}: must be one of ${Object.keys(programs).join(', ')}`);
  await program().parseAsync(words, { from: 'user' }).finally(progress.stop);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  // One line, also where a library tells more.
  console.error((error as Error).message.replace(/\s*\n\s*/g, ' '));
  process.exitCode = error instanceof SettingsError ? 2 : 1;
}
