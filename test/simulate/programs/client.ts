import { existsSync } from 'node:fs';
import {
  createClient,
  fileCursor,
  FilingEventsError,
  type Change,
} from '../../../clients/typescript/src/node.ts';

/** What the client has handled since it began to run, in order. */
export const handled: Change[] = [];

/** Where the client keeps how far it is. While the other file is there it stands still after two changes. */
const {
  POSITION_FILE: position = '',
  STILL_FILE: still = '',
  API_KEY: apiKey,
  THROUGH: through = '',
} = process.env;
/** The end of a client whose position is refused: somebody has to say where it goes on. */
const refusedCode = 3;
/** How many changes it handles while it should stand still. */
const handledStill = 2;

await main();

async function main(): Promise<void> {
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort(new Error('stopped')));
  const client = createClient({ baseUrl: through, apiKey });
  let more = handledStill;
  try {
    for await (const change of client
      .changes({ since: '1993-01-01' })
      .follow({ cursor: fileCursor(position), signal: stop.signal })) {
      while (existsSync(still) && more <= 0) await new Promise((resolve) => void setTimeout(resolve, 1000));
      if (existsSync(still)) more--;
      await new Promise((resolve) => void setTimeout(resolve, 5));
      handled.push(change);
    }
  } catch (error) {
    if (stop.signal.aborted) return;
    console.error((error as Error).message);
    process.exitCode =
      error instanceof FilingEventsError && error.code === 'invalid_cursor' ? refusedCode : 1;
  }
}
