/** Text that is markup already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template. Text is escaped, markup is not; null, undefined and false give nothing. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text, escaped for markup and for attributes in double quotes. Most texts have nothing to escape. */
function escapeText(text: string): string {
  return !/[&<>"]/.test(text) ? text : text.replace(/[&<>"]/g, (character) => entities[character] as string);
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return '';
  return typeof part === 'object' ? part.map(render).join('') : escapeText(String(part));
}

/** The strings of each template without indentation, which only helps readers of the source. */
const tidied = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Markup from a template. Values are escaped unless they are markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let tidy = tidied.get(strings);
  if (!tidy) {
    tidy = strings.map((text) => text.replace(/\n\s*/g, '\n'));
    tidied.set(strings, tidy);
  }
  return filled(tidy, parts);
}

/** Markup whose white space counts, as in code. */
export function code(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return filled(strings, parts);
}

function filled(strings: readonly string[], parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (let at = 0; at < parts.length; at++) text += render(parts[at]) + (strings[at + 1] ?? '');
  return new Html(text);
}

/** A name that somebody else chose: characters in it that turn a line turn nothing around it. */
export function isolated(name: string): Html {
  return html`<bdi>${name}</bdi>`;
}

/** Text that is markup already, such as what `code` made. */
export function raw(text: string): Html {
  return new Html(text);
}
