import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from "prom-client";

/** Names begin with `consilium_` and end with their unit; labels hold ids from a fixed set, never data. */
type Named<C> = Omit<C, "registers" | "name"> & { readonly name: `consilium_${string}` };

export interface DescribedMetric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
}

/** One process's metrics in a registry of its own, so that several can live in one process (tests, the demo). */
export interface Metrics {
  counter<L extends string>(configuration: Named<CounterConfiguration<L>>): Counter<L>;
  /** With `collect`, read at every scrape. */
  gauge<L extends string>(configuration: Named<GaugeConfiguration<L>>): Gauge<L>;
  histogram<L extends string>(configuration: Named<HistogramConfiguration<L>>): Histogram<L>;
  /** Every metric that was made here, in the order in which they were. */
  readonly described: readonly DescribedMetric[];
  /** The text that Prometheus scrapes, and its content type. */
  render(): Promise<{ contentType: string; body: string }>;
}

/**
 * @param options.service - put on every sample as the label `service`
 * @param options.version - reported by `consilium_build_info`
 * @param options.processMetrics - memory, CPU, event loop and garbage collection too; true by default
 */
export function createMetrics(options: {
  service: string;
  version: string;
  processMetrics?: boolean;
}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  if (options.processMetrics ?? true) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: "consilium_build_info",
    help: "1, with the software's version as a label",
    labelNames: ["version"],
    registers,
  }).set({ version: options.version }, 1);
  const described: DescribedMetric[] = [];
  const describe = (
    type: DescribedMetric["type"],
    { name, help, labelNames }: { name: string; help: string; labelNames?: readonly string[] },
  ) => described.push({ name, type, help, labels: labelNames ?? [] });
  return {
    described,
    counter: (configuration) => {
      describe("counter", configuration);
      return new Counter({ ...configuration, registers });
    },
    gauge: (configuration) => {
      describe("gauge", configuration);
      return new Gauge({ ...configuration, registers });
    },
    histogram: (configuration) => {
      describe("histogram", configuration);
      return new Histogram({ ...configuration, registers });
    },
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}
