import type { Command } from './command.ts';
import { commonOptions, type Option } from './words.ts';

/** The name of the program. Example: `program` is `filing-events`. */
export const program = 'filing-events';

/** The shells for which completion is written. Example: `shells.includes('bash')`. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** The help of the program. Example: `programHelp(commands)`. */
export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, words, text }) => [`${name} ${words}`.trim(), text] as const);
  return `${program}: filings of EDGAR in a terminal

Usage: ${program} COMMAND [OPTIONS]

Commands:
${table([...rows, [`completion ${shells.join('|')}`, 'prints what completes commands and options in a shell']])}

Options of every command:
${optionTable(commonOptions)}

On a terminal rows are a table, in a pipe JSON Lines. Exit codes: 0 done, 1 refused or failed, 2 wrong command line,
130 stopped with Ctrl+C.

Examples:
${commands.map(({ examples }) => `  ${program} ${examples[0]}\n`).join('')}`;
}

/** The help of a command. Example: `commandHelp(commands[0])`. */
export function commandHelp({ name, words, text, options, examples }: Command): string {
  return `Usage: ${`${program} ${name} ${words}`.trim()} [OPTIONS]

It ${text}.

Options:
${optionTable([...options, ...commonOptions])}

Examples:
${examples.map((each) => `  ${program} ${each}\n`).join('')}`;
}

function optionTable(options: readonly Option[]): string {
  return table(
    options.map(
      ({ name, value, text }) => [`--${name}${value === undefined ? '' : ` ${value}`}`, text] as const,
    ),
  );
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

/** What completes commands and options in a shell. Example: `completion('bash', commands)`. */
export function completion(shell: (typeof shells)[number], commands: readonly Command[]): string {
  const optionsOf = ({ options }: Command) =>
    [...options, ...commonOptions].map(({ name }) => `--${name}`).join(' ');
  const names = [...commands.map(({ name }) => name), 'completion'].join(' ');
  if (shell === 'fish')
    return `${[
      `complete -c ${program} -f -n __fish_use_subcommand -a '${names}'`,
      ...commands.flatMap(({ name, options }) =>
        [...options, ...commonOptions].map(
          (each) =>
            `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${each.name} -d '${each.text.replaceAll("'", '')}'`,
        ),
      ),
    ].join('\n')}\n`;
  const cases = commands.map((each) => `    ${each.name}) words="${optionsOf(each)}" ;;`).join('\n');
  const bash = `_filing_events() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases}
    completion) words="${shells.join(' ')}" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${names}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _filing_events ${program}
`;
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}
