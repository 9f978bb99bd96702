import { minuteMs } from '../../src/time/units.ts';
import { describeHappening, type Happening, type Program } from './history.ts';
import type { Process } from './machine/process.ts';
import type { Server } from './clients.ts';
import { restoreBackup, takeBackup } from './outside/backup.ts';
import { createPlatform } from './platform.ts';
import { always } from './schedule.ts';
import { snapshotsOrigin } from './snapshots-host.ts';
import { keyPair } from './keys.ts';
import { describeEnd, environmentWith, signingKeyFile, volume, type Release, type World } from './world.ts';

/** After its end a service manager starts a program again after this time, in milliseconds. */
const restartMs = 5000;
/** How long a disk is slow, in milliseconds. */
const slowForMs = 15 * minuteMs;
/** How long after readers trust a new key it is used, in milliseconds. */
const keyAfterMs = 10 * minuteMs;
/** How often somebody looks who waits for many publications, in milliseconds. */
const busyEveryMs = 20_000;
/** Longer than a program is down whose start waits for something else. */
const longestMs = 40 * 24 * 60 * minuteMs;
/** How long after a fault its effects may be seen. */
const healingMs = 25 * minuteMs;

/** How far the feed was when the ledger was backed up. */
export interface Place {
  readonly cursor: string | null;
  readonly sequence: number;
}

/** Those outside, as the operator tells them what he does. */
export interface Told {
  /** Does what a history says, if it concerns those outside. */
  live(happening: Happening): boolean;
  /** The ledger is backed up. Resolves to how far a reader may be whose position stays good. */
  backedUp(restoredAtMs: number): Promise<Place>;
  /** The ledger is about to be replaced by its backup. */
  beforeRestore(): void;
  /** The backup is there, and was built. */
  restored(place: Place): void;
  /** All goes well from now on. */
  heal(): void;
}

/** Runs the programs of a world, as a service manager and an operator do. */
export interface Operator {
  /** Starts a program, and again whenever it ends. */
  start(who: Program): void;
  /** Stops a program in good order and waits for its end. */
  stop(who: Program): Promise<void>;
  /** Who answers now; null if the program is down. */
  running(who: Program): Server | null;
  /** Runs a command to its end. */
  command(words: readonly string[], withinMs: number): Promise<number | null>;
  /** The programs of the release that is installed. */
  release(): Release;
  /** Tells those outside of backups and restores. */
  tell(outside: Told): void;
  /** Does what a history says. */
  live(happenings: readonly Happening[]): void;
  /** Ends every fault. */
  heal(): void;
  /** Removes what EDGAR answered before. */
  loseCache(): void;
}

