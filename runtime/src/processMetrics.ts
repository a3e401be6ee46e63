import type { Metrics } from "./metrics.js";
import type { OpenStore } from "./store/store.js";

/** What every process that keeps a store tells of it. */
export function measureStore(metrics: Metrics, store: OpenStore): void {
  const commits = metrics.histogram({
    name: "consilium_store_commit_duration_seconds",
    help: "Store commits, until durable (including fsync).",
    buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 2],
  });
  store.observeCommits((seconds) => commits.observe(seconds));
}

/** @param notAfter - when the process's own certificate ends, milliseconds; read when somebody asks */
export function measureCertificate(metrics: Metrics, notAfter: () => number): void {
  metrics.gauge({
    name: "consilium_certificate_expiry_timestamp_seconds",
    help: "Expiry of this process's certificate, as Unix time.",
    collect() {
      this.set(notAfter() / 1000);
    },
  });
}
