import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { minuteMs } from '../../src/time/units.ts';

/**
 * A pause that upstream asked this address for. It is kept in files, so that a program which starts meanwhile,
 * or runs beside, keeps it too. Times are in milliseconds.
 */
export interface KeptPause {
  /** How much of the pause is left; 0 if there is none. */
  leftMs(): number;
  /** Begins a pause, if it ends later than the one that is kept. */
  keep(pauseMs: number): void;
  /** Removes what is kept of a pause that is over. */
  forget(): void;
}

/** The name of the file that has the pause. */
export const pauseFile = 'pause.json';

const Kept = z.object({ beganAtMs: z.number(), pauseMs: z.number().min(0) });
type Kept = z.infer<typeof Kept>;

/** A pause that began later than this after now was kept under another clock, and says nothing. */
const clockDifferenceMs = minuteMs;

/**
 * Opens the pause that programs keep in some files, of which one is enough. `paths` returns those files that
 * can be used now. A file that cannot be read or understood says nothing, and no pause is longer than
 * `longestMs`. `now` is in milliseconds since 1970.
 */
export function openKeptPause(
  paths: () => readonly string[],
  longestMs: number,
  now: () => number,
): KeptPause {
  let isKnown = false;

  const leftOf = ({ beganAtMs, pauseMs }: Kept): number => {
    const passedMs = now() - beganAtMs;
    return passedMs < -clockDifferenceMs ? 0 : Math.min(pauseMs, longestMs) - Math.max(0, passedMs);
  };

  const left = () => Math.max(0, ...paths().map((path) => leftOf(read(path))));

  return {
    leftMs() {
      const leftMs = left();
      isKnown ||= leftMs > 0;
      return leftMs;
    },
    keep(pauseMs) {
      const kept: Kept = { beganAtMs: now(), pauseMs: Math.min(pauseMs, longestMs) };
      isKnown = true;
      for (const path of paths()) if (leftOf(read(path)) < kept.pauseMs) write(path, kept);
    },
    forget() {
      if (!isKnown || left() > 0) return;
      isKnown = false;
      for (const path of paths()) rmSync(path, { force: true });
    },
  };
}

const none: Kept = { beganAtMs: 0, pauseMs: 0 };

function read(path: string): Kept {
  try {
    return Kept.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return none;
  }
}

/** Writes a file as a whole. Where that fails, the pause is still kept by the program that was told it. */
function write(path: string, kept: Kept): void {
  const aside = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(aside, JSON.stringify(kept), { mode: 0o600 });
    renameSync(aside, path);
  } catch {
    rmSync(aside, { force: true });
  }
}