/** Makes the operator of a world. `releases` are the versions of the programs, older first. */
export function createOperator(world: World, releases: readonly Release[]): Operator {
  const { schedule, history } = world;
  const everyone = history.followsEveryone ? 'all' : world.universe.join(',');
  const followWords = ['follow', '--universe', everyone, '--interval', String(history.intervalSeconds)];
  const processes = new Map<Program, Process>();
  /** Programs that are not started when they end. */
  const held = new Map<Program, number>();
  let release = 0;
  let second: Process | null = null;
  /** How many keys readers trust. */
  let keys = 1;
  let numbers = 0;
  let isHealed = false;
  let outside: Told | null = null;
  const platform = createPlatform(world, () => ({
    program: (releases[release] as Release).worker,
    environment: environmentWith(keys),
  }));

  function start(who: Program): void {
    if (who === 'worker') return platform.open();
    held.delete(who);
    if (processes.get(who)?.isAlive) return;
    const { build, service } = releases[release] as Release;
    const isFollower = who === 'follower';
    const process = world.run(
      who === 'mirror' ? world.mirror : world.machine,
      who,
      isFollower ? build : service,
      isFollower ? followWords : [],
      who === 'mirror'
        ? { ...environmentWith(keys), SNAPSHOTS_URL: snapshotsOrigin, SNAPSHOTS_DIR: '/kept' }
        : environmentWith(keys),
    );
    processes.set(who, process);
    world.trace(`${who} starts`);
    void process.ended.then((ended) => {
      world.trace(`${who} ${describeEnd(ended)}`);
      if (processes.get(who) === process)
        schedule.after(restartMs, always, () => held.has(who) || start(who));
    });
  }

  /** Starts a program again after a time, unless somebody else holds it down longer. */
  function startAfter(who: Program, downMs: number): void {
    const number = ++numbers;
    held.set(who, number);
    schedule.after(downMs, always, () => {
      if (held.get(who) === number) start(who);
    });
  }

  async function stop(who: Program): Promise<void> {
    if (who === 'worker') return platform.close();
    held.set(who, ++numbers);
    const process = processes.get(who);
    if (!process?.isAlive) return;
    process.signal();
    await process.ended;
  }

  function killAll(downMs: number): void {
    for (const who of ['follower', 'service'] as const) {
      processes.get(who)?.kill();
      startAfter(who, downMs);
    }
    for (const each of commands) each.kill();
  }

  const commands = new Set<Process>();
  async function command(words: readonly string[], ownSlowness = 1): Promise<number | null> {
    const { build } = releases[release] as Release;
    const given = words.map((word) => (word === 'EVERYONE' ? everyone : word));
    const isRollback = words[0] === 'rollback';
    const machine = { ...world.machine, slowness: () => world.slowness * ownSlowness };
    const process = world.run(machine, `command ${words[0]}`, build, given, environmentWith(keys));
    commands.add(process);
    if (isRollback) goBack(1);
    const ended = await process.ended;
    if (isRollback) goBack(-1);
    commands.delete(process);
    world.trace(`the command ${words[0]} ${describeEnd(ended)}`);
    return ended.code;
  }

  /** Takes note that a rollback begins (1) or ends (-1), or that the power is cut (0). */
  function goBack(more: 1 | 0 | -1): void {
    world.backwards.underway += more;
    world.backwards.times++;
  }

  /** Runs a command while other things happen. If nothing else does, it has to succeed. */
  async function commandBeside(words: readonly string[], ownSlowness = 1): Promise<void> {
    const startedMs = schedule.nowMs();
    const unwellMs = world.wellSinceMs();
    // A sync that fails waits for whoever syncs next.
    const isFirst = !world.look.exists(`${volume}/current.json`) || hasOneSnapshot();
    const mayFail = isFirst || world.machine.disk.failsToSync;
    const code = await command(words, ownSlowness);
    if (mayFail || code === null || code === 0 || world.clock.nowAheadMs() !== 0) return;
    if (unwellMs <= startedMs + healingMs && world.wellSinceMs() === unwellMs)
      world.fail(`the command ${words.join(' ')} fails while nothing is wrong`);
  }

  /** There is nothing that a rollback could go back to. */
  const hasOneSnapshot = () => world.look.list(`${volume}/manifests`).length < 2;

  /** Readers trust the new key first; ten minutes later the follower and all commands sign with it. */
  function changeKey(): void {
    const number = keys++;
    for (const who of ['service', 'mirror', 'worker'] as const) restart(who);
    schedule.after(keyAfterMs, always, () => {
      const descriptor = world.look.open(signingKeyFile, 'w');
      world.look.write(descriptor, Buffer.from(keyPair(number).privatePem));
      // Of the syncs one may fail, not two: whoever sees an error tries again.
      try {
        world.look.sync(descriptor);
      } catch {
        world.look.sync(descriptor);
      }
      world.look.close(descriptor);
      restart('follower');
    });
  }

  function restart(who: Program): void {
    if (who === 'worker') return platform.renew();
    startAfter(who, restartMs);
    processes.get(who)?.signal();
  }

  /** Starts a second follower beside the first one. */
  function startSecond(): void {
    const { build } = releases[release] as Release;
    const started = world.run(world.machine, 'second follower', build, followWords, environmentWith(keys));
    commands.add(started);
    second = started;
    void started.ended.then((ended) => {
      commands.delete(started);
      world.trace(`the second follower ${describeEnd(ended)}`);
    });
  }

  /** A fault that is under way for a time. */
  function during(happening: Happening & { readonly forMs: number }, begin = () => {}, end = () => {}): void {
    begin();
    world.faults.add(happening);
    schedule.after(happening.forMs, always, () => {
      if (!world.faults.delete(happening)) return;
      end();
      world.unwell(schedule.nowMs() + healingMs);
      world.trace(`over: ${describeHappening(happening)}`);
    });
  }

  /** Backs the ledger up, as `deploy/README.md` says, and restores it later. */
  async function backUp(happening: Happening, forMs: number): Promise<void> {
    await stop('follower');
    if (commands.size > 0 || !world.look.exists(`${volume}/ledger`)) return startAfter('follower', restartMs);
    const backup = takeBackup(world);
    startAfter('follower', restartMs);
    const place = await outside?.backedUp(schedule.nowMs() + forMs);
    world.trace(`the ledger is backed up: ${backup.size} files, up to entry ${place?.sequence ?? 0}`);
    schedule.after(forMs, always, () => {
      world.trace(`HAPPENS: the backup of ${new Date(happening.atMs).toISOString()} is restored`);
      killAll(longestMs);
      outside?.beforeRestore();
      restoreBackup(world, backup);
      goBack(0);
      world.restores.count++;
      world.published.forget();
      world.unwell(schedule.nowMs() + healingMs);
      void command(['build', '--ledger', `${volume}/ledger`]).then(() => {
        for (const who of ['follower', 'service'] as const) startAfter(who, restartMs);
        if (place) outside?.restored(place);
      });
    });
  }

  function loseCache(): void {
    world.look.remove(`${volume}/ledger/.cache`, true, true);
  }

  /** Lets something happen, or waits until there are as many snapshots as it wants. */
  function liveWhenBusy(happening: Happening): void {
    const folder = `${volume}/manifests`;
    const count = world.look.exists(folder) ? world.look.list(folder).length : 0;
    if (count >= (happening.snapshots ?? 0)) live(happening);
    else if (!isHealed) schedule.after(busyEveryMs, always, () => liveWhenBusy(happening));
  }

  function live(happening: Happening): void {
    world.trace(`HAPPENS: ${describeHappening(happening)}`);
    world.unwell(schedule.nowMs() + healingMs + ('downMs' in happening ? happening.downMs : 0));
    if (outside?.live(happening)) return;
    switch (happening.kind) {
      case 'kill':
        processes.get(happening.who)?.kill();
        return startAfter(happening.who, happening.downMs);
      case 'kill at a call':
        world.callEnds = {
          calls: happening.calls,
          end() {
            world.trace('the follower is killed in a call');
            processes.get('follower')?.kill();
            world.unwell(schedule.nowMs() + healingMs + happening.downMs);
            startAfter('follower', happening.downMs);
          },
        };
        return;
      case 'power cut':
        world.callEnds = {
          calls: happening.calls,
          end() {
            killAll(happening.downMs);
            const lost = world.machine.disk.cut(world.random);
            goBack(0);
            world.trace(`the power is cut: ${lost} changes of folders are lost`);
            world.unwell(schedule.nowMs() + healingMs + happening.downMs);
          },
        };
        return;
      case 'stop':
        startAfter(happening.who, happening.downMs);
        processes.get(happening.who)?.signal();
        return;
      case 'edgar':
        return during(happening);
      case 'host':
        if (happening.restarts)
          schedule.after(10_000, always, () => {
            processes.get('mirror')?.kill();
            startAfter('mirror', restartMs);
          });
        return during(happening);
      case 'full disk': {
        const { disk } = world.machine;
        return during(
          happening,
          () => (disk.capacityBytes = disk.usedBytes + happening.roomBytes),
          () => (disk.capacityBytes = Infinity),
        );
      }
      case 'sync fails':
        world.machine.disk.failsToSync = true;
        return;
      case 'clock':
        return during(
          happening,
          () => (world.clock.aheadMs += happening.byMs),
          () => (world.clock.aheadMs -= happening.byMs),
        );
      case 'command':
        world.slowness = happening.slowness;
        schedule.after(slowForMs, always, () => (world.slowness = 1));
        // A schedule that is too dense starts a command while the one before still runs.
        for (let each = 0; each < happening.times; each++)
          schedule.after(
            each * world.random.below(60),
            always,
            () => void commandBeside(happening.words, happening.ownSlowness),
          );
        return;
      case 'no cache':
        return loseCache();
      case 'update':
        release = Math.min(release + 1, releases.length - 1);
        for (const who of ['follower', 'service', 'mirror', 'worker'] as const) restart(who);
        return;
      case 'drift':
        return during(
          happening,
          () => world.clock.drift(happening.byMs),
          () => world.clock.drift(0),
        );
      case 'new key':
        return changeKey();
      case 'restore':
        return void backUp(happening, happening.forMs);
      // Those outside have done it.
      case 'endpoints hang':
      case 'kill outside':
        return;
      case 'second follower':
        if (second?.isAlive) return;
        return during(happening, startSecond, () => second?.signal());
    }
  }

  return {
    start,
    stop,
    release: () => releases[release] as Release,
    tell: (given) => void (outside = given),
    running(who) {
      if (who === 'worker') return platform.worker();
      const process = processes.get(who);
      return process?.isAlive === true ? process : null;
    },
    command: (words, withinMs) => world.until(command(words), withinMs),
    live(happenings) {
      for (const each of happenings)
        schedule.after(each.atMs - schedule.nowMs(), always, () => liveWhenBusy(each));
    },
    loseCache,
    heal() {
      isHealed = true;
      outside?.heal();
      world.faults.clear();
      world.callEnds = null;
      second?.signal();
      world.clock.aheadMs = 0;
      world.clock.drift(0);
      world.slowness = 1;
      world.machine.disk.capacityBytes = Infinity;
      world.machine.disk.failsToSync = false;
    },
  };
}
