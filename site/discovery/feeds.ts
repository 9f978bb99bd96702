import { ownershipSentence } from '../../src/contract/ownership-sentence.ts';
import { productDescription, productName } from '../../src/contract/product.ts';
import type { Filing } from '../../src/contract/records.ts';
import { itemTitle } from '../../src/domain/items.ts';
import { demoFilings } from '../documents/documents.ts';
import { eventText, familyLabel } from '../pages/parts/family-words.ts';
import { html } from '../pages/parts/html.ts';
import { addressOf, jsonFile, textFile, type PublicFile, type PublicInput } from '../content/public-file.ts';

/** Where the feeds for readers are. */
export const feedPaths = { json: '/feed.json', atom: '/feed.atom' } as const;

/** An entry of a feed for readers. */
interface Entry {
  readonly id: string;
  readonly url: string | null;
  readonly title: string;
  readonly text: string;
  /** ISO 8601 with an offset. */
  readonly at: string;
  readonly tags: readonly string[];
}

/**
 * What `/demo` shows, for readers of news: JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) and Atom (RFC 4287),
 * newest first.
 */
export function feedFiles(input: PublicInput): PublicFile[] {
  const { overview, settings } = input;
  const filings = new Map(demoFilings(overview).map((filing) => [filing.accessionNo, filing]));
  const entries = [...filings.values()]
    .map((filing) => entryOf(filing, overview.latestRun.createdAt))
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return [
    jsonFile(
      feedPaths.json,
      {
        version: 'https://jsonfeed.org/version/1.1',
        title: productName,
        description: productDescription,
        home_page_url: addressOf(settings, '/'),
        feed_url: addressOf(settings, feedPaths.json),
        language: 'en',
        items: entries.map(({ id, url, title, text, at, tags }) => ({
          id,
          ...(url === null ? {} : { url }),
          title,
          content_text: text,
          date_published: at,
          tags,
        })),
      },
      'application/feed+json',
    ),
    textFile(feedPaths.atom, atomOf(input, entries), 'application/atom+xml; charset=utf-8'),
  ];
}

/** The entry of a filing. One without any date has that of the newest run. */
function entryOf(filing: Filing, runAt: string): Entry {
  const { accessionNo, companyName, form, items, filedAt, acceptedAt, ownership } = filing;
  const filed = filedAt === null ? null : `${filedAt}T00:00:00Z`;
  const titles = items.map((item) => `${item} ${itemTitle(item) ?? ''}`.trim());
  const said = ownership === null ? titles.join('; ') : `${ownershipSentence(ownership)}.`;
  return {
    id: `urn:sec-accession:${accessionNo}`,
    url: filing.documentUrl ?? filing.detailUrl,
    title: `${companyName}: ${form}, ${eventText(filing)}`,
    text: said === '' ? familyLabel(filing.eventType) : said,
    at: acceptedAt ?? filed ?? filing.ingestedAt ?? runAt,
    tags: [form, filing.eventType],
  };
}

/** Characters that XML 1.0 does not allow. */
const notXml = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const plain = (text: string) => text.replace(notXml, '\u{FFFD}');

function atomOf({ settings, overview }: PublicInput, entries: readonly Entry[]): string {
  const own = addressOf(settings, feedPaths.atom);
  const { text } = html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
    <id>${own}</id><title>${productName}</title><subtitle>${productDescription}</subtitle>
    <updated>${entries[0]?.at ?? overview.latestRun.createdAt}</updated><author><name>${productName}</name></author>
    <link rel="self" type="application/atom+xml" href="${own}"/><link href="${addressOf(settings, '/')}"/>
    ${entries.map(
      ({ id, url, title, text: said, at, tags }) => html`<entry><id>${id}</id><title>${plain(title)}</title>
      ${url !== null && html`<link href="${plain(url)}"/>`}<updated>${at}</updated><published>${at}</published>
      <summary>${plain(said)}</summary>${tags.map((tag) => html`<category term="${plain(tag)}"/>`)}</entry>`,
    )}
    </feed>`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${text}\n`;
}
