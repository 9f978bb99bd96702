import { webcrypto } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as os from 'node:os';
import { compileFunction } from 'node:vm';
import { Zstd } from '@hpcc-js/wasm-zstd';
import type { Disk } from '../disk/disk.ts';
import { filesOf, type Files } from '../disk/files.ts';
import { diskModules } from '../disk/modules.ts';
import { undiciModule, type LiveNetwork, type Network } from '../network.ts';
import { randomOf, type Random } from '../random.ts';
import type { Owner, Schedule } from '../schedule.ts';
import { globalNames, root, type Program } from './bundle.ts';
import { timeGlobals, timersModule } from './clock.ts';
import { cryptoModule, uuidOf } from './crypto.ts';
import { fetchOf } from './fetch.ts';
import { threadsModule, type Port } from './threads.ts';
import { zlibModule } from './zlib.ts';

/** What a process runs on. */
export interface Machine {
  /** How many processes were started on the machines of this run. */
  readonly started: { count: number };
  readonly seed: number;
  readonly schedule: Schedule;
  readonly network: Network;
  readonly live: LiveNetwork;
  readonly disk: Disk;
  /** How far the clock of the machine is ahead of the true time now, in milliseconds. */
  aheadMs(): number;
  /** How many times slower than usual the disk is now. */
  slowness(): number;
  /** Called before each call of a process that changes files; it may end the process. */
  onCall(process: Process, call: string, path: string): void;
  /** Gets each line that a process writes. */
  say(process: Process, line: string): void;
}

