import type { Figure } from '../../src/metrics/figures.ts';
import { listenForMetrics } from '../../src/metrics/listener.ts';
import { closing } from './closing.ts';

/** Metrics by name and labels, as they are written: `name{label="value"}`. */
export type Samples = ReadonlyMap<string, number>;

/** What Prometheus would read. */
export interface Metrics {
  readonly url: string;
  read(): Promise<Samples>;
  close(): Promise<void>;
}

/**
 * Understands the text format of Prometheus. Throws for a line that is none of it, a metric without type, and
 * a value that is told twice.
 */
export function parseMetrics(text: string): Samples {
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, typed, type] = /^# TYPE (\w+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (typed !== undefined) types.set(typed, String(type));
    if (line.startsWith('# HELP ') || typed !== undefined) continue;
    const [, sample = '', name = '', value] =
      /^((\w+)(?:\{(?:\w+="(?:[^"\\\n]|\\.)*",?)+\})?) (-?[\d.e+-]+|Na[Nn]|[+-]Inf)$/.exec(line) ?? [];
    if (value === undefined || samples.has(sample))
      throw new Error(`no line of metrics, or one that is there before: ${line}`);
    if (!types.has(name) && types.get(name.replace(/_(bucket|sum|count)$/, '')) !== 'histogram')
      throw new Error(`${name} has no type`);
    samples.set(sample, Number(value));
  }
  return samples;
}

/** Serves figures on a port of this machine. */
export async function metricsOf(figures: readonly Figure[]): Promise<Metrics> {
  const { server, port } = await listenForMetrics('127.0.0.1', 0, figures);
  const url = `http://127.0.0.1:${port}/metrics`;
  return {
    url,
    read: async () => parseMetrics(await (await fetch(url)).text()),
    close: closing(() => {
      server.closeAllConnections();
      server.close();
    }),
  };
}
