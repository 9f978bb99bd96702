import { html } from '../pages/parts/html.ts';
import type { NamedCompany } from './filing-pages.ts';
import { byId, fill } from './page.ts';

/** Milliseconds without typing before companies are looked for. */
const pauseMs = 200;

/** Finds companies by a part of a name, or by a ticker symbol or CIK, the best ones first. */
type Find = (text: string) => Promise<readonly NamedCompany[]>;

/** Whether there is nothing to look for: no text, a CIK, or a single letter, which is a ticker symbol. */
const isPlain = (text: string) => text.length < 2 || /^\d+$/.test(text);

/** Offers the companies that fit while somebody types into a field. */
export function offerCompanies(field: HTMLInputElement, find: Find): void {
  let pause: ReturnType<typeof setTimeout> | undefined;
  const offered = byId(field.getAttribute('list') ?? '') as HTMLElement;
  field.addEventListener('input', () => {
    clearTimeout(pause);
    const text = field.value.trim();
    if (isPlain(text)) return;
    pause = setTimeout(async () => {
      const found = await find(text);
      if (field.value.trim() === text)
        fill(
          offered,
          html`${found.map(({ value, name }) => html`<option value="${value}">${name}</option>`)}`,
        );
    }, pauseMs);
  });
}

/** The ticker symbol or CIK that a text means: itself, or that of the first company with this name. */
export async function companyMeant(text: string, find: Find): Promise<string> {
  if (isPlain(text)) return text;
  const found = await find(text);
  const isSymbol = found.some(({ value }) => value === text.toUpperCase());
  return isSymbol ? text : (found[0]?.value ?? text);
}
