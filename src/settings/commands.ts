import {
  address,
  date,
  label,
  requests,
  seconds,
  serviceAddress,
  value,
  wholeDays,
} from './argument-values.ts';
import { Command, type CommanderError } from 'commander';
import { printProblem } from '../log/printable.ts';
import { commandSettings, settingTexts, type SettingName } from './settings-of-commands.ts';
import { SettingsError } from './settings.ts';

const who = [
  '--universe <who>',
  'AAPL,MSFT,0000320193 (symbols or CIKs), @file, listed (who has a symbol) or all',
  value,
] as const;
const since = ['--since <date>', 'least filing date, YYYY-MM-DD', date] as const;
const ledger = (without: string) =>
  ['--ledger <dir>', `folder of the ledger (default: ${without})`, value] as const;
const liveLedger = ledger('ledger in SNAPSHOTS_DIR');
const snapshots = ['--snapshots <dir>', 'folder of the snapshots, in place of SNAPSHOTS_DIR', value] as const;
const replace = [
  '--replace',
  'publish even if filings of the current snapshot are missing, or a rollback took this one back',
] as const;

/**
 * Every command with its arguments, by the name of its script in package.json. Each program adds what its
 * command does.
 */
export const commands = {
  start: () =>
    command(
      'npm start --',
      'Serves the current snapshot. Where there is none, builds it from the embedded sample first.',
      commandSettings.start,
    ),
  ingest: () =>
    script(
      'ingest',
      'Fetches what EDGAR lists and appends it to the ledger as one new batch. For all, and the first time for listed, it reads the bulk archive. With --contents it fetches instead what documents of the filings in the ledger say, and their lists.',
    )
      .option(...who)
      .option(...since)
      .option(...liveLedger)
      .option(
        '--contents',
        'ask for all contents that the ledger lacks, the newest filings first; a run that was stopped is resumed',
      )
      .option(
        '--from-data-sets',
        "with --contents: first read Forms 3, 4 and 5 out of SEC's data sets, one download for each quarter",
      )
      .option('--strict', 'exit with 3 if anything was refused'),
  build: () =>
    script('build', 'Makes a snapshot of the ledger, verifies it and makes it the current one.')
      .option(...ledger('the embedded sample'))
      .option(...snapshots)
      .option(...replace),
  rebuild: () =>
    script('rebuild', 'Does what a schedule runs: ingest, reconcile, build, and remove old snapshots.')
      .requiredOption(...who)
      .option(...since)
      .option(...liveLedger)
      .option(...snapshots)
      .option(...replace),
  follow: () =>
    script(
      'follow',
      'Keeps running: fetches what EDGAR lists, appends it to the ledger and publishes it. For listed and all, it first fills the ledger from the bulk archive.',
    )
      .requiredOption(...who)
      .option('--interval <seconds>', 'from one reading of the feed to the next one (5)', seconds, 5)
      .option(...liveLedger)
      .option(...snapshots),
  reconcile: () =>
    script('reconcile', "Compares the ledger with EDGAR's indexes, and fetches what is missing or different.")
      .option(
        '--since <date>',
        'first day, YYYY-MM-DD (default: all days without a result since the last proven one, and days to compare again)',
        date,
      )
      .option('--until <date>', 'last day (default: the newest one that has an index)', date)
      .option(...liveLedger)
      .option(...snapshots),
  verify: () =>
    script(
      'verify',
      'Checks every hash, count, order and index of snapshots; with a ledger, its files, too, and derives all again.',
    )
      .argument('[id]', 'name of the snapshot (default: the current one and those before it)')
      .option(...ledger('none')),
  diff: () =>
    script('diff', 'Prints the filings that came (+), went (-) or changed (~) from one snapshot to another.')
      .argument('[before]', 'name of a snapshot (default: the one before the current one)')
      .argument('[after]', 'name of a snapshot (default: the current one)')
      .option(...snapshots),
  rollback: () =>
    script(
      'rollback',
      'Verifies the snapshot before the current one, or the one that is named, and makes it the current one.',
    )
      .argument('[id]', 'name of a snapshot, older or newer (default: the one before the current one)')
      .option('--list', 'list the snapshots that can be served, and change nothing')
      .option(...snapshots),
  export: () =>
    script(
      'export',
      'Writes the change feed, the newest state of each filing, parties, transactions and holdings of insiders, documents, companies, and the lists of the reference as Iceberg tables of Parquet files. A later run adds what is new.',
    )
      .requiredOption('--parquet <dir>', 'folder of the tables', value)
      .option(
        '--location <url>',
        'address at which readers find the folder, such as s3://bucket/tables (default: that of the folder)',
        address,
      )
      .option('--compact', 'join small files of earlier exports')
      .option(...snapshots),
  deliver: () =>
    script(
      'deliver',
      'Keeps running: follows the change feed of a service and POSTs each change to the endpoints whose filters it matches.',
    )
      .requiredOption('--endpoints <file>', 'JSON file of the endpoints', value)
      .option('--service <url>', 'address of the service', serviceAddress, 'http://127.0.0.1:8787')
      .option('--state <dir>', 'folder of the state (default: the name of the file and .state)', value)
      .option(
        '--allow-private',
        'allow http:// and addresses that are not public, for receivers of your own',
      ),
  keys: () =>
    script(
      'keys',
      'Adds, lists and revokes API keys, and shows what they used. A running service takes them up by itself.',
    ),
  bench: () =>
    command('npm run bench --', 'Runs the benchmarks and prints ratios.')
      .option('--serving', 'only what compares servers: about a minute')
      .option('--only <names>', 'only these measures, with commas between')
      .option('--filings <n>', 'filings of the large snapshot (1000000; 20000 with --serving)')
      .option(
        '--publications <n>',
        'publications that follow each other, one a second while the service is asked (60)',
      )
      .option(
        '--scratch <directory>',
        'keeps ledgers and snapshots there, and takes what an earlier run made',
      )
      .option('--details', 'also print what the log file has: times by kind of request, each publication'),
  peers: () =>
    command(
      'npm run peers --',
      'Tries the programs of others against the service: clients, conformance suites, linters, generators.',
    ),
  simulate: () =>
    command(
      'npm run simulate --',
      'Lives through operation on virtual time, network and disk, with faults that a seed draws, and checks everything against a model of EDGAR.',
    )
      .option('--seed <n>', 'the first seed (1)')
      .option('--days <n>', 'days of each run (1)', wholeDays)
      .option('--runs <n>', 'how many seeds, one after the other (1)')
      .option('--minutes <n>', 'as many seeds as so many minutes are enough for, one at least')
      .option(
        '--kept',
        'first the seeds that have found faults within so many days; these alone unless others are named',
      )
      .option('--trace', 'prints everything that happens'),
  mutants: () =>
    command(
      'npm run mutants --',
      'Takes known mends out, one at a time, and says which test or seed of the simulator finds it.',
    )
      .argument('[names...]', 'only these; all if left out')
      .option('--list', 'prints the name of each, and what it breaks'),
};

