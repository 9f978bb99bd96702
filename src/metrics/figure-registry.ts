import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';
import type { Distribution, Figure } from './figures.ts';

/** A line of a metric, in the form that prom-client needs. */
interface Line {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** Makes a registry of figures and of Node's metrics of its process. */
export function createRegistry(figures: readonly Figure[]): Registry {
  const registry = new Registry();
  for (const figure of figures) register(registry, figure);
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * Registers a metric that prom-client reads when metrics are asked for. The package's own metrics would have
 * to be written at each request, or be emptied and filled again here; its histograms cannot be filled at all.
 */
function register(registry: Registry, figure: Figure): void {
  const { name, help, kind: type } = figure;
  const get = async () => ({ name, help, type, aggregator: 'sum', values: await linesOf(figure) });
  registry.registerMetric({ name, get } as unknown as Metric);
}

async function linesOf(figure: Figure): Promise<Line[]> {
  if (figure.kind === 'histogram')
    return figure.read().flatMap((each) => bucketLines(figure.name, figure.bounds, each));
  return (await figure.read()).map(({ labels = {}, value }) => ({ labels, value }));
}

/** A bucket of Prometheus includes the buckets before it. */
function bucketLines(name: string, bounds: readonly number[], { labels, counts, sum }: Distribution): Line[] {
  let total = 0;
  const buckets = [...bounds, '+Inf'].map((le, at) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value: (total += counts[at] ?? 0),
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
