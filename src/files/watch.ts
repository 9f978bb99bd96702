import { CannotBeHad } from './bytes.ts';

/** What is wrong with the content of a file: reading it again is of no use before it changes. */
export class ContentError extends Error {}

/** What keeps a file from being taken. */
export interface FileProblem {
  /** One line that names the file. */
  readonly reason: string;
  /** False if the look before found the same: it need not be said again. */
  readonly isNew: boolean;
}

/** A small file that may be replaced, as it was when it was read. */
export interface WholeFile {
  /** Null if there is no file. */
  readonly text: string | null;
  /** Another one whenever the file was replaced; never empty. */
  readonly state: string;
}

/** Reads a file, unless it is in the given state: then null. Rejects if it cannot be read. */
export type ReadIfChanged = (knownState: string) => Promise<WholeFile | null>;

/**
 * Watches a file that messages call `name`. The returned function looks once: if the file is not as it was
 * when it was last taken, its text is given to `take`, null where there is no file. Only what `take` accepted
 * counts as taken, and what it refused with a `ContentError`; after any other error the next look tries
 * again. A look never rejects: it resolves to what is wrong, or to null if the file as it is was taken. Looks
 * at the same time are one.
 */
export function watchChanges(
  name: string,
  readIfChanged: ReadIfChanged,
  take: (text: string | null) => Promise<void> | void,
): () => Promise<FileProblem | null> {
  let takenState = '';
  /** Why the content of that state was refused. */
  let refusal: string | null = null;
  /** The failure that was found by the look before. */
  let lastFailure = '';
  let looking: Promise<FileProblem | null> | null = null;

  async function look(): Promise<FileProblem | null> {
    let state = '';
    try {
      const reading = await readIfChanged(takenState);
      if (reading !== null) {
        state = reading.state;
        await take(reading.text);
        [takenState, refusal] = [state, null];
      }
      lastFailure = '';
      return refusal === null ? null : { reason: refusal, isNew: false };
    } catch (error) {
      const reason = inOneLine(name, error as Error);
      const isRefused = error instanceof ContentError;
      if (isRefused) [takenState, refusal] = [state, reason];
      // The same fault may name another file each time, such as the one for which no descriptor was left.
      const failure = codeOf(error) ?? reason;
      const isNew = isRefused || failure !== lastFailure;
      lastFailure = failure;
      return { reason, isNew };
    }
  }

  return () => (looking ??= look().finally(() => (looking = null)));
}

/**
 * Whether something could not be read for another reason than that it is not there: another time it may be
 * possible.
 */
export function isReadError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && code !== 'ENOENT';
}

/**
 * The code of the system call that failed, also where another error was made of it; undefined if none did.
 */
function codeOf(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof CannotBeHad) return 'cannot be had';
    const { code, syscall } = each as NodeJS.ErrnoException;
    if (syscall !== undefined) return code;
  }
  return undefined;
}

function inOneLine(name: string, { message }: Error): string {
  const line = message.replace(/\s*\n\s*/g, ' ');
  return line.includes(name) ? line : `${name}: ${line}`;
}
