/**
 * The field for the reader's key. Only the memory of this page has the key: no address, no cookie and no
 * storage of the browser.
 */
export const keyField = document.getElementById('key') as HTMLInputElement;

/** The header of requests that need a key. */
export function keyHeaders(): Record<string, string> {
  return { 'x-api-key': keyField.value.trim() };
}
