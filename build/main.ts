import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { Command } from 'commander';
import { commands } from '../src/settings/commands.ts';
import { commandSettings, type SettingsOf } from '../src/settings/settings-of-commands.ts';
import { withPartFolder } from '../src/snapshot/folder.ts';
import { isLogged, lineLog, type LineLog, type LogLevel } from '../src/log/levels.ts';
import { printLine, printProblem } from '../src/log/printable.ts';
import { readBuildSettings, SettingsError, type BuildSettings } from '../src/settings/settings.ts';
import { diff, verify } from './check.ts';
import {
  checkPublishing,
  edgarSettings,
  foldersOf,
  setting,
  signerOf,
  snapshotSettings,
  stopSignal,
  warnOfOpenFiles,
  type FolderOptions,
} from './command-settings.ts';
import { deliverProgram } from './deliver-program.ts';
import { counted } from '../src/render/words.ts';
import { explainFullDisk } from './disk/full.ts';
import { followCommand, type FollowCommandOptions } from './follow-command.ts';
import { openLedgerCheck } from './ledger-check.ts';
import type { Serving } from './follow-threads.ts';
import {
  checkIngestOptions,
  ingestContentsCommand,
  type IngestCommandOptions,
} from './ingest-contents-command.ts';
import { ingest } from './ingest/ingest.ts';
import { isFarBehind } from './ingest/known.ts';
import { parseUniverse } from './ingest/universe.ts';
import { readIntents, rollJournals } from './intents/journals.ts';
import { keysProgram } from './keys-program.ts';
import { rollBack } from './rollback.ts';
import { createProgress, quietProgress, type Progress } from './work/progress.ts';
import { isReconciled } from '../src/contract/reconciled-days.ts';
import { reconcileLedger } from './reconcile/reconcile-ledger.ts';
import { reconciledSince } from './reconcile/since.ts';
import { daysOf } from './ledger/days.ts';
import { readSurvey } from './snapshot/published-survey.ts';
import { buildSnapshot } from './snapshot/build.ts';
import { keptForMs, prune } from './snapshot/prune.ts';
import { openTableThread } from './table-thread.ts';
import { serveThread, thread } from './threads.ts';
import { dayAt, dayMs } from '../src/time/units.ts';

const sampleLedger = fileURLToPath(new URL('../snapshots/sample', import.meta.url));

type SnapshotsOption = Pick<FolderOptions, 'snapshots'>;
interface IngestOptions extends IngestCommandOptions {
  readonly strict?: true;
}
interface ReconcileOptions extends FolderOptions {
  readonly since?: string;
  readonly until?: string;
}
interface RollbackOptions extends SnapshotsOption {
  readonly list?: true;
}
interface ExportCommandOptions extends SnapshotsOption {
  readonly parquet: string;
  readonly location?: string;
  readonly compact?: true;
}
interface BuildOptions extends FolderOptions {
  readonly replace?: true;
}

/**
 * The log level. `readSettings` sets it from `LOG_LEVEL`. Results of commands (keys, differences, what was
 * verified) are always printed.
 */
let level: LogLevel = 'info';

/** Reads the settings of a command. */
function readSettings<Name extends Exclude<keyof typeof commandSettings, 'start'>>(
  name: Name,
): SettingsOf<Name> {
  const settings = readBuildSettings<keyof BuildSettings>(process.env, commandSettings[name]);
  level = settings.LOG_LEVEL;
  return settings;
}

const log: LineLog = (line, of) => lineLog(printLine, level)(line, of);
const shownProgress = {
  // The standard streams of a thread do not know what they lead to.
  isTTY: thread && 'isTerminal' in thread ? thread.isTerminal : process.stderr.isTTY,
  write: (text: string) => isLogged('info', level) && process.stderr.write(text),
};

const progress = createProgress(shownProgress, {
  now: Date.now,
  every(pauseMs, look) {
    const timer = setInterval(look, pauseMs).unref();
    return () => clearInterval(timer);
  },
});

/** Runs `ingest`: of a universe, or with `--contents` of what the ledger lacks. */
async function runIngest(options: IngestOptions): Promise<void> {
  const { universe } = options;
  checkIngestOptions(options);
  const settings = readSettings('ingest');
  if (universe !== undefined) return ingestUniverse({ ...options, universe }, settings);
  const { unread } = await ingestContentsCommand(options, settings, {
    now: Date.now,
    progress,
    log,
    signal: stopSignal(),
  });
  if (options.strict && unread > 0) process.exitCode = 3;
}

