import { warehouseProgram } from '../parts/programs.ts';
import { code, html, type Html } from '../parts/html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { table } from '../parts/prose.ts';
import type { DocsPage } from './docs-page.ts';

/**
 * How long each of the first questions of the program took the first time over a million made-up filings, in milliseconds,
 * on two cores of a busy machine with the files on its disk.
 */
const tookMs: readonly number[] = [487, 162, 17, 21, 717, 46, 1108, 9, 670, 59];

interface Question {
  readonly title: string;
  readonly sql: string;
}

/** The first lines of the program, which make the tables, and its questions. */
function partsOf(text: string): { readonly setup: string; readonly questions: readonly Question[] } {
  const [setup = '', ...questions] = text.split(/^-- \d+\. /m);
  return {
    setup: setup.trimEnd(),
    questions: questions.map((each) => {
      const end = each.indexOf('\n');
      return { title: each.slice(0, end), sql: each.slice(end + 1).trimEnd() };
    }),
  };
}

const questionOf = ({ title, sql }: Question, at: number): Html =>
  html`<h3>${at + 1}. ${title}</h3>
      ${codeBlock(code`${sql}`, 'SQL')}${tookMs[at] !== undefined && html`<p class="small">${tookMs[at]?.toLocaleString('en')} ms.</p>`}`;

/** Iceberg tables of everything, how programs read them, and questions in SQL. */
export function warehousePage(): DocsPage {
  const program = warehouseProgram();
  const { setup, questions } = partsOf(program.text);
  return {
    slug: 'warehouse',
    name: 'Warehouse',
    title: 'In a warehouse',
    description:
      'Iceberg tables of all filings, changes, parties, documents, companies and trades of insiders, and fifteen questions to them in SQL.',
    contents: [
      ['tables', 'The tables'],
      ['read', 'Read them'],
      ['questions', 'Fifteen questions'],
      ['follow', 'What is new'],
    ],
    body: html`<p class="lead">Whoever runs the service can export everything as Apache Iceberg tables over Parquet files. Spark, Trino, Snowflake, BigQuery and DuckDB query them where they lie, at any size.</p>
      ${codeBlock(code`npm run export -- --parquet export`, 'Command')}
      <p>Run it again, as often as you like: it writes only what is new. <code>--location s3://bucket/tables</code> names the address at which readers find the folder, if that is a bucket.</p>
      <h2 id="tables">The tables</h2>
      ${table(
        ['Table', 'A row is', 'Found quickly by'],
        [
          [
            html`<code>changes</code>`,
            html`an entry of the <a href="/docs/polling">change feed</a>`,
            'year, day, ticker, accession number',
          ],
          [html`<code>filings</code>`, 'the newest state of a filing', 'year, day, ticker, accession number'],
          [
            html`<code>parties</code>`,
            'a filing and a company or person that it names',
            'year, CIK, accession number',
          ],
          [
            html`<code>transactions</code>`,
            'a transaction of a Form 4 or 5, in the newest state of the filing',
            'year, ticker, CIK of the issuer, accession number',
          ],
          [
            html`<code>holdings</code>`,
            'a row of a Form 3, 4 or 5 that only says what is owned',
            'year, ticker, CIK of the issuer, accession number',
          ],
          [
            html`<code>documents</code>`,
            'a document of a filing, in its newest state',
            'year, ticker, CIK, accession number, type',
          ],
          [html`<code>companies</code>`, 'a company, fund or person', 'CIK'],
          [
            html`<code>reference</code>`,
            html`what a value means: forms, event types, items, transaction codes, exchanges, states, roles`,
            'list, code',
          ],
        ],
        'Tables of an export',
      )}
      <p>Columns are named as the members of the <a href="/docs/records">records</a>. Dates are dates. <code>acceptedAt</code>, <code>ingestedAt</code>, <code>observedAt</code> and <code>updatedAt</code> are instants; <code>acceptanceDateTime</code> stays the Eastern wall clock, as text. The tables are divided by the year of <code>filedAt</code>.</p>
      <p>A transaction is one row however many owners report it together: <code>owners</code> lists them. An amendment repeats what it amends, and a price of 0 is no purchase, so sums leave both out. Numbers are those of the document; what it leaves out or says in a footnote alone is null.</p>
      <p>A data file never changes, and its name ends with its SHA-256. <code>manifest.json</code> lists the files of the newest state, with lengths, rows and digests.</p>
      <h2 id="read">Read them</h2>
      <p>Each table is a folder with <code>metadata/version-hint.text</code>, so no catalog is needed. In Spark, a catalog of type <code>hadoop</code> with the folder as its warehouse reads it. Snowflake, BigQuery and Trino take the address of the newest <code>metadata/v<i>N</i>.metadata.json</code>. DuckDB has <code>iceberg_scan('s3://bucket/tables/filings')</code> in its extension, and needs none for this:</p>
      ${codeBlock(code`${setup}`, program.path.slice(program.path.lastIndexOf('/') + 1))}
      <p>The file, with all questions: <a href="${program.path}"><code>${program.path}</code></a>.</p>
      <h2 id="questions">Fifteen questions</h2>
      <p>The times are those of DuckDB over a million made-up filings, the first time each is asked, with two threads on a busy machine and the files on its disk.</p>
      ${questions.map(questionOf)}
      <h2 id="follow">What is new</h2>
      <p><code>sequence</code> only grows: whatever you have built from <code>changes</code>, go on with <code>WHERE sequence &gt; …</code>, the greatest one that you have. The summary of each Iceberg snapshot has it as <code>last-sequence</code>. Files of <code>changes</code> are only added, unless the operator joins small ones.</p>`,
  };
}
