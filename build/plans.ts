import { readFileSync } from 'node:fs';
import { Plan } from '../src/contract/snapshot.ts';
import { SettingsError } from '../src/settings/settings.ts';

/** Reads the plans that the subscriptions page shows from a JSON file. Throws `SettingsError`. */
export function readPlans(path: string | null): { plans?: Plan[] } {
  if (path === null) return {};
  try {
    return {
      plans: Plan.array()
        .max(12)
        .parse(JSON.parse(readFileSync(path, 'utf8'))),
    };
  } catch (error) {
    throw new SettingsError(`PLANS_FILE: ${path} is no list of plans: ${(error as Error).message}`);
  }
}
