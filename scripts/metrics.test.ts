import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { aggregatorMetrics } from "@consilium/aggregator/metrics";
import { measureLease } from "@consilium/aggregator/standby/standingBy";
import { publisherMetrics } from "@consilium/publisher/metrics";
import { measureRequests } from "@consilium/runtime/http/operations";
import { createHttpServer } from "@consilium/runtime/http/server";
import { createLogger } from "@consilium/runtime/log";
import { createMetrics, type DescribedMetric, type Metrics } from "@consilium/runtime/metrics";
import { measureCertificate, measureStore } from "@consilium/runtime/processMetrics";
import { measureDisk } from "@consilium/runtime/store/diskSpace";
import { openStore } from "@consilium/runtime/store/store";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { siteMetrics } from "@consilium/site-agent/metrics";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const store = openStore(":memory:", ["CREATE TABLE t (x INTEGER) STRICT"]);

/** Everything that the services render, as their processes make it. */
const aggregator = aggregatorMetrics();
aggregator.watch({
  sites: () => [
    { id: "st-mary", presence: "online", certificateExpiresAt: "2026-01-01T00:00:00Z", clockSkewMs: 1_500 },
    { id: "gone-away", presence: "expelled", certificateExpiresAt: null, clockSkewMs: null },
  ],
  studies: () => new Map([["running", 1]]),
});
const site = siteMetrics();
site.watch({
  connected: () => true,
  studies: () => [{ status: "waiting for approval" }],
  policyHolds: () => true,
  populations: () => [
    {
      name: "default",
      tables: [],
      delta: 1e-6,
      unit: "row",
      limit: null,
      spent: 0.25,
      reserved: 0,
      remaining: null,
      unbounded: 1,
      notes: [],
    },
  ],
  ledgerEntries: () => 3,
  ledgerBehind: () => false,
});
const publisher = publisherMetrics("0");
const siteConsole = createMetrics({ service: "site-console", version: "0" });
const registries: readonly Metrics[] = [aggregator.all, site.all, publisher.all, site.ledger, siteConsole];
for (const metrics of [publisher.all, aggregator.all, site.all]) {
  measureStore(metrics, store);
  measureDisk(metrics, testDisk());
}
for (const metrics of [aggregator.all, site.all, publisher.all])
  measureCertificate(metrics, () => Date.parse("2026-01-01T00:00:00Z"));
measureLease(aggregator.all, {
  view: {
    isHeld: true,
    holder: "first",
    epoch: 3,
    ageMs: 1_500,
    takenAt: 5_000,
    takenFrom: "second",
    fault: null,
  },
});
for (const metrics of [aggregator.all, siteConsole, publisher.all]) {
  const log = createLogger({ service: "test", level: "error" });
  const server = await createHttpServer({ log, access: () => ({ name: "", role: "viewer" }) });
  measureRequests(server, metrics);
  server.get("/x", { config: { role: "public" } }, async () => ({}));
  await server.inject({ url: "/x" });
}
store.run("INSERT INTO t VALUES (1)");
store.transaction(() => store.run("INSERT INTO t VALUES (2)"));

const described = new Map<string, DescribedMetric>(
  registries.flatMap((metrics) => metrics.described.map((one) => [one.name, one] as const)),
);
const rendered = (await Promise.all(registries.map(async (metrics) => (await metrics.render()).body))).join(
  "\n",
);
/** Names of series as Prometheus stores them, with their labels. */
const series = new Map<string, readonly string[]>();
for (const { name, type, labels } of described.values()) {
  if (type !== "histogram") series.set(name, labels);
  else for (const suffix of ["_bucket", "_count", "_sum"]) series.set(name + suffix, labels);
}
/** Put on by Prometheus, by every process of ours, or by every histogram. */
const everywhere = ["service", "instance", "job", "le"];

