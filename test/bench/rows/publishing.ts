import { filingsPublished, type Publication, type Published } from '../publications.ts';
import { atMost, below, decimal, greatest, median, megabytes, row, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

const [secondsMaximum, bytesMaximum, growthMaximum] = [2, 8e6, 1.5];

/**
 * Publishing a few new filings on top of a small and a large snapshot, as an operator does: a process for
 * each publication.
 */
export async function publishingRows(scratch: Scratch): Promise<Row[]> {
  const { small, large } = await scratch.published();
  const onto = decimal(scratch.filings.small);
  const growth = (of: (publication: Publication) => number) => middle(large, of) / middle(small, of);
  const bytes = middle(large, writtenBytes);
  return [
    ...(
      [
        [onto, small],
        [decimal(scratch.filings.large), large],
      ] as const
    ).map(([filings, published]) => {
      const all = published.publications.map(({ seconds }) => seconds);
      return row(
        `publishing ${filingsPublished} filings onto ${filings}`,
        `${median(all).toFixed(2)} s (${Math.min(...all).toFixed(2)}-${greatest(all).toFixed(2)}), ${middle(published, inside).toFixed(2)} s of it without the start of Node; ${counts(published)}`,
        below(median(all), secondsMaximum, ' s'),
      );
    }),
    row(
      'bytes that this writes',
      `${megabytes(bytes, 2)} (at most ${megabytes(greatest(large.publications.map(writtenBytes)), 2)}), ${megabytes(middle(large, keptBytes), 2)} of them kept; ${megabytes(middle(small, writtenBytes), 2)} onto ${onto}`,
      below(bytes, bytesMaximum, megabytes),
    ),
    row(
      'how this grows with the snapshot',
      `${growth(inside).toFixed(2)} by the clock without the start of Node, ${growth(({ cpuSeconds }) => cpuSeconds).toFixed(2)} by CPU time`,
      atMost(growth(inside), growthMaximum, ` times onto ${onto}`),
    ),
  ];
}

/** Seconds without the start of Node and of the program. */
const inside = ({ seconds, startSeconds }: Publication) => seconds - startSeconds;
const keptBytes = (each: Publication) => each.keptBytes;
/** Where the system does not tell what a process wrote, what is kept of it. */
const writtenBytes = (each: Publication) => Math.max(each.writtenBytes, each.keptBytes);
const middle = ({ publications }: Published, of: (publication: Publication) => number) =>
  median(publications.map(of));

/** How many publications there were, and how many of them joined segments. */
function counts({ publications }: Published): string {
  const joining = publications.map(({ joined }) => joined).filter((joined) => joined > 0);
  return `${publications.length} publications, ${joining.length} of which join segments${joining.length === 0 ? '' : `, up to ${greatest(joining)}`}`;
}
