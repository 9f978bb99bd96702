import { ageText } from '../pages/parts/family-words.ts';

/**
 * The script of every page. Before anything is painted, it writes the page's own address into requests and
 * says how long ago things were. It also copies code.
 */
const isServed = location.protocol.startsWith('http');
if (isServed)
  for (const part of document.querySelectorAll('[data-origin]')) part.textContent = location.origin;

/** Updates the texts that say how long ago something was. */
function tellAges(): void {
  for (const text of document.querySelectorAll<HTMLElement>('[data-since]')) {
    const age = ageText(Date.now() - Date.parse(text.dataset['since'] ?? ''));
    if (text.textContent !== age) text.textContent = age;
  }
}
tellAges();
setInterval(tellAges, 1000);

document.addEventListener('click', (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>('button.copy');
  if (button) void copy(button);
});

async function copy(button: HTMLButtonElement): Promise<void> {
  const code = button.closest('.code')?.querySelector('pre');
  if (!code) return;
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    // Without permission to write, the code is selected, so that one key copies it.
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), 1600);
}