describe("a metric", () => {
  it.each([...described.values()])(
    "$name is named by Prometheus' conventions",
    ({ name, type, help, labels }) => {
      expect(name).toMatch(/^consilium(?:_[a-z0-9]+)+$/);
      expect(name.endsWith("_total")).toBe(type === "counter");
      if (type === "histogram") expect(name).toMatch(/_(?:seconds|bytes)$/);
      // Times and sizes in the base units.
      expect(name).not.toMatch(/_(?:ms|millis|milliseconds|minutes|kb|mb)(?:_|$)/);
      expect(help).toMatch(/\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
      expect(rendered).toContain(`# TYPE ${name} ${type}`);
    },
  );

  it("has the value of what it tells", () => {
    expect(rendered).toContain('consilium_sites{presence="online",service="aggregator"} 1');
    expect(rendered).toContain('consilium_site_clock_skew_seconds{site="st-mary",service="aggregator"} 1.5');
    expect(rendered).toMatch(/consilium_store_commit_duration_seconds_count\{service="aggregator"\} 0/);
    expect(rendered).toMatch(/consilium_store_commit_duration_seconds_count\{service="site-agent"\} [1-9]/);
    expect(rendered).toContain(
      'consilium_ledger_epsilon_spent{population="default",unit="row",service="site-agent"} 0.25',
    );
    expect(rendered).not.toContain("consilium_ledger_epsilon_limit{");
    expect(rendered).toContain(
      'consilium_ledger_unproved_releases{population="default",unit="row",service="site-agent"} 1',
    );
  });

  it("of the lease says who is active, and since when", () => {
    for (const line of [
      "aggregator_active",
      "lease_age_seconds",
      "lease_takeovers",
      "lease_taken_timestamp_seconds",
    ].map((name, at) => `consilium_${name}{service="aggregator"} ${[1, 1.5, 3, 5][at]}`))
      expect(rendered).toContain(line);
  });

  it("of what a hospital has spent is in no registry that strangers read", async () => {
    expect((await site.all.render()).body).not.toContain("epsilon");
  });

  it("is in one of the handbooks' tables, and no other is", async () => {
    const texts = await Promise.all(
      ["OPERATING", "HOSPITAL"].map((name) => readFile(`${root}docs/${name}.md`, "utf8")),
    );
    const tables = texts.map((text) => /^\| where \| metric \|.*?\n\n/ms.exec(text)?.[0] ?? "");
    const named = tables.flatMap((table) => [...new Set(table.match(/\bconsilium_[a-z0-9_]+/g))]);
    expect(named.sort()).toEqual([...described.keys()].sort());
  });
});

/** What is wrong with a PromQL expression's use of our metrics. */
function faultsOf(expression: string): string[] {
  const faults: string[] = [];
  const names = expression.match(/\b(?:consilium|process|nodejs)_\w+/g) ?? [];
  const labels = new Set(everywhere);
  for (const name of names) {
    for (const label of series.get(name) ?? []) labels.add(label);
    if (!series.has(name) && !new RegExp(`^${name}(?:\\{| )`, "m").test(rendered))
      faults.push(`no metric ${name}`);
  }
  if (names.length === 0 && !/\bup\b/.test(expression)) faults.push("asks for no metric of ours");
  const used = [
    ...[...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
      [...inside!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map((match) => match[1]!),
    ),
    ...[...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, inside]) =>
      inside!.split(",").map((one) => one.trim()),
    ),
  ];
  for (const label of used) if (!labels.has(label)) faults.push(`no label ${label}`);
  for (const [open, close] of ["()", "{}", "[]"]) {
    if (expression.split(open!).length !== expression.split(close!).length) faults.push(`unbalanced ${open}`);
  }
  return faults;
}

it("the check of expressions finds what is wrong", () => {
  expect(faultsOf("sum by (presence) (consilium_sites)")).toEqual([]);
  expect(faultsOf("consilium_nothing")).toEqual(["no metric consilium_nothing"]);
  expect(faultsOf("consilium_step_duration_seconds")).toEqual(["no metric consilium_step_duration_seconds"]);
  expect(faultsOf('consilium_sites{status="x"}')).toEqual(["no label status"]);
  expect(faultsOf("sum by (site) (consilium_sites")).toEqual(["no label site", "unbalanced ("]);
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}
const dashboard = JSON.parse(await readFile(`${root}deploy/grafana/dashboard.json`, "utf8")) as {
  readonly panels: readonly Panel[];
};

describe("the dashboard", () => {
  it("asks only for what there is", () => {
    for (const { title, targets } of dashboard.panels) {
      for (const { expr, datasource } of targets ?? []) {
        expect(faultsOf(expr), `${title}: ${expr}`).toEqual([]);
        expect(datasource.uid).toMatch(/^\$\{datasource\}$/);
      }
    }
  });

  it("shows everything there is", () => {
    const text = JSON.stringify(dashboard);
    for (const name of described.keys()) expect(text, name).toContain(name);
  });

  it("has panels that lie beside each other", () => {
    const cells = new Set<string>();
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { title, type, targets, gridPos } of dashboard.panels) {
      expect(type === "row" || targets!.length > 0, title).toBe(true);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells.has(`${x} ${y}`), title).toBe(false);
          cells.add(`${x} ${y}`);
        }
      }
    }
  });
});

describe("the rules", () => {
  it("ask only for what there is, and say what to do", async () => {
    const { groups } = parse(await readFile(`${root}deploy/grafana/alerts.yml`, "utf8"));
    const rules = groups.flatMap((group: { rules: unknown[] }) => group.rules) as {
      alert: string;
      expr: string;
      annotations: { summary: string; action: string };
      labels: { severity: string };
    }[];
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, expr, annotations, labels } of rules) {
      expect(faultsOf(expr), `${alert}: ${expr}`).toEqual([]);
      expect(annotations.action, alert).toMatch(/\S\.$/);
      expect(["info", "warning", "critical"]).toContain(labels.severity);
    }
  });

  it("are read by the sample configuration, which asks at the services' own addresses", async () => {
    const config = parse(await readFile(`${root}deploy/grafana/prometheus.yml`, "utf8"));
    expect(config.rule_files).toEqual(["alerts.yml"]);
    const paths = config.scrape_configs.map(
      (job: { metrics_path?: string }) => job.metrics_path ?? "/metrics",
    );
    expect(paths).toEqual(["/metrics", "/metrics", "/metrics", "/metrics/ledger"]);
  });
});
