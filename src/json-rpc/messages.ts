/** How deep the objects and lists of a message may be nested. What the protocols define needs ten levels. */
const depthMaximum = 64;

/** The name by which a request is answered: its `id`; null if it has none that counts. */
export type RequestId = string | number | null;

/** The value that a text of JSON stands for, or a sentence that says why it is refused. */
export type ParsedMessage =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string };

/** Reads the text of a JSON-RPC message. Of members with the same name the last one counts. */
export function parseMessage(text: string): ParsedMessage {
  // Functions that walk through a value call themselves for each level, and deep ones would end them.
  if (depthOf(text) > depthMaximum)
    return { problem: `Parse error: the body is nested more than ${depthMaximum} levels deep` };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'Parse error: the body is no JSON' };
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject] = Buffer.from('"\\[]{}');

/** The greatest number of lists and objects that are open at once in a text of JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (isInString) {
      if (character === backslash) at++;
      else if (character === quote) isInString = false;
    } else if (character === quote) isInString = true;
    else if (character === openObject || character === openList) deepest = Math.max(deepest, ++depth);
    else if (character === closeObject || character === closeList) depth--;
  }
  return deepest;
}
