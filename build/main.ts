import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { isCalendarDate } from '../src/contract/shapes.ts';
import { readBuildSettings, SettingsError, type BuildSettings } from '../src/settings.ts';
import { readPointer } from '../src/snapshot/open.ts';
import { validateUserAgent } from './edgar/client.ts';
import { ingest } from './ingest/ingest.ts';
import { parseUniverse } from './ingest/universe.ts';
import { readTally, rollJournals } from './intents/journals.ts';
import { addKey, listKeys, revokeKey } from './keys.ts';
import { readLedger } from './ledger/read.ts';
import { readPlans } from './plans.ts';
import { createProgress } from './progress.ts';
import { buildSnapshot } from './snapshot/build.ts';
import { diffSnapshots } from './snapshot/diff.ts';
import { prune, rollback } from './snapshot/pointer.ts';
import { verifyAgainstLedger, verifySnapshot } from './snapshot/verify.ts';

const sampleLedger = fileURLToPath(new URL('../snapshots/sample', import.meta.url));

const dayMs = 86_400_000;

/** Where a run of the ingest puts its batches unless told otherwise. The embedded sample is never added to. */
const defaultLedger = (settings: BuildSettings) => join(settings.SNAPSHOTS_DIR, 'ledger');

interface Arguments {
  readonly positionals: string[];
  readonly values: { [name in 'universe' | 'since' | 'ledger' | 'snapshots' | 'label' | 'days']?: string } & { replace?: boolean };
}

function parseCommand(names: readonly (keyof Arguments['values'])[], positionals = 0): Arguments {
  const options = Object.fromEntries(names.map((name) => [name, { type: name === 'replace' ? ('boolean' as const) : ('string' as const) }]));
  try {
    const parsed = parseArgs({ args: process.argv.slice(3), options, allowPositionals: positionals > 0, strict: true });
    if (parsed.positionals.length > positionals) throw new Error(`too many arguments: ${parsed.positionals.join(' ')}`);
    return parsed as Arguments;
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
}

const progress = createProgress(process.stderr, {
  now: Date.now,
  every(pauseMs, look) {
    const timer = setInterval(look, pauseMs).unref();
    return () => clearInterval(timer);
  },
});

/** Runs a check of the command line; what it throws is a wrong setting. */
function setting<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
}

async function runIngest(settings: BuildSettings, { values }: Arguments): Promise<void> {
  if (values.universe === undefined) throw new SettingsError('--universe: must name companies (AAPL,0000320193), a file (@companies.txt) or listed');
  const universe = setting(() => parseUniverse(values.universe as string));
  if (values.since !== undefined && !isCalendarDate(values.since)) throw new SettingsError(`--since: must be a date YYYY-MM-DD, not ${JSON.stringify(values.since)}`);
  if (settings.EDGAR_USER_AGENT === null) throw new SettingsError('EDGAR_USER_AGENT: must be set to a name and a mailbox, as the SEC asks: "Jane Doe jane@example.com"');
  const userAgent = setting(() => validateUserAgent(settings.EDGAR_USER_AGENT as string));
  const ledgerDirectory = values.ledger ?? defaultLedger(settings);
  const stop = new AbortController();
  // A terminal and npm may both send the same signal: the second one changes nothing.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const result = await ingest({
    universe, ledgerDirectory, since: values.since ?? null, now: Date.now, log: console.log, signal: stop.signal,
    settings: { userAgent, dataUrl: settings.EDGAR_DATA_URL, wwwUrl: settings.EDGAR_WWW_URL, requestsPerSecond: settings.EDGAR_RPS },
    progress,
  });
  console.log(`batch ${result.batch} in ${ledgerDirectory}: ${result.added} new filings, ${result.corrected} corrected, ${result.run.status}`);
  if (result.run.message !== null) console.log(result.run.message);
}

async function runBuild(settings: BuildSettings, { values }: Arguments, ledger: string): Promise<void> {
  const snapshotsDirectory = values.snapshots ?? settings.SNAPSHOTS_DIR;
  const intents = settings.INTENTS_DIR ?? join(snapshotsDirectory, 'intents');
  const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  await rollJournals(intents, dayAt(Date.now()), console.log);
  await buildSnapshot({
    tally: await readTally(intents, console.log, dayAt(Date.now() + dayMs)),
    ledgerDirectory: values.ledger ?? ledger,
    snapshotsDirectory,
    settings: { baseUrl: settings.BASE_URL, marketplaceUrl: settings.MARKETPLACE_URL, ...(settings.CONTACT_EMAIL === null ? {} : { contactEmail: settings.CONTACT_EMAIL }), ...readPlans(settings.PLANS_FILE) },
    replace: values.replace === true,
    log: console.log,
    progress,
  });
}

async function runPrune(snapshotsDirectory: string): Promise<void> {
  for (const id of await prune(snapshotsDirectory)) console.log(`removed snapshot ${id}`);
}

