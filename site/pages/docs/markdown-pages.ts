import { addressOf, textFile, type PublicFile } from '../../content/public-file.ts';
import type { SnapshotSettings } from '../../../src/format/snapshot.ts';
import type { Page } from '../parts/shell.ts';

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The text of markup without tags. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] as string);

/** A part of a paragraph as Markdown: code, emphasis and links. White space is one space. */
function inline(markup: string, settings: SnapshotSettings): string {
  const marked = markup
    .replaceAll(/<code[^>]*>([^]*?)<\/code>/g, (_, text: string) => `\`${text}\``)
    .replaceAll(/<strong[^>]*>([^]*?)<\/strong>/g, '**$1**')
    .replaceAll(
      /<a [^>]*?href="([^"]*)"[^>]*>([^]*?)<\/a>/g,
      (_, href: string, text: string) =>
        `[${text}](${href.startsWith('/') ? addressOf(settings, href) : href})`,
    );
  return textOf(marked).replaceAll(/\s+/g, ' ').trim();
}

/** A table as Markdown: its first row is the head. */
function tableText(markup: string, settings: SnapshotSettings): string {
  const rows = [...markup.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
      inline(cell, settings).replaceAll('|', '\\|'),
    ),
  );
  const [head = [], ...others] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  const rule = `|${(rows[0] ?? []).map(() => '---|').join('')}`;
  return [head, rule, ...others].join('\n');
}

/** The content of a page as Markdown. Blocks of code are kept as they are. */
function markdownOf({ title, description, body }: Page, settings: SnapshotSettings): string {
  const blocks: string[] = [];
  const keep = (text: string) => `\n<keep ${blocks.push(text) - 1}>\n`;
  const content = body.text
    .replace(/<nav class="docs-nav"[^]*$/, '')
    .replace(/^[^]*?<\/h1>/, '')
    .replace(/<p class="next">[^]*?<\/p>/, '')
    .replaceAll(
      /<div class="code"><div class="bar"><span>([^]*?)<\/span>[^]*?<pre[^>]*><code>([^]*?)<\/code><\/pre><\/div>/g,
      (_, label: string, code: string) =>
        keep(`${textOf(label)}:\n\n\`\`\`\n${textOf(code).trimEnd()}\n\`\`\``),
    )
    .replaceAll(/<table>[^]*?<\/table>/g, (table) => keep(tableText(table, settings)))
    .replaceAll(/<(form|label|button)\b[^]*?<\/\1>|<input[^>]*>/g, '');
  const pieces = content.split(
    /(<keep \d+>|<h[23][^>]*>[^]*?<\/h[23]>|<li[^>]*>[^]*?<\/li>|<p[^>]*>[^]*?<\/p>)/,
  );
  const texts = pieces.flatMap((piece) => {
    const kept = /^<keep (\d+)>$/.exec(piece)?.[1];
    if (kept !== undefined) return [`\n${blocks[Number(kept)]}\n`];
    const [, tag = '', inner = piece] = /^<(h2|h3|li|p)[^>]*>([^]*)<\/\1>$/.exec(piece) ?? [];
    const text = inline(inner, settings);
    if (text === '') return [];
    const before = { h2: '\n## ', h3: '\n### ', li: '- ' }[tag] ?? '\n';
    return [`${before}${text}${tag === 'li' ? '' : '\n'}`];
  });
  return `# ${title}\n\n> ${description}\n\n${texts.join('\n')}`.replaceAll(/\n{3,}/g, '\n\n').trimEnd();
}

/** Each guide as Markdown, beside its page: `/docs/polling.md` has what `/docs/polling` says. */
export function markdownFiles(pages: readonly Page[], settings: SnapshotSettings): PublicFile[] {
  return pages.map((page) =>
    textFile(`${page.path}.md`, `${markdownOf(page, settings)}\n`, 'text/markdown; charset=utf-8'),
  );
}
