import { operationsPath } from '../pages/parts/operation-paths.ts';

/**
 * Fetches the page of an operation as soon as the reader points at a link to it or moves the focus there, so
 * that it is there when the reader follows the link.
 */
export function fetchAhead(): void {
  const fetched = new Set([location.pathname]);
  const look = ({ target }: Event) => {
    const link = (target as Element).closest<HTMLAnchorElement>(`a[href^="${operationsPath}"]`);
    if (!link || fetched.has(link.pathname)) return;
    fetched.add(link.pathname);
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'prefetch', href: link.pathname }),
    );
  };
  document.addEventListener('pointerover', look);
  document.addEventListener('focusin', look);
}
