import { plainCommas } from '../pages/parts/requests.ts';
import { keyField, keyHeaders } from './key.ts';

/** Forms that send the requests of the reference. Only the memory of this page has the key. */
for (const form of document.querySelectorAll<HTMLFormElement>('.try form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}
document.getElementById('key-form')?.addEventListener('submit', (event) => event.preventDefault());

// The chosen language applies to all requests of the page.
document.addEventListener('change', ({ target }) => {
  const { language } = (target as HTMLElement).dataset;
  if (language === undefined) return;
  const top = (target as HTMLElement).getBoundingClientRect().top;
  for (const other of document.querySelectorAll<HTMLInputElement>(`[data-language="${language}"]`))
    other.checked = true;
  // Samples above may have become longer. Scroll, so that the reader's request stays in view.
  scrollBy({ top: (target as HTMLElement).getBoundingClientRect().top - top, behavior: 'instant' });
});

async function send(form: HTMLFormElement): Promise<void> {
  const outcome = form.querySelector('.outcome') as HTMLElement;
  const keyed = form.dataset['keyed'] !== undefined;
  if (keyed && keyField.value.trim() === '') {
    outcome.textContent = 'This operation needs a key: put it into the field at the top of the page.';
    keyField.focus();
    return;
  }
  const target = targetOf(form);
  outcome.textContent = 'Sending…';
  const startedAt = performance.now();
  try {
    const response = await fetch(target, {
      headers: { accept: 'application/json', ...(keyed ? keyHeaders() : {}) },
    });
    const text = await response.text();
    const milliseconds = Math.round(performance.now() - startedAt);
    outcome.textContent = `${response.status} ${response.ok ? 'OK' : 'refused'}, ${text.length.toLocaleString('en')} characters in ${milliseconds} ms: GET ${target}`;
    outcome.className = `outcome ${response.ok ? 'good' : 'bad'}`;
    show(form, text);
  } catch {
    outcome.textContent =
      'The service did not answer. If this page is a copy on another host, it has no operations.';
    outcome.className = 'outcome bad';
  }
}

function targetOf(form: HTMLFormElement): string {
  let path = form.dataset['path'] ?? '/';
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll('input')) {
    if (input.dataset['in'] === 'path')
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value.trim()));
    else if (input.value.trim() !== '') query.set(input.name, input.value.trim());
  }
  return query.size > 0 ? `${path}?${plainCommas(query)}` : path;
}

function show(form: HTMLFormElement, text: string): void {
  const answer =
    form.querySelector('pre') ??
    form.appendChild(Object.assign(document.createElement('pre'), { className: 'answer', tabIndex: 0 }));
  answer.setAttribute('role', 'region');
  answer.setAttribute('aria-label', 'The answer');
  try {
    answer.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    answer.textContent = text;
  }
}
