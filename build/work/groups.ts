/** Rows in groups of so many, which are looked up together; the last group may be smaller. */
export function* groupsOf<Row>(rows: Iterable<Row>, size: number): Generator<Row[]> {
  let group: Row[] = [];
  for (const row of rows) {
    group.push(row);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