/** The command of a script in package.json, with the settings that it reads. */
function script(name: Exclude<keyof typeof commandSettings, 'start'>, does: string): Command {
  return command(`npm run ${name} --`, does, commandSettings[name]);
}

/** The commands below `npm run keys`. */
export const keyCommands = {
  add: () =>
    command(
      'add',
      'Makes a key and prints it. It is shown once and kept as its digest.',
      commandSettings.keys,
    )
      .requiredOption('--label <name>', 'who the key is for', label)
      .option('--days <n>', 'days after which it expires (default: never)', wholeDays)
      .option(
        '--per-minute <n>',
        'requests that it may make in any minute (default: as many as it likes)',
        requests,
      ),
  list: () =>
    command('list', 'Lists the keys by id and label; a key itself is never stored.', commandSettings.keys),
  usage: () =>
    command(
      'usage',
      'Shows what each key and buyer used on each day (UTC): requests, bytes, client errors.',
      commandSettings.keys,
    )
      .option('--since <date>', 'first day, YYYY-MM-DD', date)
      .option('--until <date>', 'last day, YYYY-MM-DD', date)
      .option('--csv', 'as CSV, for bills and spreadsheets'),
  revoke: () =>
    command('revoke', 'Revokes a key.', commandSettings.keys).argument('<id>', 'id or label of the key'),
};

/** The commands below `npm run deliver`. They take its options, too. */
export const deliverCommands = {
  test: () =>
    below('test', 'Sends a signed message to an endpoint, and asks the feed whether it takes the filter.'),
  list: () =>
    command('list', 'Prints the state of each endpoint.', commandSettings.deliver).configureHelp(withGlobal),
  key: () => command('key', 'Prints the public key of WEBHOOK_SIGNING_KEY_FILE.', commandSettings.deliver),
  replay: () =>
    below('replay', 'Lets the deliveries to an endpoint begin again behind a cursor.').requiredOption(
      '--cursor <cursor>',
      'a cursor of the feed, what a dead letter has as its cursor, or now: skip to the end',
      value,
    ),
  disable: () => below('disable', 'Stops the deliveries to an endpoint. They keep their place in the feed.'),
  enable: () =>
    below('enable', 'Lets deliveries go on where they stopped, also after a 410. A retry comes at once.'),
};

const withGlobal = { showGlobalOptions: true };

function below(name: string, does: string): Command {
  return command(name, does, commandSettings.deliver)
    .configureHelp(withGlobal)
    .argument('<name>', 'name of the endpoint');
}

/**
 * Makes a command that throws a `SettingsError` with one line for a wrong argument. `--help` prints the help
 * and ends the process.
 */
function command(name: string, does: string, settings: readonly SettingName[] = []): Command {
  const made: Command = new Command(name)
    .description(does)
    .helpOption('--help', 'print this')
    .helpCommand(false)
    .configureOutput({ writeErr: () => {} })
    .exitOverride((error) => {
      if (error.exitCode !== 0) throw new SettingsError(complaint(made, error));
    });
  const width = Math.max(...settings.map((each) => each.length)) + 2;
  const lines = settings.map((each) => `  ${each.padEnd(width)}${settingTexts[each]}`);
  return lines.length === 0
    ? made
    : made.addHelpText('after', `\nSettings (environment):\n${lines.join('\n')}`);
}

/** One line that names the wrong argument, and the setting if the argument is the name of one. */
function complaint(made: Command, { code, message }: CommanderError): string {
  if (code === 'commander.help')
    return `a command is missing: ${made.commands.map((each) => each.name()).join(', ')}`;
  if (code === 'commander.excessArguments')
    return `too many arguments: ${made.args.slice(made.registeredArguments.length).join(' ')}`;
  const line = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  const setting = /^unknown option '--([\w-]+)/.exec(line)?.[1]?.toUpperCase().replaceAll('-', '_') ?? '';
  return Object.hasOwn(settingTexts, setting)
    ? `${line}: ${setting} is set in the environment, as ${setting}=… before the command`
    : line;
}

/** Reads the arguments of this process. A wrong one ends it with one line and exit code 2. */
export function argumentsOrExit(made: Command): Command {
  try {
    return made.parse();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    printProblem(error.message);
    process.exit(2);
  }
}
