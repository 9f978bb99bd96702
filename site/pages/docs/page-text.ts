const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The text in markup of a page, with `between` in place of each tag. */
export const textIn = (markup: string, between = ''): string =>
  markup
    .replaceAll(/<[^>]*>/g, between)
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] as string);
