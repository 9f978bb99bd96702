/** A section of a page, as the search of the documentation reads it. */
export interface SearchSection {
  readonly path: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** The path of the file in which the search looks. */
export const searchPath = '/docs/search.json';
