import { LRUCache } from 'lru-cache';
import { digestOf } from './digest.ts';
import { callerLimits, createKeyLimit, type CallerLimits, type KeyLimit } from './limit.ts';

/** The caller of a request that came through the gateway, if the gateway does not name the buyer. */
export const gatewayCaller = 'gateway';

/** Names of buyers that are shown as they are: they need no escaping in logs, metrics and tables. */
const plainName = /^[\w.@-]{1,64}$/;
/** The counts of more buyers than this are not kept: those of who made no request for longest go first. */
const buyersMaximum = 20_000;
/** Stands for all plans that have no limit of their own. */
const anyPlan = '*';

/** The buyers of the gateway: each is a caller of its own, with the limit of its plan. */
export interface Buyers extends CallerLimits {
  /**
   * The caller for the buyer that the gateway names, whose plan is `plan`. A name that is not plain is shown
   * as `#` and the beginning of its digest.
   */
  callerOf(name: string | undefined, plan: string | undefined): string;
}

/**
 * Knows buyers by the plans of whom `perMinute` gives the limits. Plans are compared without case. Their callers begin with
 * `prefix`.
 */
export function createBuyers(perMinute: ReadonlyMap<string, number>, prefix = gatewayCaller): Buyers {
  const ofPlans = new Map([...perMinute].map(([plan, limit]) => [plan.toLowerCase(), limit]));
  const limits = new LRUCache<string, KeyLimit>({ max: buyersMaximum });

  return {
    callerOf(name = '', plan = '') {
      const shown = name === '' || plainName.test(name) ? name : `#${digestOf(name).slice(0, 16)}`;
      const caller = shown === '' ? prefix : `${prefix}:${shown}`;
      const limit = ofPlans.get(plan.toLowerCase()) ?? ofPlans.get(anyPlan);
      if (limit === undefined) limits.delete(caller);
      else if (limits.get(caller)?.perMinute !== limit)
        limits.set(caller, createKeyLimit(limit, limits.get(caller)));
      return caller;
    },
    ...callerLimits((caller) => limits.get(caller)),
  };
}
