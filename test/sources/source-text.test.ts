import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCurrentFeed } from '../../build/sources/current-feed.ts';
import { dailyIndexFile } from '../../build/sources/master-index.ts';
import { sources } from '../../build/sources/registry.ts';
import { clean, jsonBounds, jsonOf, linesOf, writable } from '../../build/sources/source-text.ts';
import { parseTickerFile } from '../../build/sources/tickers.ts';
import { entryXml, feedPage, upstreamEntry } from '../support/feed.ts';

const unwritable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** One of each kind: ESC, a C1 control, bidi, zero width, soft hyphen, tag, separators, half a pair. */
const hostile = '\u001b[2J\u009b31m\u202e\u2066\u200b\u200d\u00ad\u{e0041}\u2028\u2029\ufeff\ud800';
/** Those that a file in latin-1 can have. */
const hostileLatin1 = '\u001b[2J\u009b31m\u00ad';
const anyText = fc
  .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostile, '\udb40', '\udc41', ' ', 'A')))
  .map((parts) => parts.join(''));

describe('a text of a source', () => {
  it('is in one line, and has nothing that steers a terminal, turns or hides a text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const kept = writable(text);
        expect(kept).not.toMatch(unwritable);
        expect(writable(kept)).toBe(kept);
        expect(clean(text)).toBe(kept.trim());
        if (!unwritable.test(text)) expect(kept).toBe(text);
      }),
    );
  });
  it.each([
    ['Soft\u00adhyphen Co', 'Softhyphen Co'],
    ['Zero\u200bwidth \u200c\u200d\u2060Inc', 'Zerowidth Inc'],
    ['\u202egpj.exe\u202c', 'gpj.exe'],
    ['two\r\n\u0000\u2028lines', 'two lines'],
    [' as it is ', ' as it is '],
    ['Müller & Söhne, 株式会社 – “A”', 'Müller & Söhne, 株式会社 – “A”'],
  ])('%j becomes %j', (text, kept) => expect(writable(text)).toBe(kept));

  it('only one file of the sources decodes what EDGAR sends, so none can forget to clean', () => {
    const directory = join(import.meta.dirname, '../../build/sources');
    const decoding = readdirSync(directory).filter((name) => {
      // The first bytes tell the encoding of a feed.
      const code = readFileSync(join(directory, name), 'utf8').replace("body.toString('latin1', 0, 200)", '');
      return /JSON\.parse\(|body\.toString\(|TextDecoder/.test(code);
    });
    expect(decoding).toEqual(['source-text.ts']);
  });
});

const cik = '0000000001';
const columns = (text: string) => ({
  accessionNumber: ['0000000001-26-000001'],
  filingDate: ['2026-03-02'],
  reportDate: [''],
  acceptanceDateTime: [''],
  form: [`8-K${text}`],
  items: [text],
  size: [1],
  isXBRL: [0],
  isInlineXBRL: [0],
  primaryDocument: [`a${text}.htm`],
  primaryDocDescription: [text],
  fileNumber: [text],
  act: [text],
});
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const header = (text: string) =>
  `<SEC-HEADER>\n<ACCESSION-NUMBER>0000000001-26-000001\n<TYPE>8-K\n<FILING-DATE>20260302\n<FILER>\n<COMPANY-DATA>\n<CONFORMED-NAME>Name ${text} Inc\n<CIK>1\n</COMPANY-DATA>\n</FILER>\n<Z-${text}>\n</SEC-HEADER>\n`;
const index = (text: string) =>
  `Last Data Received:    Mar  2, 2026\n${text}\nCIK|Company Name|Form Type|Date Filed|File Name\n${'-'.repeat(80)}\n1|Name ${text} Inc|8-K|20260302|edgar/data/1/0000000001-26-000001.txt\n${text}|bad\n`;

/** For each source a file with a text in each of its texts, and the name of the file. */
const samples: Readonly<Record<string, readonly [(text: string) => Buffer, string]>> = {
  submissions: [
    (text) =>
      bytes({
        cik,
        name: `Name ${text} Inc`,
        tickers: ['AAA', `B${text}`],
        exchanges: [`NYSE ${text}`],
        formerNames: [{ name: `Former ${text}` }],
        sicDescription: text,
        category: `Large<br>${text}`,
        entityType: `operating ${text}`,
        stateOfIncorporation: text,
        filings: { recent: columns(text), files: [] },
      }),
    `CIK${cik}.json`,
  ],
  submissionsPage: [(text) => bytes(columns(text)), `CIK${cik}-submissions-001.json`],
  tickers: [
    (text) =>
      bytes({
        fields: ['cik', 'name', 'ticker', 'exchange'],
        data: Array.from({ length: 1000 }, (_, at) => [
          at + 1,
          at === 0 ? `Name ${text}` : 'N',
          `A${at}`,
          at === 0 ? `NYSE ${text}` : null,
        ]),
      }),
    'company_tickers_exchange.json',
  ],
  currentFeed: [
    (text) => {
      const entities = [...hostile].map((each) => `&#${each.codePointAt(0)};`).join('');
      return feedPage([
        entryXml(upstreamEntry({ name: 'NAME' })).replace('NAME', text === hostile ? entities : 'N'),
        entryXml(upstreamEntry({ name: 'NAME' })).replace('NAME', text.replace('\ud800', '')),
      ]);
    },
    'browse-edgar',
  ],
  header: [
    (text) => Buffer.from(header(text === hostile ? hostileLatin1 : text), 'latin1'),
    'data/1/000000000126000001/0000000001-26-000001.hdr.sgml',
  ],
  masterIndex: [
    (text) => Buffer.from(index(text === hostile ? hostileLatin1 : text), 'latin1'),
    dailyIndexFile('2026-03-02'),
  ],
};

