// Texts and the JSON that stands for them, as compact observations hold it.

/** The JSON of a list without values. */
export const none = '[]';

/** The JSON of a text that needs no escapes, or of null. */
export const plainOf = (text: string | null) => (text === null ? 'null' : `"${text}"`);

/** The JSON of a text or of null. */
export const jsonOf = (text: string | null) =>
  text === null ? 'null' : plainText.test(text) ? `"${text}"` : JSON.stringify(text);

/** Texts that JSON does not escape: nearly all. To look takes a quarter of the time of writing JSON. */
const plainText = /^[ !#-[\]-~]*$/;

/** The text of a value that is JSON; null if there is none. */
export function textOf(json: string | undefined): string | null {
  if (json === undefined || json === '' || json === 'null') return null;
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}
