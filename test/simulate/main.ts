import { parseArgs } from 'node:util';
import { describeHappening, drawHistory } from './history.ts';
import { loadReleases } from './releases.ts';
import { runHistory } from './run.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    mutants: { type: 'boolean', default: false },
    loud: { type: 'boolean', default: false },
  },
});

const releases = await loadReleases([]);
const [first, days, runs] = [Number(values.seed), Number(values.days), Number(values.runs)];
for (let seed = first; seed < first + runs; seed++) {
  const history = drawHistory(seed, days);
  const startedMs = performance.now();
  const { failure, digest, last, virtualMs } = await runHistory(history, releases, values.loud);
  const speed = Math.round(virtualMs / (performance.now() - startedMs));
  console.log(
    `seed ${seed}: ${days} days, ${history.happenings.length} faults, trace ${digest}: ${failure === null ? 'ok' : `failed: ${failure}`}`,
  );
  console.error(`${speed} times real time`);
  if (failure === null) continue;
  process.exitCode = 1;
  console.log(history.happenings.map((each) => `  ${describeHappening(each)}`).join('\n'));
  console.log(
    last
      .slice(-25)
      .map((line) => `  | ${line.slice(0, 300)}`)
      .join('\n'),
  );
}
