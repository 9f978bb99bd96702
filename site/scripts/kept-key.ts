import { findKey, forgetKey, keepKey, keyField } from './key.ts';
import { byId, say } from './page.ts';
import { ask, type Outcome } from './ask-service.ts';
import { countText } from '../pages/parts/family-words.ts';

const remember = byId('remember') as HTMLInputElement;

/** Puts the key that the browser kept into the form. */
export function showKept(): void {
  remember.checked = findKey();
}

byId('other-key')?.addEventListener('click', () => {
  keyField.form?.classList.remove('kept');
  keyField.select();
});

/** Keeps the key of the form, which the service has accepted, and says so. */
export function keepAccepted(worksFor = ''): void {
  keepKey(remember.checked);
  say('key-trouble', '');
  say(
    'key-note',
    `The key works${worksFor}. ${remember.checked ? 'This device remembers it.' : 'This tab forgets it when you close it.'}`,
  );
}

/** Tries the key of the form, and keeps it if the service accepts it. */
export async function tryKey(): Promise<Outcome<{ data: { companyCount: number } }>> {
  const outcome = await ask<{ data: { companyCount: number } }>('/v1/sec/stats');
  const { body, trouble } = outcome;
  if (body) keepAccepted(` for ${countText(body.data.companyCount, 'company')}`);
  else {
    // The reader looks at the field of the key, so every problem is shown there.
    say('key-trouble', trouble.text);
    if (trouble.about === 'key') forgetKey();
    keyField.focus();
  }
  return outcome;
}
