import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';
import type { Distribution, Figure } from './figures.ts';

/** A line of a metric, as the package writes it. */
interface Line {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** Makes a registry of figures and of what Node tells of its process. */
export function createRegistry(figures: readonly Figure[]): Registry {
  const registry = new Registry();
  for (const figure of figures) register(registry, figure);
  collectDefaultMetrics({ register: registry });
  return registry;
}

/**
 * The package asks a metric for its lines when somebody asks for all of them. Metrics of its own would be
 * written at each request, or emptied and filled anew here, and its histograms cannot be filled at all.
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

/** Each bucket of Prometheus includes those before it. */
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
