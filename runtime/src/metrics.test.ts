import { register } from "prom-client";
import { expect, it } from "vitest";
import { createMetrics } from "./metrics.js";

it("renders what was counted, with service and version, and leaves the global registry alone", async () => {
  const metrics = createMetrics({ service: "aggregator", version: "0.1.0" });
  const uploads = metrics.counter({
    name: "consilium_uploads_total",
    help: "Uploads received",
    labelNames: ["outcome"],
  });
  uploads.inc({ outcome: "ok" }, 3);
  metrics.gauge({
    name: "consilium_sites_online",
    help: "Sites online",
    collect() {
      this.set(4);
    },
  });
  metrics.histogram({ name: "consilium_stage_seconds", help: "Stages", buckets: [1, 10] }).observe(2);
  const { contentType, body } = await metrics.render();
  expect(contentType).toContain("text/plain");
  expect(body).toContain('consilium_uploads_total{outcome="ok",service="aggregator"} 3');
  expect(body).toContain('consilium_sites_online{service="aggregator"} 4');
  expect(body).toMatch(/consilium_stage_seconds_bucket\{.*le="10".*\} 1/);
  expect(body).toContain('consilium_build_info{version="0.1.0",service="aggregator"} 1');
  expect(body).toContain("process_resident_memory_bytes");
  expect(await register.metrics()).toBe("\n");
});

it("can be made twice in one process", async () => {
  const make = (service: string) => {
    const metrics = createMetrics({ service, version: "1", processMetrics: false });
    metrics.counter({ name: "consilium_x_total", help: "x" }).inc();
    return metrics;
  };
  const [a, b] = [make("a"), make("b")];
  expect((await a.render()).body).toContain('consilium_x_total{service="a"} 1');
  expect((await b.render()).body).not.toContain('service="a"');
});
