import { Unavailable } from './bytes.ts';

/** An error in the content of a file: reading the file again does not help until it changes. */
export class ContentError extends Error {}

/** Why the content of a file was not accepted. */
export interface FileProblem {
  /** One line that names the file. */
  readonly reason: string;
  /** False if the last look found the same problem, so that it is not logged again. */
  readonly isNew: boolean;
}

/** The content of a small file that may be replaced. */
export interface WholeFile {
  /** Null if there is no file. */
  readonly text: string | null;
  /** Differs whenever the file was replaced; never empty. */
  readonly state: string;
}

/** Reads a file. Null if it is still in the given state. Rejects if it cannot be read. */
export type ReadIfChanged = (knownState: string) => Promise<WholeFile | null>;

/**
 * Watches a file that messages call `name`. The function that is returned looks once: if the file has changed
 * since it was last taken, it calls `take` with the text, or with null if there is no file.
 *
 * A file counts as taken if `take` accepted it, or refused it with a `ContentError`. After any other error
 * the next look tries again. A look never rejects: it resolves to the problem, or to null if the file was
 * accepted. Looks at the same time are one.
 */
export function watchChanges(
  name: string,
  readIfChanged: ReadIfChanged,
  take: (text: string | null) => Promise<void> | void,
): () => Promise<FileProblem | null> {
  let takenState = '';
  /** Why the content of `takenState` was refused; null if it was accepted. */
  let refusal: string | null = null;
  /** The failure of the last look; empty if it did not fail. */
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
      // Compared by error code, because the same fault may name another file each time, such as the file for
      // which no descriptor was left.
      const failure = codeOf(error) ?? reason;
      const isNew = isRefused || failure !== lastFailure;
      lastFailure = failure;
      return { reason, isNew };
    }
  }

  return () => (looking ??= look().finally(() => (looking = null)));
}

/** Whether a read failed for another reason than a missing file: a later attempt may succeed. */
export function isReadError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && code !== 'ENOENT';
}

/**
 * The code of the system call that failed, also if it is the cause of another error; undefined if no system
 * call failed.
 */
function codeOf(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof Unavailable) return 'unavailable';
    const { code, syscall } = each as NodeJS.ErrnoException;
    if (syscall !== undefined) return code;
  }
  return undefined;
}

function inOneLine(name: string, { message }: Error): string {
  const line = message.replace(/\s*\n\s*/g, ' ');
  return line.includes(name) ? line : `${name}: ${line}`;
}
