import { instantText } from '../pages/parts/family-words.ts';

/** The members of `/health` that the page shows. */
interface Health {
  readonly snapshotId: string;
  readonly stale: boolean;
  readonly sample: boolean;
  readonly dataFetchedAt: string;
  readonly staleAfter: string;
  readonly pointerSignature: {
    readonly number: number;
    readonly expiresAt: string;
    readonly expired: boolean;
    readonly checked: boolean;
    readonly rollbackProtection: 'lasting' | 'this_process' | null;
  } | null;
}

function set(id: string, text: string, className = ''): void {
  const field = document.getElementById(id);
  if (field) Object.assign(field, { textContent: text, className });
}

function setInstant(field: Element | null, instant: string): void {
  field?.setAttribute('datetime', instant);
  if (field) field.textContent = instantText(instant);
}

function signatureText(signature: Health['pointerSignature']): string {
  if (signature === null) return 'not signed';
  const { number, expiresAt, expired, checked, rollbackProtection } = signature;
  return `signed, number ${number}, ${expired ? 'expired' : 'good until'} ${instantText(expiresAt)}${checked ? '' : ', not checked'}${rollbackProtection === 'this_process' ? '; older ones are refused until the service restarts' : ''}`;
}

/** Asks the service what it serves now. */
async function ask(): Promise<void> {
  try {
    const response = await fetch('/health', { headers: { accept: 'application/json' } });
    if (!response.ok) return set('service', `answers with status ${response.status}`, 'bad');
    const { snapshotId, stale, sample, dataFetchedAt, staleAfter, pointerSignature } =
      (await response.json()) as Health;
    const data = sample
      ? ' and serves a sample'
      : stale
        ? ', but its data is stale'
        : ', and its data is fresh';
    set('service', `works${data}`, stale ? 'bad' : 'good');
    set('snapshot', snapshotId);
    setInstant(document.querySelector('#fetched time'), dataFetchedAt);
    document.querySelector<HTMLElement>('#fetched .age')?.setAttribute('data-since', dataFetchedAt);
    setInstant(document.getElementById('stale'), staleAfter);
    set('signature', signatureText(pointerSignature), pointerSignature?.expired === true ? 'bad' : '');
  } catch {
    set('service', 'did not answer', 'bad');
  }
}

void ask();
setInterval(() => void ask(), 60_000);
