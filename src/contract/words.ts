/**
 * The words of a name as search compares them: accents and case folded, apostrophes dropped, every other
 * character that is neither letter nor digit a division. `McDonald's Corp.` gives `mcdonalds` and `corp`.
 */
export function foldWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’`]/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
