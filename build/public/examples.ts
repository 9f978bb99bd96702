import { answer } from '../../src/answers/answer.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { parseQuery } from '../../src/query/target.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { examplePaths, type Example } from '../content/examples.ts';
import type { Overview } from '../content/overview.ts';

/**
 * Stands where an answer names its snapshot. The real name follows from everything that is in the snapshot,
 * also from the documents that show the examples: no document in it can know that name.
 */
export const namePlaceholder = "<the snapshot's name>";

/**
 * Operations whose answers are public documents, which are made of the examples, not the other way round; and
 * files, which are no JSON.
 */
const withoutExample: readonly Endpoint['answer']['kind'][] = ['demo', 'openapi', 'reference', 'bulkFile'];

/**
 * What each operation answers to its example at the moment when the data was fetched, by the function that
 * answers all requests. `snapshot` has its tables and keyed documents; public documents are made after this.
 * An operation that has no answer, because the ledger is empty, has no example.
 */
export async function askExamples(snapshot: Snapshot, overview: Overview): Promise<Example[]> {
  const pathOf = examplePaths(overview);
  const asked = (endpoints as readonly Endpoint[]).filter(
    ({ answer: plan }) => !withoutExample.includes(plan.kind),
  );
  const found = await Promise.all(asked.map((endpoint) => ask(snapshot, endpoint, pathOf(endpoint))));
  return found.filter((example) => example !== null);
}

async function ask(snapshot: Snapshot, endpoint: Endpoint, path: string): Promise<Example | null> {
  try {
    const query = parseQuery(endpoint, path, (name) => valueInPath(endpoint.path, path, name));
    const { body } = await answer(
      snapshot,
      endpoint.answer,
      query,
      Date.parse(snapshot.manifest.generatedAt),
    );
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
