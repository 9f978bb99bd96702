/**
 * The words of a name as search compares them. Accents and case are folded, and apostrophes are dropped.
 * Every other character that is neither letter nor digit separates words: `McDonald's Corp.` gives
 * `mcdonalds` and `corp`.
 */
export function foldWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’`]/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
