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

/** A text, escaped for markup and for attributes in double quotes. */
function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] as string);
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return '';
  return typeof part === 'object' ? part.map(render).join('') : escapeText(String(part));
}

/** Markup from a template. Values are escaped unless they are markup. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  // Indentation only helps readers of the source.
  const tidy = (text: string) => text.replace(/\n\s*/g, '\n');
  return new Html(
    strings.reduce(
      (text, string, at) => text + tidy(string) + (at < parts.length ? render(parts[at]) : ''),
      '',
    ),
  );
}

/** Markup whose white space counts, as in code. */
export function code(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(
    strings.reduce((text, string, at) => text + string + (at < parts.length ? render(parts[at]) : ''), ''),
  );
}

/** Text that is markup already, such as what `code` made. */
export function raw(text: string): Html {
  return new Html(text);
}
