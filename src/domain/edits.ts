/** The number of letters to insert, delete or replace to turn one text into another (Levenshtein). */
export function edits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const here = [row];
    for (let at = 1; at <= to.length; at++) {
      const replaced = (above[at - 1] as number) + (from[row - 1] === to[at - 1] ? 0 : 1);
      here.push(Math.min(replaced, (above[at] as number) + 1, (here[at - 1] as number) + 1));
    }
    above = here;
  }
  return above[to.length] as number;
}
