import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What a publisher counts, for Prometheus. No label holds anything that a reader or depositor can make up. */
export interface PublisherMetrics {
  readonly registry: Registry;
  /** Label `outcome`: `committed` or an error code. */
  readonly deposits: Counter<"outcome">;
  readonly releases: Gauge;
  readonly damaged: Gauge;
  /** Labels `route` (its pattern), `method`, `status`. */
  readonly requests: Histogram<"route" | "method" | "status">;
}

export function createMetrics(): PublisherMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    deposits: new Counter({
      name: "consilium_publisher_deposits_total",
      help: "Deposits that ended, by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
    releases: new Gauge({
      name: "consilium_publisher_releases",
      help: "Releases that are served.",
      registers,
    }),
    damaged: new Gauge({
      name: "consilium_publisher_releases_damaged",
      help: "Releases that are not served because they are not what their certificates say.",
      registers,
    }),
    requests: new Histogram({
      name: "consilium_publisher_http_request_seconds",
      help: "HTTP requests by route, method and status, until the answer was sent.",
      labelNames: ["route", "method", "status"],
      buckets: [0.005, 0.025, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
  };
}