async function ingestUniverse(
  options: IngestOptions & { readonly universe: string },
  settings: SettingsOf<'ingest'>,
): Promise<void> {
  const universe = setting(() => parseUniverse(options.universe));
  const edgar = edgarSettings(settings);
  const folders = foldersOf(options, settings);
  const { ledgerDirectory } = folders;
  const result = await ingest({
    universe,
    ...folders,
    since: options.since ?? null,
    now: Date.now,
    log,
    signal: stopSignal(),
    progress,
    settings: edgar,
  }).catch(async (error: unknown) => {
    throw await explainFullDisk(error, ledgerDirectory, null);
  });
  log(
    `batch ${result.batch} in ${ledgerDirectory}: ${result.added} new filings, ${result.corrected} corrected, ${result.run.status}`,
  );
  if (result.run.message !== null) log(result.run.message, 'warn');
  if (options.strict && result.refusals.length > 0) process.exitCode = 3;
}

/** Where a build says what it does, and what ends it; both are those of this program if left out. */
interface BuildShown {
  readonly say?: LineLog;
  readonly shown?: Progress;
  readonly signal?: AbortSignal | undefined;
}

async function runBuild(
  options: BuildOptions,
  ledger: string,
  settings: SettingsOf<'build'>,
  { say = log, shown = progress, signal }: BuildShown = {},
): Promise<void> {
  const snapshotsDirectory = options.snapshots ?? settings.SNAPSHOTS_DIR;
  const intentsDirectory = settings.INTENTS_DIR ?? join(snapshotsDirectory, 'intents');
  await rollJournals(intentsDirectory, dayAt(Date.now()), say);
  const tableWork = openTableThread(new URL('start.mjs', import.meta.url), say);
  await buildSnapshot({
    intents: await readIntents(intentsDirectory, say, dayAt(Date.now() + dayMs)),
    ledgerDirectory: options.ledger ?? ledger,
    snapshotsDirectory,
    settings: snapshotSettings(settings),
    replace: options.replace === true,
    now: Date.now,
    isEmbedded: resolve(options.ledger ?? ledger) === resolve(sampleLedger),
    ...signerOf(settings, Date.now),
    log: say,
    signal,
    progress: shown,
    tableWork,
  }).finally(tableWork.end);
}

async function runFollow(options: FollowCommandOptions): Promise<void> {
  const settings = readSettings('follow');
  await followCommand(options, settings, {
    entry: new URL('start.mjs', import.meta.url),
    now: Date.now,
    elapsed: () => performance.now(),
    signal: stopSignal(),
    progress,
  });
}

async function runReconcile(options: ReconcileOptions, settings = readSettings('reconcile')): Promise<void> {
  const folders = foldersOf(options, settings);
  const { since = null, until = null } = options;
  if (since !== null && until !== null && since > until)
    throw new SettingsError(`--since ${since} is later than --until ${until}`);
  const { results, absent, failed } = await reconcileLedger({
    folders,
    settings: edgarSettings(settings),
    contents: settings.CONTENTS,
    since,
    until,
    now: Date.now,
    elapsed: () => performance.now(),
    log,
    signal: stopSignal(),
  });
  for (const day of absent) log(`${day}: EDGAR has not published the index of this day yet`);
  const newest = daysOf(results).filter(isReconciled);
  const without = daysOf(results).filter((day) => !isReconciled(day));
  const missing = newest.reduce((sum, day) => sum + day.missing, 0);
  const open = newest.reduce((sum, day) => sum + (day.open ?? 0), 0);
  const notReconciled =
    without.length === 0
      ? ''
      : `; not reconciled, because no index could be had: ${counted(without.length, 'day', 'days')}, ${without[0]?.day} to ${without.at(-1)?.day}`;
  log(
    `${counted(newest.length, 'day', 'days')} reconciled, ${missing} filings missing, ${open} open${notReconciled}`,
  );
  if (failed.length > 0)
    throw new Error(
      failed.map(({ day, reason }) => `the index of ${day} could not be compared: ${reason}`).join('; '),
    );
}

/**
 * Reconciles as a step of `rebuild`. An error is printed and does not stop the rebuild: the next run asks
 * EDGAR again.
 */
async function reconcileOrWarn(options: ReconcileOptions, settings: SettingsOf<'reconcile'>): Promise<void> {
  try {
    await runReconcile(options, settings);
  } catch (error) {
    // A stop signal ends the whole run.
    if ((error as Error).name === 'AbortError') throw error;
    if (isLogged('warn', level)) printProblem(`not reconciled: ${(error as Error).message}`);
  }
}

async function runRebuild(
  options: IngestOptions & BuildOptions & { readonly universe: string },
): Promise<void> {
  const settings = readSettings('rebuild');
  // A wrong file of plans or key is found before anything is fetched.
  await checkPublishing(settings, log);
  const folders = foldersOf(options, settings);
  const { ledgerDirectory, snapshotsDirectory } = folders;
  // The new batch would hide the gap before it.
  await reconciledSince(ledgerDirectory, await readSurvey(ledgerDirectory, snapshotsDirectory));
  await ingestUniverse(options, settings);
  // Reconciling looks filings up in the snapshot, so a snapshot that is far behind the ledger is built first.
  if (await isFarBehind(folders)) await runBuild(options, ledgerDirectory, settings);
  await reconcileOrWarn({ ledger: options.ledger, snapshots: options.snapshots }, settings);
  await runBuild(options, ledgerDirectory, settings);
  const removed = await withPartFolder(snapshotsDirectory, (folder) =>
    prune(folder, Date.now(), keptForMs, {
      onWait: () => log('a build is running; removing old files waits for it'),
    }),
  );
  for (const id of removed) log(`removed snapshot ${id}`);
}

