import { plainCommas } from '../pages/parts/code-block.ts';
import { fetchAhead } from './ahead.ts';
import { forgetKey, keyField, keyHeaders } from './key.ts';
import { keepAccepted, showKept, tryKey } from './kept-key.ts';
import { byId, say } from './page.ts';

/** The page of an operation: the form that sends its request, with the key and the language of the page before. */
const form = byId('try') as HTMLFormElement | null;
const isKeyed = form?.dataset['keyed'] !== undefined;
const languageName = 'language';

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void send(form);
});
byId('key-form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  void tryKey();
});
document.addEventListener('change', ({ target }) => {
  const { language } = (target as HTMLElement).dataset;
  if (language === undefined) return;
  try {
    sessionStorage.setItem(languageName, language);
  } catch {
    // Then the next page begins with the first language.
  }
});

/** Shows the key and the language that another page kept. */
function showChoices(): void {
  if (isKeyed) showKept();
  try {
    const language = sessionStorage.getItem(languageName);
    for (const choice of document.querySelectorAll<HTMLInputElement>('[data-language]'))
      choice.checked ||= choice.dataset['language'] === language;
  } catch {
    // Then the page begins with the first language.
  }
}
showChoices();
// A page to which the reader goes back is as it was when the reader left it.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) showChoices();
});
fetchAhead();
// Where the navigation does not fit the window, the reader sees the operation in it and its neighbours.
const navigation = byId('docs-nav') as HTMLElement;
const current = navigation.querySelector<HTMLElement>('[aria-current="page"]');
navigation.scrollTop = (current?.offsetTop ?? 0) - navigation.clientHeight / 2;

async function send(tried: HTMLFormElement): Promise<void> {
  if (isKeyed && keyField.value.trim() === '') {
    say('outcome', 'This operation needs a key: put it into the field above.');
    keyField.focus();
    return;
  }
  const target = targetOf(tried);
  say('outcome', 'Sending…');
  const startedAt = performance.now();
  try {
    const response = await fetch(target, {
      headers: { accept: 'application/json', ...(isKeyed ? keyHeaders() : {}) },
    });
    const text = await response.text();
    const milliseconds = Math.round(performance.now() - startedAt);
    tell(
      response.ok,
      `${response.status} ${response.ok ? 'OK' : 'refused'}, ${text.length.toLocaleString('en')} characters in ${milliseconds} ms: GET ${target}`,
    );
    show(tried, text);
    if (isKeyed && response.ok) keepAccepted();
    if (isKeyed && response.status === 401) {
      forgetKey();
      say('key-note', 'The service does not accept this key, so your browser keeps none.');
    }
  } catch {
    tell(false, 'The service did not answer. If this page is a copy on another host, it has no operations.');
  }
}

/** Says how a request ended. */
function tell(isGood: boolean, text: string): void {
  say('outcome', text);
  byId('outcome')?.setAttribute('class', `outcome ${isGood ? 'good' : 'bad'}`);
}

function targetOf(tried: HTMLFormElement): string {
  let path = tried.dataset['path'] ?? '/';
  const query = new URLSearchParams();
  for (const input of tried.querySelectorAll('input')) {
    if (input.dataset['in'] === 'path')
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value.trim()));
    else if (input.value.trim() !== '') query.set(input.name, input.value.trim());
  }
  return query.size > 0 ? `${path}?${plainCommas(query)}` : path;
}

function show(tried: HTMLFormElement, text: string): void {
  const answer =
    tried.querySelector('pre') ??
    tried.appendChild(Object.assign(document.createElement('pre'), { className: 'answer', tabIndex: 0 }));
  answer.setAttribute('role', 'region');
  answer.setAttribute('aria-label', 'The answer');
  try {
    answer.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    answer.textContent = text;
  }
}
