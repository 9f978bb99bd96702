import { here, run, type Server } from './child.ts';
import { decimal, median, type Row } from './row.ts';

const warmUps = 2;
const rounds = 5;
const roundSeconds = 1;

/** A request that is sent over and over to a server. With a body it is a POST. */
export interface Load {
  readonly server: Server;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  readonly body?: string;
}

/** What a server did in the rounds: medians. */
export interface Rate {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
}

/** Sends each load in turn, several times, so that what else the machine does meets all of them. */
export async function rates(loads: readonly Load[]): Promise<Rate[]> {
  const measured = loads.map(() => [] as Rate[]);
  for (let round = -warmUps; round < rounds; round++) {
    for (const [at, load] of loads.entries()) {
      const rate = await rateOf(load);
      if (round >= 0) measured[at]?.push(rate);
    }
  }
  return measured.map((all) => ({
    requestsPerSecond: median(all.map((rate) => rate.requestsPerSecond)),
    cpuMicroseconds: median(all.map((rate) => rate.cpuMicroseconds)),
  }));
}

async function rateOf({ server, path, headers, status, body }: Load): Promise<Rate> {
  const before = await server.usage();
  const words = [String(server.port), path, JSON.stringify(headers), String(roundSeconds), String(status), ...(body === undefined ? [] : [body])];
  const { result } = await run<{ requests: number; seconds: number }>({ script: here('processes/load.mjs'), arguments: words });
  const { cpuSeconds } = await server.usage();
  if (!result) throw new Error(`${path}: nothing was measured`);
  return { requestsPerSecond: result.requests / result.seconds, cpuMicroseconds: ((cpuSeconds - before.cpuSeconds) / result.requests) * 1e6 };
}

/**
 * The bound is on the processor time of a request: the client, and whatever else the machine does, share its cores with the
 * server, so that the rate says how busy the machine was. On a machine with cores to spare both ratios are the same.
 */
export function compare(what: string, peer: string, ours: Rate | undefined, theirs: Rate | undefined, least: number): Row {
  if (!ours || !theirs) throw new Error(`${what}: nothing was measured`);
  const cpu = theirs.cpuMicroseconds / ours.cpuMicroseconds;
  const rate = ours.requestsPerSecond / theirs.requestsPerSecond;
  const digits = least < 1 ? 2 : 1;
  const describe = ({ requestsPerSecond, cpuMicroseconds }: Rate) => `${decimal(cpuMicroseconds, 1)} us ${decimal(requestsPerSecond)}/s`;
  return {
    what,
    measured: `${cpu.toFixed(digits)} by CPU time, ${rate.toFixed(digits)} by rate (${describe(ours)}; ${describe(theirs)})`,
    bound: `>= ${least} of ${peer}`,
    holds: cpu >= least,
  };
}
