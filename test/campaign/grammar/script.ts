import { randomOf, type Random } from '../random.ts';
import { valuesOf, type Facts, type HostileRequest, type Script } from '../request.ts';
import { agentRequest, toolRequests } from './messages.ts';
import { operationRequest, pathRequest } from './operations.ts';
import { pressureRequests } from './pressure.ts';
import { noise } from './wire.ts';

/** Makes a few requests that belong together. */
function someRequests(random: Random, facts: Facts): HostileRequest[] {
  return random.weighted<() => HostileRequest[]>([
    [45, () => [operationRequest(random, facts)]],
    [15, () => [pathRequest(random, facts)]],
    [22, () => toolRequests(random, facts)],
    [15, () => [agentRequest(random, facts)]],
    [3, () => pressureRequests(random, facts)],
  ])();
}

/** Whether the limit of its key can be reached between two such requests; a refusal counts the seconds left. */
const isLimited = (request: HostileRequest, { limitedKey }: Facts) =>
  valuesOf(request, 'x-api-key').includes(limitedKey);

/** Answers of these have an instant or a name of their own in them. */
const changing = /^\/(health|a2a|mcp|validate)|^\/v1\/sec\/stats|^\/v1\/validation/;

/**
 * What happens on connection `number` of the campaign with this seed: nothing else decides it but what is
 * known of the service.
 */
export function scriptOf(seed: number, number: number, facts: Facts): Script {
  const random = randomOf(seed, number);
  if (random.chance(0.25)) return { number, noise: noise(random, facts) };
  const requests: HostileRequest[] = [];
  for (let left = random.choose([1, 1, 2, 4, 8, 16, 32]); left > 0; left--) {
    const from = requests.length;
    for (const each of someRequests(random, facts))
      requests.push(each.sameAs === undefined ? each : { ...each, sameAs: each.sameAs + from });
    const last = requests.at(-1) as HostileRequest;
    if (random.chance(0.08) && !changing.test(last.target) && !isLimited(last, facts))
      requests.push({ ...last, sameAs: requests.length - 1 });
  }
  const pieces = Array.from({ length: random.choose([0, 0, 0, 1, 3, 10]) }, () => random.integer(1, 3000));
  return { number, requests, pieces, inTurns: random.chance(0.3) };
}
