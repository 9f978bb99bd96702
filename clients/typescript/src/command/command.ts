import type { Client } from '../node-client.ts';
import type { ClientSettings } from '../transport.ts';
import type { Column, Printer } from './print.ts';
import type { Given, Option } from './words.ts';

/** What a command works with. Example: `await command.run(context)`. */
export interface Context extends Given {
  readonly client: Client;
  /** What the client was made with. */
  readonly settings: ClientSettings;
  readonly signal: AbortSignal;
  /** Makes a printer of rows for this terminal or pipe. */
  printer<Row>(columns: readonly Column<Row>[]): Printer<Row>;
  /** Writes a text where rows go. */
  write(text: string): Promise<void>;
  /** Tells a person something, beside the rows. */
  tell(text: string): void;
}

/** A command. Example: `commands.find(({ name }) => name === 'tail')`. */
export interface Command {
  readonly name: string;
  /** Its words in the help, such as `ACCESSION…`. */
  readonly words: string;
  readonly text: string;
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  run(context: Context): Promise<void>;
}