/** All texts of a value, wherever they are. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const { submissionsArchive: _, ...parsed } = sources;

describe.each(Object.entries(parsed))('the source %s', (name, source) => {
  const [make, file] = samples[name] ?? [() => Buffer.alloc(0), `no sample of ${name}`];
  it('gives no text that is not writable', () => {
    const texts = textsIn(source.parse(make(hostile), file));
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.filter((text) => unwritable.test(text))).toEqual([]);
  });
  it('gives other texts as they are', () => {
    const texts = textsIn(source.parse(make('Müller Ltd'), file));
    expect(texts.some((text) => text.includes('Müller Ltd'))).toBe(true);
  });
  it.each([
    '',
    '\u0000',
    'null',
    '5',
    '"text"',
    '[]',
    '{}',
    '<!DOCTYPE html>\n<html lang="en"><head><title>SEC.gov | File Unavailable</title></head></html>',
    '<html><head><title>SEC.gov</title></head><body><p>Down for maintenance</p></body></html>',
    '<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>',
    '<rss><channel><item><title>8-K</title></item></channel></rss>',
  ])('is refused if it is %j', (text) =>
    expect(() => source.parse(Buffer.from(text), file)).toThrow(/^it |^[\w.]+: /),
  );
  // What is left of an index that is cut off between rows looks like a shorter one.
  it.skipIf(name === 'masterIndex')('is refused if it is cut off anywhere', () => {
    const whole = make('Müller Ltd');
    const step = Math.ceil(whole.length / 1000);
    const end = whole.length - '</SEC-HEADER>\n'.length;
    for (let at = 0; at < end; at += step)
      expect(() => source.parse(whole.subarray(0, at), file), `cut at ${at}`).toThrow();
  });
  it('ends with a file that is long in each of its texts', { tags: ['slow'] }, () => {
    // With a pattern that goes back for each character, one of these takes minutes.
    for (const part of [' - -', ' ', 'A', '(', '<br ', 'Filed:', '-', '|', '&', 'A:', '<A>', '1,'])
      for (const end of ['', ')']) {
        const body = make(part.repeat(100_000 / part.length) + end);
        try {
          source.parse(body, file);
        } catch (error) {
          expect((error as Error).message.length).toBeLessThan(1000);
        }
      }
  });
});

describe('a JSON file of EDGAR', () => {
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
  it('may be as deep as the bound, and is refused beyond it, before it is parsed', () => {
    expect(() => jsonOf(nested(jsonBounds.depth))).not.toThrow();
    expect(() => jsonOf(nested(jsonBounds.depth + 1))).toThrow('levels deep');
    expect(() => jsonOf(Buffer.alloc(30_000_000, '['))).toThrow('levels deep');
  });
  it('is refused with more groups or values than any has', () => {
    expect(() => jsonOf(Buffer.from(`[${'{},'.repeat(jsonBounds.groups)}0]`))).toThrow('arrays and objects');
    expect(() => jsonOf(Buffer.from(`[${'0,'.repeat(jsonBounds.values + 1)}0]`))).toThrow('values');
  });
  it('is what it says, whatever brackets and escapes its texts have', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
          typeof each === 'string' ? writable(each) : each,
        );
        expect(jsonOf(bytes(value))).toEqual(plain);
      }),
    );
    expect(jsonOf(bytes(['['.repeat(100), '\\', '"{', ']']))).toEqual(['['.repeat(100), '\\', '"{', ']']);
  });
  it('that is none says so without what could steer a terminal', () => {
    expect(() => jsonOf(Buffer.from('\u001b]0;x\u0007\u009b'))).toThrow(
      /^it is not JSON: [^\p{Cc}\p{Cf}]*$/u,
    );
  });
  it('is bounded in its bytes for every source', () => {
    for (const { bytesMaximum } of Object.values(parsed))
      expect(bytesMaximum).toBeLessThanOrEqual(128 * 2 ** 20);
    expect(() => parseTickerFile(nested(1000))).toThrow('levels deep');
  });
});

it('a file of more lines than any has is refused', () => {
  expect(linesOf('a\r\nb\n', 3)).toEqual(['a', 'b', '']);
  expect(() => linesOf('\n\n\n', 3)).toThrow('more than 3 lines');
});

describe('a page of the feed', () => {
  it.each([
    ['tags', '<a/>'.repeat(20_000)],
    ['attributes', `<a ${Array.from({ length: 20_001 }, (_, at) => `a${at}="x"`).join(' ')}/>`],
  ])('with more %s than any has is refused', (_, text) =>
    expect(() => parseCurrentFeed(feedPage([text]))).toThrow('tags or attributes'),
  );
  it('refuses an entry with a text longer than any has, and takes the others', () => {
    const page = parseCurrentFeed(
      feedPage([
        entryXml(upstreamEntry({ name: 'N'.repeat(4001) })),
        entryXml(upstreamEntry({ accessionNo: '0000000001-26-000002' })),
      ]),
    );
    expect(page.entries.map(({ accessionNo }) => accessionNo)).toEqual(['0000000001-26-000002']);
    expect(page.refused).toMatchObject([{ reason: expect.stringMatching(/^its title has \d+ characters$/) }]);
  });
});