/** How to start a process. */
export interface Start {
  readonly name: string;
  readonly program: Program;
  /** The words after the name of the program. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: number;
}

/** How a process ended: its exit code; null if it was killed. */
export interface Ended {
  readonly code: number | null;
}

/** Thrown through the code of a process that was killed in the middle of a call. */
export class Killed extends Error {}

/** A process: threads of one program that end together. */
export interface Process extends Owner {
  readonly name: string;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What the entry of the program leaves for whoever started it. */
  readonly exports: Readonly<Record<string, unknown>>;
  /** Asks it to stop. */
  signal(): void;
  /** Ends it in the middle of what it does. */
  kill(): void;
}

const realRequire = createRequire(import.meta.url);

/** The compressor of exports is made before: it would come after a time that is not virtual. */
const zstd = await Zstd.load();

/** Starts a process. */
export function startProcess(machine: Machine, start: Start): Process {
  const { schedule, disk } = machine;
  const number = ++machine.started.count;
  const files: Files[] = [];
  const stops: (() => void)[] = [];
  let isAlive = true;
  let threads = 0;
  let settle: (ended: Ended) => void = () => {};
  const ended = new Promise<Ended>((resolve) => void (settle = resolve));
  const module: { exports: Record<string, unknown> } = { exports: {} };

  function end(code: number | null): void {
    if (!isAlive) return;
    isAlive = false;
    for (const each of files) each.end();
    settle({ code });
  }

  const process: Process = {
    name: start.name,
    pid: start.pid,
    get isAlive() {
      return isAlive;
    },
    ended,
    get exports() {
      return module.exports;
    },
    signal: () => {
      for (const stop of stops) stop();
    },
    kill: () => end(null),
  };

  /** Starts a thread; the first one is the process itself. */
  function startThread(
    program: Program,
    owner: Owner,
    given: { readonly data: unknown; readonly port: Port | null },
    left: { exports: Record<string, unknown> },
  ): { readonly files: Files; readonly globals: Record<string, unknown> } {
    const random = randomOf(machine.seed, `${start.name} ${number} ${threads++}`);
    const own = filesOf(disk, (call, path) => {
      if (!owner.isAlive) throw new Killed();
      machine.onCall(process, call, path);
      if (!owner.isAlive) throw new Killed();
    });
    files.push(own);
    const wallMs = () => schedule.nowMs() + machine.aheadMs();
    const clock = { schedule, owner, wallMs };
    const later = laterOf(machine, owner, random);
    const disks = diskModules({ files: own, random, later, isReal, real: fs });
    const ownProcess = processGlobal(machine, process, start, stops, end);
    const modules: Readonly<Record<string, unknown>> = {
      process: ownProcess,
      fs: disks.fs,
      'fs/promises': disks.promises,
      'timers/promises': timersModule(clock),
      zlib: zlibModule(later),
      os: { ...os, tmpdir: () => '/tmp', userInfo: () => ({ uid: 1000 }), setPriority() {} },
      crypto: cryptoModule(random),
      perf_hooks: {
        monitorEventLoopDelay: () => ({ enable() {}, max: 0 }),
        performance: timeGlobals(clock).performance,
      },
      worker_threads: threadsModule({
        given,
        schedule,
        owner,
        start: (threadOwner, inner, code) =>
          startThread(code === null ? program : evaluated(code), threadOwner, inner, { exports: {} }).files,
      }),
      undici: undiciModule({ network: machine.network, schedule, owner, random }),
      '@hpcc-js/wasm-zstd': { Zstd: { load: () => Promise.resolve(zstd) } },
      'fs-native-extensions': { tryLock: (descriptor: number) => own.lock(descriptor) },
    };
    const globals: Record<string, unknown> = {
      ...timeGlobals(clock),
      require: (name: string) => modules[name.replace(/^node:/, '')] ?? (realRequire(name) as unknown),
      module: left,
      exports: left.exports,
      process: ownProcess,
      console: consoleOf(machine, process),
      Math: Object.create(Math, { random: { value: random.next } }) as unknown,
      crypto: { ...webcrypto, randomUUID: () => uuidOf(random) },
      fetch: fetchOf({ live: machine.live, schedule, owner, random, ended }),
    };
    program(globals as Record<(typeof globalNames)[number], unknown>);
    return { files: own, globals };
  }

  const first = () => {
    const { globals } = startThread(start.program, process, { data: null, port: null }, module);
    const own = globals['process'] as { done?: Promise<unknown>; exitCode?: number };
    // A program without an end of its own runs until it is stopped.
    own.done?.then(
      () => end(own.exitCode ?? 0),
      (error: Error) => {
        machine.say(process, `ended by ${error.stack ?? error.message}`);
        end(1);
      },
    );
  };
  schedule.after(1, process, first);
  return process;
}

/** Calls of the system take a little, and those of one process overtake one another. */
function laterOf(
  { schedule, slowness }: Pick<Machine, 'schedule' | 'slowness'>,
  owner: Owner,
  random: Random,
) {
  return <Result>(call: () => Result): Promise<Result> =>
    new Promise((resolve, reject) => {
      schedule.after((0.02 + random.next() / 2) * slowness(), owner, () => {
        try {
          resolve(call());
        } catch (error) {
          if (!(error instanceof Killed)) reject(error as Error);
        }
      });
    });
}

/** The files of this repository that programs read as they are. */
const isReal = (path: string) => String(path).startsWith(root);

/** A program that a thread gets as text. */
function evaluated(code: string): Program {
  const run = compileFunction(code, [...globalNames]) as (...globals: unknown[]) => void;
  return (globals) => run(...globalNames.map((name) => globals[name]));
}

function consoleOf(machine: Machine, process: Process) {
  const say = (...words: unknown[]) => machine.say(process, words.map(String).join(' '));
  return { log: say, error: say, warn: say, info: say, debug: say };
}

function processGlobal(
  machine: Machine,
  own: Process,
  { words, environment, pid }: Start,
  stops: (() => void)[],
  end: (code: number) => void,
): object {
  const output = {
    isTTY: false,
    write(text: string | Uint8Array) {
      for (const line of Buffer.from(text as Uint8Array)
        .toString()
        .split('\n'))
        if (line !== '') machine.say(own, line);
      return true;
    },
  };
  const members = {
    pid,
    argv: ['node', 'main', ...words],
    env: environment,
    platform: 'linux',
    stdout: output,
    stderr: output,
    exitCode: undefined,
    done: undefined,
    exit(code?: number): never {
      end(code ?? 0);
      throw new Killed();
    },
    on: (_: string, stop: () => void) => void stops.push(stop),
    once: (_: string, stop: () => void) => void stops.push(stop),
    cwd: () => '/',
    memoryUsage: () => ({ rss: 0, heapUsed: 0, heapTotal: 0, external: 0, arrayBuffers: 0 }),
  };
  return Object.create(process, Object.getOwnPropertyDescriptors(members)) as object;
}
