import { filingsPublished, type Publication, type Published } from '../publications.ts';
import { decimal, median, megabytes, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';

const [secondsMaximum, bytesMaximum, growthMaximum] = [2, 8e6, 1.5];

/**
 * Publishing a few new filings on top of a small and a large snapshot, as an operator does: a process for
 * each publication.
 */
export async function publishingRows(scratch: Scratch): Promise<Row[]> {
  const { small, large } = await scratch.published();
  const what = (filings: number) => `publishing ${filingsPublished} filings onto ${decimal(filings)}`;
  const rowOf = (filings: number, { publications }: Published): Row => {
    const seconds = middle(publications, ({ seconds: each }) => each);
    return {
      what: what(filings),
      measured: `${seconds.toFixed(2)} s (${range(publications, ({ seconds: each }) => each)}), ${middle(publications, inside).toFixed(2)} s of it without the start of Node; ${counts(publications)}`,
      bound: `< ${secondsMaximum} s`,
      holds: seconds < secondsMaximum,
    };
  };
  const bytes = middle(large.publications, writtenBytes);
  const [before, after] = [middle(small.publications, inside), middle(large.publications, inside)];
  const cpu = ({ publications }: Published) => middle(publications, ({ cpuSeconds }) => cpuSeconds);
  return [
    rowOf(scratch.filings.small, small),
    rowOf(scratch.filings.large, large),
    {
      what: 'bytes that this writes',
      measured: `${megabytes(bytes, 2)} (at most ${megabytes(Math.max(...large.publications.map(writtenBytes)), 2)}), ${megabytes(
        middle(large.publications, ({ keptBytes }) => keptBytes),
        2,
      )} of them kept; ${megabytes(middle(small.publications, writtenBytes), 2)} onto ${decimal(scratch.filings.small)}`,
      bound: `< ${megabytes(bytesMaximum)}`,
      holds: bytes < bytesMaximum,
    },
    {
      what: 'how this grows with the snapshot',
      measured: `${(after / before).toFixed(2)} by the clock without the start of Node, ${(cpu(large) / cpu(small)).toFixed(2)} by CPU time`,
      bound: `<= ${growthMaximum} times onto ${decimal(scratch.filings.small)}`,
      holds: after / before <= growthMaximum,
    },
  ];
}

/** Seconds without the start of Node and of the program. */
const inside = ({ seconds, startSeconds }: Publication) => seconds - startSeconds;
/** Where the system does not tell what a process wrote, what is kept of it. */
const writtenBytes = (each: Publication) => Math.max(each.writtenBytes, each.keptBytes);

function middle(publications: readonly Publication[], of: (publication: Publication) => number): number {
  return median(publications.map(of));
}

function range(publications: readonly Publication[], of: (publication: Publication) => number): string {
  const values = publications.map(of);
  return `${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)}`;
}

/** How many publications there were, and how many of them joined segments. */
function counts(publications: readonly Publication[]): string {
  const joining = publications.filter(({ joined }) => joined > 0);
  return `${publications.length} publications, ${joining.length} of which join segments${joining.length === 0 ? '' : `, up to ${Math.max(...joining.map(({ joined }) => joined))}`}`;
}
