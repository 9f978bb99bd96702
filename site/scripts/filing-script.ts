import { filingView, formName, type KnownFiling } from '../pages/parts/filing-view.ts';
import { html } from '../pages/parts/html.ts';
import type { Change, FilingSummary } from '../../src/contract/records.ts';
import type { OwnershipDocument } from '../../src/contract/ownership-document.ts';
import { keyField } from './key.ts';
import { showKept, tryKey } from './kept-key.ts';
import { readChanges } from './feed-pages.ts';
import { byId, fill, say } from './page.ts';
import { ask, type Outcome } from './ask-service.ts';

/** The page of a filing, which the address names: from the public sample, or from answers of the service with a key. */
const part = byId('filing') as HTMLElement;
const accessionNo = location.pathname.split('/').at(-1) ?? '';
const { title } = document;

/** What the page of a filing is made from without a key. */
interface OpenBody {
  /** Null for a filing that is not in the public sample. */
  readonly data: KnownFiling | null;
  readonly meta: { readonly detailUrl: string | null };
}

async function fromService(): Promise<Outcome<KnownFiling>> {
  const path = `/v1/sec/forms/${accessionNo}`;
  const { body, trouble } = await ask<{ data: FilingSummary }>(`${path}/summary`);
  if (!body) return { trouble };
  const summary = body.data;
  const [ownership, changes] = await Promise.all([
    summary.ownership === null ? null : ask<{ data: OwnershipDocument }>(`${path}/ownership`),
    changesOf(summary),
  ]);
  return { body: { summary, ownership: ownership?.body?.data ?? null, changes } };
}

/** The entries of the change feed about the filing, oldest first. */
async function changesOf({ cik, filedAt }: FilingSummary): Promise<Change[]> {
  if (filedAt === null) return [];
  const { changes } = await readChanges({ ticker: cik, since: filedAt, until: filedAt });
  return changes.filter(({ filing }) => filing.accessionNo === accessionNo);
}

function show(filing: KnownFiling): void {
  part.removeAttribute('aria-busy');
  fill(part, filingView(filing, location.origin));
  const { form, companyName } = filing.summary;
  document.title = `${formName(form)} of ${companyName} · ${title}`;
}

function sayInstead(text: string, detailUrl: string | null = null): void {
  part.removeAttribute('aria-busy');
  fill(
    part,
    html`<div class="title"><h1>Filing ${accessionNo}</h1></div><p class="note gap">${text}${detailUrl !== null && html` <a href="${detailUrl}" rel="noopener">The filing at the SEC</a>`}</p>`,
  );
}

/** Shows the filing with the key of the form. Returns whether the service accepts the key. */
async function useKey(): Promise<boolean> {
  const { body } = await tryKey();
  if (!body) return false;
  const { body: filing, trouble } = await fromService();
  if (filing) show(filing);
  else if (trouble.about === 'key') say('key-trouble', trouble.text);
  else
    sayInstead(
      trouble.code === 'filing_not_found' ? 'This service does not have this filing.' : trouble.text,
    );
  return true;
}

async function showOpen(): Promise<void> {
  const answer = await fetch(`/filing/${accessionNo}.json`).catch(() => null);
  if (!answer?.ok)
    return sayInstead(
      answer?.status === 404
        ? 'This service does not have this filing.'
        : 'The service did not answer. Try again.',
    );
  const { data, meta } = (await answer.json()) as OpenBody;
  if (data) show(data);
  else
    sayInstead('The public sample does not have this filing. You need a key to see it here.', meta.detailUrl);
}

byId('key-form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  void useKey();
});
showKept();
if (keyField.value.trim() === '') void showOpen();
else void useKey().then((isGood) => (isGood ? undefined : showOpen()));
