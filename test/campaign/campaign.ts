import { liveBeside } from '../bench/load.ts';
import { play, type Heard } from './client.ts';
import { scriptOf } from './grammar/script.ts';
import { learn } from './learn.ts';
import { must, type Fault } from './fault.ts';
import { createOracle, repetitionFaults, type Oracle } from './oracle.ts';
import { bytesOf, type Script } from './request.ts';
import type { Service } from './service.ts';

/** A fault with what is needed to see it again. */
export interface Failure extends Fault {
  readonly seed: number;
  /** The number of the script; everything follows from it and the seed. */
  readonly script: number;
  /** The production of the grammar. */
  readonly kind: string;
  /** The number of the request in its script. */
  readonly at: number;
  /** The exact bytes of the request. */
  readonly bytes: Buffer;
}

/** How a campaign went. */
export interface Outcome {
  readonly requests: number;
  readonly connections: number;
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The first failures of each rule and kind. */
  readonly failures: readonly Failure[];
  /** All failures, counted by rule and kind of request. */
  readonly counts: ReadonlyMap<string, number>;
  /** What the service itself logged as an error. */
  readonly logged: readonly string[];
  readonly peakRssBytes: number;
  /** How many milliseconds `/livez` took meanwhile, a hundred times a second. */
  readonly liveMs: readonly number[];
}

/** What a campaign is to do. */
export interface Plan {
  readonly requests: number;
  readonly seed: number;
  readonly connectionsAtOnce?: number;
  /** Plays this script alone. */
  readonly only?: number;
  readonly progress?: (requests: number, failures: number) => Promise<void>;
}

const kept = 3;
const progressEvery = 5000;

/** Sends hostile requests to a service until there were so many, and looks at every answer. */
export async function runCampaign(service: Service, plan: Plan): Promise<Outcome> {
  const { requests: wanted, seed, connectionsAtOnce = 16, only, progress } = plan;
  const facts = await learn(service);
  const oracle = createOracle(facts);
  const statuses = new Map<number, number>();
  const counts = new Map<string, number>();
  const failures: Failure[] = [];
  let [sent, next, connections, announced, failed] = [0, 0, 0, 0, 0];

  function note(failure: Failure): void {
    const key = `${failure.rule} · ${failure.kind}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    failed++;
    if (count <= kept) failures.push(failure);
  }

  async function playOne(number: number): Promise<void> {
    const script = scriptOf(seed, number, facts);
    const heard = await play(service.port, script);
    connections++;
    sent += 'requests' in script ? script.requests.length : 1;
    for (const { status } of heard.answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    failuresOf(seed, script, heard, oracle).forEach(note);
  }

  async function client(): Promise<void> {
    while (sent < wanted && service.exitedWith() === null) {
      await playOne(next++);
      if (sent - announced < progressEvery) continue;
      announced = sent;
      await progress?.(sent, failed);
    }
  }

  const clients = only === undefined ? connectionsAtOnce : 0;
  const liveMs = await liveBeside(service, async () => {
    if (only !== undefined) await playOne(only);
    await Promise.all(Array.from({ length: clients }, client));
  }).catch((error: Error) => {
    if (service.exitedWith() === null) throw error;
    return [];
  });
  if (service.exitedWith() !== null)
    throw new Error(`the service ended with ${service.exitedWith()}: ${service.logged().slice(-2000)}`);
  const { status } = await fetch(`http://127.0.0.1:${service.port}/health`);
  if (status !== 200) throw new Error(`/health answers ${status} after the campaign`);
  const logged = service
    .logged()
    .split('\n')
    .filter((line) => line.startsWith('{') && /"event":"error"/.test(line));
  return {
    requests: sent,
    connections,
    statuses,
    failures,
    counts,
    logged,
    peakRssBytes: (await service.usage()).peakRssBytes,
    liveMs,
  };
}

function failuresOf(seed: number, script: Script, { answers, trouble }: Heard, oracle: Oracle): Failure[] {
  const base = { seed, script: script.number };
  const [rule = '', ...details] = (trouble ?? '').split(': ');
  const ofConnection = must(trouble === null, rule, () => details.join(': '));
  if ('noise' in script) {
    const { noise } = script;
    const faults = [...answers.flatMap((answer, at) => oracle.ofNoise(noise, answer, at)), ...ofConnection];
    return faults.map((fault) => ({
      ...base,
      kind: `wire: ${noise.kind}`,
      at: 0,
      bytes: noise.bytes,
      ...fault,
    }));
  }
  return script.requests.flatMap((request, at) => {
    const answer = answers[at];
    const before = request.sameAs === undefined ? undefined : answers[request.sameAs];
    const faults = [
      ...(answer ? oracle.ofRequest(request, answer) : []),
      ...(answer && before ? repetitionFaults(before, answer) : []),
      // The first request without an answer is the faulty one.
      ...(at === Math.min(answers.length, script.requests.length - 1) ? ofConnection : []),
    ];
    return faults.map((fault) => ({ ...base, kind: request.kind, at, bytes: bytesOf(request), ...fault }));
  });
}