async function runVerify(settings: BuildSettings, { values, positionals }: Arguments): Promise<void> {
  const directory = positionals[0] ?? (await currentDirectory(settings.SNAPSHOTS_DIR));
  const id = basename(resolve(directory));
  const ledger = values.ledger === undefined ? null : await readLedger(values.ledger, progress);
  if (values.ledger !== undefined && !ledger) throw new Error(`${values.ledger} holds no batch`);
  const manifest = await verifySnapshot(directory, id, progress);
  console.log(`${id}: ${manifest.files.length} files, ${manifest.filingCount} filings of ${manifest.companyCount} companies are as the manifest says`);
  if (!ledger) return;
  await verifyAgainstLedger(directory, manifest, id, ledger, progress);
  console.log(`${id}: ${values.ledger} gives the same bytes`);
}

async function currentDirectory(snapshotsDirectory: string): Promise<string> {
  const pointer = await readPointer(snapshotsDirectory);
  if (!pointer) throw new Error(`${snapshotsDirectory} has no pointer`);
  return join(snapshotsDirectory, pointer.snapshotId);
}

async function runDiff(settings: BuildSettings, { values, positionals: [before, after] }: Arguments): Promise<void> {
  if (before === undefined || after === undefined) throw new SettingsError('diff: two snapshot names are needed');
  const { added, removed, changed } = await diffSnapshots(values.snapshots ?? settings.SNAPSHOTS_DIR, before, after);
  for (const accessionNo of removed) console.log(`- ${accessionNo}`);
  for (const accessionNo of added) console.log(`+ ${accessionNo}`);
  for (const { accessionNo, members } of changed) console.log(`~ ${accessionNo} ${members.join(',')}`);
  console.log(`${added.length} added, ${removed.length} removed, ${changed.length} changed`);
}

async function runKeys(settings: BuildSettings, { values, positionals: [verb, name] }: Arguments): Promise<void> {
  const path = settings.API_KEYS_FILE ?? join(settings.SNAPSHOTS_DIR, 'keys.json');
  if (verb === 'add') {
    if (values.label === undefined || values.label.length === 0 || values.label.length > 80) throw new SettingsError('--label: must name whom the key is for, in at most 80 characters');
    if (values.days !== undefined && !/^[1-9]\d{0,4}$/.test(values.days)) throw new SettingsError(`--days: must be a number of days, not ${JSON.stringify(values.days)}`);
    const { key, entry } = await addKey(path, values.label, values.days === undefined ? null : Number(values.days), Date.now());
    console.log(`${key}\nThis is shown once. Its id is ${entry.id}${entry.expiresAt === null ? '' : `, it expires at ${entry.expiresAt}`}; ${path} keeps its digest.`);
  } else if (verb === 'list') {
    for (const { id, label, createdAt, expiresAt } of await listKeys(path)) console.log(`${id}  ${createdAt}  ${expiresAt ?? 'never expires'}  ${label}`);
  } else if (verb === 'revoke' && name !== undefined) {
    const { id, label } = await revokeKey(path, name);
    console.log(`revoked ${id} ${label}`);
  } else throw new SettingsError('keys: add --label NAME [--days N], list, or revoke ID');
}

async function run(command: string | undefined, settings: BuildSettings): Promise<void> {
  switch (command) {
    case 'ingest':
      return runIngest(settings, parseCommand(['universe', 'since', 'ledger']));
    case 'build':
      return runBuild(settings, parseCommand(['ledger', 'snapshots', 'replace']), sampleLedger);
    case 'rebuild': {
      const command = parseCommand(['universe', 'since', 'ledger', 'snapshots', 'replace']);
      await runIngest(settings, command);
      await runBuild(settings, command, defaultLedger(settings));
      return runPrune(command.values.snapshots ?? settings.SNAPSHOTS_DIR);
    }
    case 'verify':
      return runVerify(settings, parseCommand(['ledger'], 1));
    case 'diff':
      return runDiff(settings, parseCommand(['snapshots'], 2));
    case 'rollback': {
      const { values } = parseCommand(['snapshots']);
      return console.log(`current snapshot: ${(await rollback(values.snapshots ?? settings.SNAPSHOTS_DIR)).snapshotId}`);
    }
    case 'keys':
      return runKeys(settings, parseCommand(['label', 'days'], 2));
    default:
      throw new SettingsError(`${command ?? 'no command'}: must be ingest, build, rebuild, verify, diff, rollback or keys`);
  }
}

// A folded ledger is large and lives long. By default the heap may double before it is looked through; that is memory
// which a laptop needs for other things (measured at a million filings: 0.9 GB instead of 1.8 GB, at the same speed).
setFlagsFromString('--heap-growing-percent=30');

try {
  await run(process.argv[2], readBuildSettings(process.env)).finally(progress.stop);
} catch (error) {
  // One line, also where a library tells more.
  console.error((error as Error).message.replace(/\s*\n\s*/g, ' '));
  process.exitCode = error instanceof SettingsError ? 2 : 1;
}
