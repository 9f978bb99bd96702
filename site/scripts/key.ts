/**
 * The field that the reader puts a key into. Only the memory of this page holds it: never an address, a
 * cookie or the browser's storage.
 */
export const keyField = document.getElementById('key') as HTMLInputElement;

/** The header of requests that need a key. */
export function keyHeaders(): Record<string, string> {
  return { 'x-api-key': keyField.value.trim() };
}
