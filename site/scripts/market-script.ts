/** A click on the head of a column sorts its table. */
for (const table of document.querySelectorAll<HTMLTableElement>('table.sortable')) {
  table.tHead?.addEventListener('click', ({ target }) => {
    const head = (target as Element).closest('th');
    if (head) sort(table, head);
  });
}

function sort(table: HTMLTableElement, head: HTMLTableCellElement): void {
  const descending = head.getAttribute('aria-sort') === 'ascending';
  for (const other of head.parentElement?.children ?? []) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const body = table.tBodies[0] as HTMLTableSectionElement;
  const valueOf = (row: HTMLTableRowElement) => row.cells[head.cellIndex] as HTMLTableCellElement;
  const rows = [...body.rows].sort((a, b) => (descending ? -1 : 1) * compare(valueOf(a), valueOf(b)));
  body.append(...rows);
}

function compare(a: HTMLTableCellElement, b: HTMLTableCellElement): number {
  const [first, second] = [a.dataset['value'], b.dataset['value']];
  if (first !== undefined && second !== undefined) return Number(first) - Number(second);
  return (a.textContent ?? '').localeCompare(b.textContent ?? '', 'en');
}

// A view is counted once. A reader who returns from a request was counted before. One whose browser asks not
// to be tracked is not counted.
const view = document.getElementById('market')?.dataset['view'];
const isPrivate = (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
if (view !== undefined && location.hash !== '#requested' && !isPrivate) navigator.sendBeacon(view);
