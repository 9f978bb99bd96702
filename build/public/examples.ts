import { answer } from '../../src/answers/answer.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { parseQuery } from '../../src/http/query.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import type { Catalogue } from '../views/catalogue.ts';
import { examplePaths, type Example } from '../views/examples.ts';

/** Operations whose answers are public documents: these are made of the examples, not the other way round. */
const documents: readonly Endpoint['answer']['kind'][] = ['demo', 'openapi'];

/**
 * Asks a snapshot what each operation answers to its example, with the function behind every door. An operation to which
 * the snapshot has no answer, because its ledger is empty, has no example.
 */
export async function askExamples(snapshot: Snapshot, catalogue: Catalogue): Promise<Example[]> {
  const pathOf = examplePaths(catalogue);
  const asked = (endpoints as readonly Endpoint[]).filter(({ answer: plan }) => !documents.includes(plan.kind));
  const found = await Promise.all(asked.map((endpoint) => ask(snapshot, endpoint, pathOf(endpoint))));
  return found.filter((example) => example !== null);
}

async function ask(snapshot: Snapshot, endpoint: Endpoint, path: string): Promise<Example | null> {
  try {
    const query = parseQuery(endpoint, path, (name) => valueInPath(endpoint.path, path, name));
    const { body } = await answer(snapshot, endpoint.answer, query, 0);
    return { endpoint, path, body: JSON.parse(body().toString()) };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** The value that stands in a path where its template has `{name}`. */
function valueInPath(template: string, path: string, name: string): string | undefined {
  const at = template.split('/').indexOf(`{${name}}`);
  const value = path.split('?')[0]?.split('/')[at];
  return value === undefined ? undefined : decodeURIComponent(value);
}
