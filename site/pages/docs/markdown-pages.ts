import { addressOf, textFile, type PublicFile } from '../../content/public-file.ts';
import { remembered } from '../../../src/domain/remembered.ts';
import type { SnapshotSettings } from '../../../src/format/snapshot.ts';
import { textIn } from './page-text.ts';
import type { Page } from '../parts/shell.ts';

/** A part of a paragraph as Markdown: code, emphasis and links. White space is one space. `base` stands before paths. */
function inline(markup: string, base: string): string {
  const marked = markup
    .replaceAll(/<code[^>]*>([^]*?)<\/code>/g, (_, text: string) => `\`${text}\``)
    .replaceAll(/<strong[^>]*>([^]*?)<\/strong>/g, '**$1**')
    .replaceAll(
      /<a [^>]*?href="([^"]*)"[^>]*>([^]*?)<\/a>/g,
      (_, href: string, text: string) => `[${text}](${href.startsWith('/') ? base : ''}${href})`,
    );
  return textIn(marked).replaceAll(/\s+/g, ' ').trim();
}

/** A table as Markdown: its first row is the head. */
function tableText(markup: string, base: string): string {
  const rows = [...markup.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell = '']) =>
      inline(cell, base).replaceAll('|', '\\|'),
    ),
  );
  const [head = [], ...others] = rows.map((cells) => `| ${cells.join(' | ')} |`);
  const rule = `|${(rows[0] ?? []).map(() => '---|').join('')}`;
  return [head, rule, ...others].join('\n');
}

/** The content of a page as Markdown. Blocks of code are kept as they are. */
function markdownIn(markup: string, base: string): string {
  const blocks: string[] = [];
  const keep = (text: string) => `\n<keep ${blocks.push(text) - 1}>\n`;
  const content = markup
    .replace(/<nav class="docs-nav"[^]*$/, '')
    .replace(/^[^]*?<\/h1>/, '')
    .replace(/<p class="next">[^]*?<\/p>/, '')
    .replaceAll(
      /<div class="code"><div class="bar"><span>([^]*?)<\/span>[^]*?<pre[^>]*><code>([^]*?)<\/code><\/pre><\/div>/g,
      (_, label: string, code: string) =>
        keep(`${textIn(label)}:\n\n\`\`\`\n${textIn(code).trimEnd()}\n\`\`\``),
    )
    .replaceAll(/<table>[^]*?<\/table>/g, (table) => keep(tableText(table, base)))
    .replaceAll(/<(form|label|button)\b[^]*?<\/\1>|<input[^>]*>/g, '');
  const pieces = content.split(
    /(<keep \d+>|<h[23][^>]*>[^]*?<\/h[23]>|<li[^>]*>[^]*?<\/li>|<p[^>]*>[^]*?<\/p>)/,
  );
  const texts = pieces.flatMap((piece) => {
    const kept = /^<keep (\d+)>$/.exec(piece)?.[1];
    if (kept !== undefined) return [`\n${blocks[Number(kept)]}\n`];
    const [, tag = '', inner = piece] = /^<(h2|h3|li|p)[^>]*>([^]*)<\/\1>$/.exec(piece) ?? [];
    const text = inline(inner, base);
    if (text === '') return [];
    const before = { h2: '\n## ', h3: '\n### ', li: '- ' }[tag] ?? '\n';
    return [`${before}${text}${tag === 'li' ? '' : '\n'}`];
  });
  return texts
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** The same remembered for each base, because most pages are the same in the next snapshot. */
const markdownBy = remembered(10, (base: string) =>
  remembered(300, (markup: string) => markdownIn(markup, base)),
);

/** Each guide as Markdown, beside its page: `/docs/polling.md` has what `/docs/polling` says. */
export function markdownFiles(pages: readonly Page[], settings: SnapshotSettings): PublicFile[] {
  const markdownOf = markdownBy(addressOf(settings, ''));
  return pages.map(({ path, title, description, body }) =>
    textFile(
      `${path}.md`,
      `# ${title}\n\n> ${description}\n\n${markdownOf(body.text)}\n`,
      'text/markdown; charset=utf-8',
    ),
  );
}
