import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { Plan } from '../src/contract/plan.ts';
import { SettingsError } from '../src/settings/settings.ts';

const plansMaximum = 12;

/** Reads the plans that the subscriptions page shows from a JSON file. Throws `SettingsError`. */
export function readPlans(path: string | null): { plans?: Plan[] } {
  if (path === null) return {};
  try {
    return {
      plans: Plan.array()
        .max(plansMaximum)
        .parse(JSON.parse(readFileSync(path, 'utf8'))),
    };
  } catch (error) {
    throw new SettingsError(`PLANS_FILE: ${path} is no list of plans: ${reasonOf(error as Error)}`);
  }
}

/** The first thing that is wrong, in words. */
function reasonOf(error: Error): string {
  const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
  if (issue === undefined) return error.message;
  const [at, ...members] = issue.path;
  const where =
    at === undefined ? '' : `plan ${Number(at) + 1}${members.map((name) => `, ${String(name)}`)}: `;
  return `${where}${issue.message}`;
}
