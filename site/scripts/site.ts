import { ageText } from '../pages/parts/words.ts';

/**
 * What every page does: shows its own address in requests and how long ago things were, before anything is
 * painted, and copies code as it is shown.
 */
const isServed = location.protocol.startsWith('http');
if (isServed)
  for (const part of document.querySelectorAll('[data-origin]')) part.textContent = location.origin;

/** Texts that grow old while the page is open. */
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
    // Without leave to write, the text is marked: one key copies it.
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), 1600);
}
