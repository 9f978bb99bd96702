import { createRandom } from '../../support/generate.ts';
import { isLargest, mixedRequests } from '../requests.ts';
import { decimal, quantile, type Row } from '../row.ts';
import type { Scratch } from '../scratch.ts';
import { startService } from '../service.ts';
import { startTimer } from '../timed.ts';
import { readVocabulary } from '../vocabulary.ts';

const requestsMeasured = 4000;
const perSecond = 100;
const [worstMaximum, connections] = [50, 8];

/**
 * How long `/livez` takes while others ask on eight connections, as fast as they are answered: for watchlists of
 * 25 companies with 200 rows each, and for requests of every kind.
 */
export async function probeRows(scratch: Scratch): Promise<Row[]> {
  const { snapshots } = await scratch.snapshot(scratch.filings.large);
  const random = createRandom(11);
  const vocabulary = await readVocabulary(snapshots, random);
  const all = mixedRequests(vocabulary, requestsMeasured, random);
  const rows: Row[] = [];
  for (const [what, targets] of [
    ['watchlists of 25 x 200', all.filter(isLargest).map(({ target }) => target)],
    ['requests of every kind', all.map(({ target }) => target)],
  ] as const) {
    const [server, others, probe] = [await startService(snapshots), await startTimer(), await startTimer()];
    try {
      await others.ask(server, targets.slice(0, 200), { connections: 1 });
      const state = { isBusy: true };
      const load = others.ask(server, targets, { connections }).finally(() => (state.isBusy = false));
      const ms: number[] = [];
      while (state.isBusy)
        ms.push(
          ...(await probe.ask(server, Array<string>(perSecond).fill('/livez'), { connections: 1, perSecond }))
            .ms,
        );
      const { seconds } = await load;
      const worst = Math.max(...ms);
      rows.push({
        what: `/livez beside ${decimal(targets.length)} ${what} on ${connections} connections`,
        measured: `worst ${worst.toFixed(1)} ms of ${decimal(ms.length)}, p99 ${quantile(ms, 0.99).toFixed(1)} ms (${decimal(Math.round(targets.length / seconds))} of the others a second)`,
        bound: `< ${worstMaximum} ms`,
        holds: worst < worstMaximum,
      });
    } finally {
      probe.stop();
      others.stop();
      await server.stop();
    }
  }
  return rows;
}
