import { searchPath, type SearchSection } from '../pages/parts/search-sections.ts';

/** The search of the documentation. It fetches all sections when somebody begins to search, and looks in them. */
const shownMaximum = 8;
const field = document.getElementById('docs-search') as HTMLInputElement;
const list = document.getElementById('docs-found') as HTMLElement;
const said = document.getElementById('docs-said') as HTMLElement;
let sections: Promise<SearchSection[]> | null = null;

function load(): Promise<SearchSection[]> {
  return (sections ??= fetch(searchPath).then((response) => {
    if (!response.ok) throw new Error(String(response.status));
    return response.json() as Promise<SearchSection[]>;
  }));
}

/** How well a section fits: each word has to be in it, and counts more in its heading. Null if one is not. */
function fit({ heading, page, text }: SearchSection, words: readonly string[]): number | null {
  let sum = 0;
  for (const word of words) {
    const at = text.toLowerCase().indexOf(word);
    const points =
      (heading.toLowerCase().includes(word) ? 8 : 0) +
      (page.toLowerCase().includes(word) ? 2 : 0) +
      (at >= 0 ? 1 : 0);
    if (points === 0) return null;
    sum += points;
  }
  return sum;
}

/** The part of a text around the first word that it has. */
function excerpt(text: string, words: readonly string[]): string {
  const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...found, text.length) - 40);
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 120)}${from + 120 < text.length ? '…' : ''}`;
}

async function search(): Promise<void> {
  const asked = field.value;
  const words = asked
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return show([], words, '');
  try {
    const fits = (await load()).flatMap((section) => {
      const points = fit(section, words);
      return points === null ? [] : [{ section, points }];
    });
    if (field.value !== asked) return;
    const found = fits.sort((a, b) => b.points - a.points).map(({ section }) => section);
    show(
      found.slice(0, shownMaximum),
      words,
      `${found.length} ${found.length === 1 ? 'section' : 'sections'}`,
    );
  } catch {
    sections = null;
    show([], words, 'The search could not be loaded.');
  }
}

function show(found: readonly SearchSection[], words: readonly string[], text: string): void {
  said.textContent = text;
  list.replaceChildren(
    ...found.map(({ path, page, heading, text: whole }) => {
      const link = Object.assign(document.createElement('a'), { href: path, textContent: heading });
      const about = Object.assign(document.createElement('span'), {
        className: 'faint',
        textContent: `${page === heading ? '' : `${page}: `}${excerpt(whole, words)}`,
      });
      const entry = document.createElement('li');
      entry.append(link, about);
      return entry;
    }),
  );
}

field.addEventListener('focus', () => void load().catch(() => (sections = null)), { once: true });
field.addEventListener('input', () => void search());
field.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  field.value = '';
  void search();
});
field.form?.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
