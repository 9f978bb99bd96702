import { play } from './client.ts';
import { scriptOf } from './grammar/script.ts';
import { learn } from './learn.ts';
import { createOracle, repetitionFaults, type Fault, type Oracle } from './oracle.ts';
import { bytesOf, type Script } from './request.ts';
import type { Service } from './service.ts';
import type { Answered } from './response.ts';

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
}

/** What a campaign is to do. */
export interface Plan {
  readonly requests: number;
  readonly seed: number;
  readonly connectionsAtOnce?: number;
  /** Plays this script alone. */
  readonly only?: number;
  readonly progress?: (requests: number, failures: number) => void;
}

const kept = 3;
const progressEvery = 5000;

/** Sends hostile requests to a service until there were so many, and looks at every answer. */
export async function runCampaign(service: Service,
  { requests: wanted, seed, connectionsAtOnce = 16, only, progress }: Plan): Promise<Outcome> {
  const facts = await learn(service);
  const oracle = createOracle(facts);
  const statuses = new Map<number, number>();
  const counts = new Map<string, number>();
  const failures: Failure[] = [];
  let [sent, next, connections, announced] = [0, 0, 0, 0];

  const fail = (failure: Failure) => {
    const key = `${failure.rule} · ${failure.kind}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= kept) failures.push(failure);
  };

  async function client(): Promise<void> {
    while (sent < wanted && service.exitedWith() === null) {
      const script = scriptOf(seed, next++, facts);
      const heard = await play(service.port, script);
      connections++;
      sent += 'requests' in script ? script.requests.length : 1;
      for (const { status } of heard.answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      failuresOf(seed, script, heard.answers, heard.trouble, oracle).forEach(fail);
      if (sent - announced >= progressEvery) {
        announced = sent;
        progress?.(sent, [...counts.values()].reduce((sum, count) => sum + count, 0));
      }
    }
  }

  if (only === undefined) await Promise.all(Array.from({ length: connectionsAtOnce }, client));
  else {
    const script = scriptOf(seed, only, facts);
    const heard = await play(service.port, script);
    [sent, connections] = ['requests' in script ? script.requests.length : 1, 1];
    failuresOf(seed, script, heard.answers, heard.trouble, oracle).forEach(fail);
  }
  if (service.exitedWith() !== null) throw new Error(`the service ended with ${service.exitedWith()}: ${service.log().slice(-2000)}`);
  const health = await fetch(`http://127.0.0.1:${service.port}/health`);
  if (health.status !== 200) throw new Error(`/health answers ${health.status} after the campaign`);
  const logged = service.log().split('\n').filter((line) => line.startsWith('{"time"')
    && /"event":"(error|uncaught|fault)"/.test(line));
  return { requests: sent, connections, statuses, failures, counts, logged,
    peakRssBytes: service.peakRssBytes() };
}

function failuresOf(seed: number, script: Script, answers: readonly Answered[], trouble: string | null,
  oracle: Oracle): Failure[] {
  const failures: Failure[] = [];
  if ('noise' in script) {
    const { kind, bytes } = script.noise;
    const base = { seed, script: script.number, kind: `wire: ${kind}`, at: 0, bytes };
    for (const [at, answer] of answers.entries()) for (const fault of oracle.ofNoise(answer,
      at === 0 ? script.noise : {})) failures.push({ ...base, ...fault });
    if (trouble !== null) failures.push({ ...base, rule: ruleOf(trouble), detail: trouble });
    return failures;
  }
  const { requests } = script;
  const failed = (at: number, fault: Fault) => {
    const request = requests[Math.min(at, requests.length - 1)];
    if (request) failures.push({ seed, script: script.number, kind: request.kind, at, bytes: bytesOf(request),
      ...fault });
  };
  for (const [at, answer] of answers.entries()) {
    const request = requests[at];
    if (!request) break;
    for (const fault of oracle.ofRequest(request, answer)) failed(at, fault);
    const before = request.sameAs === undefined ? undefined : answers[request.sameAs];
    if (before) for (const fault of repetitionFaults(before, answer)) failed(at, fault);
  }
  if (trouble !== null) failed(answers.length, { rule: ruleOf(trouble), detail: trouble });
  return failures;
}

/** Troubles of connections are counted by what stands before their details. */
function ruleOf(trouble: string): string {
  return trouble.split(':')[0] as string;
}
