import type { Html } from '../pages/parts/html.ts';

/** The part of the page with that id, or null. */
export const byId = (id: string) => document.getElementById(id);

/**
 * Fills a part of the page with markup. Only templates make `Html`, and they escape every text, so an answer
 * of the service cannot become markup.
 */
export function fill(part: Element, content: Html): void {
  part.innerHTML = content.text;
}

/** The first element of markup. */
export function elementOf(content: Html): Element {
  const holder = document.createElement('template');
  holder.innerHTML = content.text;
  return holder.content.firstElementChild as Element;
}

/** Writes a text into a part of the page. Screen readers announce it. */
export function say(id: string, text: string): void {
  const part = byId(id);
  if (part && part.textContent !== text) part.textContent = text;
}