async function runVerify(name: string | undefined, { ledger }: FolderOptions): Promise<void> {
  const { SNAPSHOTS_DIR: directory, TRUSTED_KEY: trustedKeys } = readSettings('verify');
  const checked = { directory, name, ledgerDirectory: ledger, trustedKeys, nowMs: Date.now() };
  const entry = new URL('start.mjs', import.meta.url);
  const [ledgerCheck, tables] = [openLedgerCheck(entry, log), openTableThread(entry, log)];
  await verify(checked, ledgerCheck, tables, printLine, progress).finally(() =>
    Promise.all([ledgerCheck.end(), tables.end()]),
  );
}

async function runDiff(
  before: string | undefined,
  after: string | undefined,
  options: SnapshotsOption,
): Promise<void> {
  const { SNAPSHOTS_DIR } = readSettings('diff');
  await diff(options.snapshots ?? SNAPSHOTS_DIR, before, after, printLine);
}

async function runRollback(name: string | undefined, options: RollbackOptions): Promise<void> {
  const settings = readSettings('rollback');
  await warnOfOpenFiles([settings.SIGNING_KEY_FILE], printProblem);
  const { sign = null } = signerOf(settings, Date.now);
  const directory = options.snapshots ?? settings.SNAPSHOTS_DIR;
  for (const line of await rollBack(directory, name, options.list === true, sign, progress)) printLine(line);
}

async function runExport(options: ExportCommandOptions): Promise<void> {
  const settings = readSettings('export');
  // The packages that write Parquet and Avro are loaded with this command alone.
  const { exportTables } = await import('./export/export.ts');
  const directory = resolve(options.parquet);
  await exportTables({
    snapshotsDirectory: options.snapshots ?? settings.SNAPSHOTS_DIR,
    directory,
    location: options.location ?? pathToFileURL(directory).href,
    isCompact: options.compact === true,
    now: Date.now,
    log,
    progress,
  }).catch(async (error: unknown) => {
    throw await explainFullDisk(error, directory, null);
  });
}

const programs: Readonly<Record<string, () => Command>> = {
  ingest: () => commands.ingest().action((options: IngestOptions) => runIngest(options)),
  build: () =>
    commands.build().action(async (options: BuildOptions) => {
      const settings = readSettings('build');
      await checkPublishing(settings, log);
      await runBuild(options, sampleLedger, settings);
    }),
  rebuild: () => commands.rebuild().action(runRebuild),
  follow: () => commands.follow().action(runFollow),
  reconcile: () => commands.reconcile().action((options: ReconcileOptions) => runReconcile(options)),
  verify: () => commands.verify().action(runVerify),
  diff: () => commands.diff().action(runDiff),
  rollback: () => commands.rollback().action(runRollback),
  export: () => commands.export().action(runExport),
  deliver: () =>
    deliverProgram(() => ({
      settings: readSettings('deliver'),
      now: Date.now,
      elapsed: () => performance.now(),
      random: Math.random,
      signal: stopSignal(),
      print: printLine,
      exit: () => process.exit(),
    })),
  keys: () => keysProgram(() => readSettings('keys'), Date.now),
};

async function runCommand(): Promise<void> {
  try {
    await run(process.argv.slice(2));
  } catch (error) {
    const { name, message } = error as Error;
    // Only a stop signal aborts the work of a command.
    printProblem(name === 'AbortError' ? 'stopped by a signal; run it again to go on' : message);
    process.exitCode = error instanceof SettingsError ? 2 : 1;
  }
}

async function run([name = '', ...words]: readonly string[]): Promise<void> {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program === undefined)
    throw new SettingsError(
      `${name === '' ? 'no command' : name}: must be one of ${Object.keys(programs).join(', ')}`,
    );
  await program().parseAsync(words, { from: 'user' }).finally(progress.stop);
}

/** What a thread of the follower does with the settings of the follower. */
const threadWork: Serving = {
  settings: () => edgarSettings(readSettings('follow')),
  now: Date.now,
  progress,
  build: ({ ledgerDirectory: ledger, snapshotsDirectory: snapshots }, say, signal) =>
    runBuild({ ledger, snapshots }, ledger, readSettings('follow'), { say, shown: quietProgress, signal }),
};

const isThread = parentPort !== null && serveThread(parentPort, threadWork, () => readSettings('verify'));
if (!isThread) await runCommand();
