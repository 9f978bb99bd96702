import { answer } from '../../src/answers/answer.ts';
import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { parseQuery } from '../../src/query/target.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { examplePaths, type Example } from '../../site/content/examples.ts';
import type { Overview } from '../../site/content/overview.ts';

/**
 * Stands for the name of the snapshot in example answers. The real name depends on the content of all
 * documents, including those that show the examples, so no document can contain it.
 */
export const namePlaceholder = "<the snapshot's name>";

/**
 * Kinds of answers that have no example: public documents, because they are made from the examples, and
 * files, because they are not JSON.
 */
const withoutExample: readonly Endpoint['answer']['kind'][] = ['demo', 'openapi', 'reference', 'bulkFile'];

/**
 * Asks each operation its example, at the time when the data was fetched, with the function that answers all
 * requests. `snapshot` has tables and keyed documents; its public documents are made afterwards. An operation
 * without an answer, because the ledger is empty, has no example.
 */
export async function askExamples(snapshot: Snapshot, overview: Overview): Promise<Example[]> {
  const pathOf = examplePaths(overview);
  const asked = endpoints.filter(({ answer: plan }) => !withoutExample.includes(plan.kind));
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
    return { endpoint, path, body: JSON.parse(body().toString(), withoutCommit) };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Leaves out of examples which commit the program is of: the same ledger gives the same documents. */
const withoutCommit = (name: string, value: unknown): unknown => (name === 'commit' ? null : value);

/** Returns the value in a path at the position of `{name}` in its template. */
function valueInPath(template: string, path: string, name: string): string | undefined {
  const at = template.split('/').indexOf(`{${name}}`);
  const value = path.split('?')[0]?.split('/')[at];
  return value === undefined ? undefined : decodeURIComponent(value);
}
