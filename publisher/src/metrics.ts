import { createMetrics, type Metrics } from "@consilium/runtime/metrics";

type Counter = ReturnType<Metrics["counter"]>;
type Gauge = ReturnType<Metrics["gauge"]>;
type Histogram = ReturnType<Metrics["histogram"]>;

/** What a publisher counts, for Prometheus. No label holds anything that a reader or depositor can make up. */
export interface PublisherMetrics {
  readonly all: Metrics;
  /** Label `outcome`: `committed` or an error code. */
  readonly deposits: Counter;
  readonly releases: Gauge;
  readonly damaged: Gauge;
  /** Labels `route` (its pattern), `method`, `status`. */
  readonly requests: Histogram;
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
    releases: all.gauge({ name: "consilium_publisher_releases", help: "Releases that are served." }),
    damaged: all.gauge({
      name: "consilium_publisher_releases_damaged",
      help: "Releases that are not served because they are not what their certificates say.",
    }),
    requests: all.histogram({
      name: "consilium_publisher_http_request_seconds",
      help: "HTTP requests by route, method and status, until the answer was sent.",
      labelNames: ["route", "method", "status"],
      buckets: [0.005, 0.025, 0.1, 0.5, 2, 10, 60],
    }),
  };
}
