/** The path of the index of all operations. */
export const operationsPath = '/docs/reference';

/** The path of the page of an operation. */
export function operationPath(id: string): string {
  return `${operationsPath}/${id}`;
}
