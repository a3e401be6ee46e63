import { createMetrics, type Metrics } from "@consilium/runtime/metrics";

type Counter = ReturnType<Metrics["counter"]>;
type Gauge = ReturnType<Metrics["gauge"]>;

/** What a publisher counts, for Prometheus. No label holds anything that a reader or depositor can make up. */
interface PublisherMetrics {
  readonly all: Metrics;
  /** Label `outcome`: `committed` or an error code. */
  readonly deposits: Counter;
  readonly releases: Gauge;
  readonly damaged: Gauge;
}

export function publisherMetrics(version: string): PublisherMetrics {
  const all = createMetrics({ service: "publisher", version });
  return {
    all,
    deposits: all.counter({
      name: "consilium_publisher_deposits_total",
      help: "Deposits that ended, by outcome.",
      labelNames: ["outcome"],
    }),
    releases: all.gauge({ name: "consilium_publisher_releases", help: "Releases being served." }),
    damaged: all.gauge({
      name: "consilium_publisher_releases_damaged",
      help: "Releases not served because they do not match their certificates.",
    }),
  };
}
