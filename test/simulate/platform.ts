import type { Answer, Server } from './clients.ts';
import type { Program } from './machine/bundle.ts';
import type { Process } from './machine/process.ts';
import { randomOf } from './random.ts';
import type { World } from './world.ts';

/** One of so many requests finds that the isolate has ended. */
const requestsOfIsolate = 12;
/** How long it takes until an isolate can answer, in milliseconds. */
const beginsWithinMs = 20;

/** What runs the worker: isolates, one after the other, each only as long as the platform likes. */
export interface Platform {
  /** The worker as its clients see it; null while it is not deployed. */
  worker(): Server | null;
  /** Deploys the worker. */
  open(): void;
  /** Takes it away. */
  close(): void;
  /** Deploys it anew: the isolate ends. */
  renew(): void;
}

/** Makes the platform. `deployed` says which program runs, and with which variables. */
export function createPlatform(
  world: World,
  deployed: () => { readonly program: Program; readonly environment: Readonly<Record<string, string>> },
): Platform {
  const random = randomOf(world.history.seed, 'isolates');
  // Its isolates are counted apart from the processes of other machines, which keep their random numbers.
  const machine = { ...world.mirror, started: { count: 0 } };
  let isolate: Process | null = null;
  let isOpen = false;

  function end(): void {
    isolate?.kill();
    isolate = null;
  }

  /** An isolate answers. A new one has nothing in memory. */
  async function answer(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    if (random.oneIn(requestsOfIsolate)) end();
    if (isolate === null) {
      const { program, environment } = deployed();
      isolate = world.run(machine, 'worker', program, [], environment);
      await world.schedule.wait(beginsWithinMs);
    }
    const ofIsolate = isolate.exports['answer'] as typeof answer | undefined;
    if (!ofIsolate) throw new Error('the isolate has ended');
    return ofIsolate(path, headers);
  }

  const worker: Server = { isAlive: true, exports: { answer } };
  return {
    worker: () => (isOpen ? worker : null),
    open: () => void (isOpen = true),
    close() {
      isOpen = false;
      end();
    },
    renew: end,
  };
}
