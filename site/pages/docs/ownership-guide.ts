import { transactionCodes } from '../../../src/domain/transaction-codes.ts';
import { code, html } from '../parts/html.ts';
import { codeBlock } from '../parts/code-block.ts';
import { table } from '../parts/prose.ts';
import type { DocsPage } from './docs-page.ts';

/** What ownership filings say, and what their codes mean. */
export function ownershipPage(): DocsPage {
  return {
    slug: 'ownership',
    name: 'Insiders and owners',
    title: 'What insiders and owners report',
    description:
      'The member ownership of filings: transactions of Forms 3, 4 and 5, planned sales of Form 144, persons of Schedules 13D and 13G, and what each transaction code means.',
    contents: [
      ['codes', 'Transaction codes'],
      ['read', 'How to read a transaction'],
      ['sums', 'What not to add up'],
      ['late', 'Before it is read'],
    ],
    body: html`<p class="lead">Forms 3, 4, 5 and 144 and Schedules 13D and 13G are documents with data. <code>ownership</code> of their filings has what the document says, in every list, the change feed, streams, webhooks and files.</p>
      ${table(
        ['Kind', 'Forms', 'What it has'],
        [
          [
            html`<code>section_16</code>`,
            '3, 4, 5 and amendments',
            'the insiders with their relationship to the company, each transaction, whether a plan under Rule 10b5-1 was checked',
          ],
          [
            html`<code>form_144</code>`,
            '144',
            'the seller, the sales that are planned, and what was sold in the three months before',
          ],
          [
            html`<code>schedule_13</code>`,
            'Schedules 13D and 13G',
            'each person on the cover pages with shares, percent and voting rights',
          ],
        ],
        'Kinds of ownership',
      )}
      <p>The whole document, with holdings, footnotes and signatures, is at <code>/v1/sec/forms/{accessionNo}/ownership</code>.</p>
      <h2 id="codes">Transaction codes</h2>
      <p>Only <code>P</code> and <code>S</code> are decisions to buy or sell at a price of the market. The others are grants, exercises, taxes, gifts and the like. Lists take <code>transactionCode</code> and <code>minValue</code>:</p>
      ${codeBlock(code`/v1/sec/insider-trades?transactionCode=P&minValue=100000`, 'Request')}
      ${table(
        ['Code', 'What it means'],
        [...transactionCodes].map(([name, title]) => [html`<code>${name}</code>`, title]),
        'Transaction codes of Forms 4 and 5',
      )}
      <h2 id="read">How to read a transaction</h2>
      ${table(
        ['Member', 'Mind that'],
        [
          [
            html`<code>price</code>`,
            '0 is what the document writes for grants and exercises. It is no purchase for nothing. Null: only a footnote has the price.',
          ],
          [
            html`<code>value</code>`,
            html`shares times price in US dollars, rounded to cents; null where either is null.`,
          ],
          [
            html`<code>isDerivative</code>`,
            'an option or another right to shares. An exercise has two transactions: the right goes, the shares come.',
          ],
          [
            html`<code>isPlanned</code>`,
            'the box of Rule 10b5-1(c): true or false since April 2023, null before. It stands for the whole form.',
          ],
          [
            html`<code>isDirect</code>, <code>nature</code>`,
            'false with a nature such as “By Trust”: owned through somebody else.',
          ],
          [
            html`<code>on</code>`,
            html`the day of the transaction. The form is due on the second business day after it; <code>filedAt</code> is when it came.`,
          ],
        ],
        'Members of a transaction',
      )}
      <p>What a document leaves out, leaves empty or says in a footnote alone is null, never 0.</p>
      <h2 id="sums">What not to add up</h2>
      <p>A filing of several owners has each transaction once, and it belongs to all of them: do not multiply it by owners. Funds of one group may file the same shares in filings of their own: an equal day, price and <code>sharesAfter</code> give them away. An amendment repeats the transactions of the form that it amends. Persons of Schedules 13D and 13G that file together report the same shares. Never add derivatives to shares.</p>
      <h2 id="late">Before it is read</h2>
      <p>A document may come seconds after its filing is listed. The filing is then published with <code>ownership</code> null, and comes again as a correction with <code>cause</code> <code>contents</code>.</p>`,
  };
}
