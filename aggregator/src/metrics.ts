import type { ErrorCode } from "@consilium/core/errors";
import type { SiteView, StudyStatus } from "@consilium/core/operator/views";
import { softwareVersion } from "@consilium/core/version";
import { createMetrics, type Metrics } from "@consilium/runtime/metrics";
import type { StepRecord } from "./rounds/records.js";

/** Metrics that the rounds report. */
export interface StudyMeter {
  stepDone(kind: StepRecord["kind"], seconds: number): void;
  /** A stage's secure sum, or its rows or tags: an attempt completed or was abandoned. */
  attemptEnded(outcome: "done" | "failed"): void;
  /** @param code - why the site could not answer; null when it did not answer in time */
  droppedOut(code: ErrorCode | null): void;
  received(bytes: number): void;
  sent(bytes: number): void;
  studyEnded(status: StudyStatus, seconds: number): void;
}

/** What an aggregator counts, for Prometheus. Sites' ids are labels: the operator invited each of them. */
interface AggregatorMetrics {
  readonly all: Metrics;
  readonly meter: StudyMeter;
  /** A call of a site, or of a caller claiming to be one, was refused. */
  refused(method: string, code: ErrorCode): void;
  /** Reads the state of sites and studies at every scrape. */
  watch(state: {
    readonly sites: () => readonly Pick<
      SiteView,
      "id" | "presence" | "certificateExpiresAt" | "clockSkewMs"
    >[];
    readonly studies: () => ReadonlyMap<StudyStatus, number>;
  }): void;
}

export function aggregatorMetrics(): AggregatorMetrics {
  const all = createMetrics({ service: "aggregator", version: softwareVersion });
  const refusals = all.counter({
    name: "consilium_rpc_refused_total",
    help: "Refused calls of sites, by method and error code.",
    labelNames: ["method", "code"],
  });
  return {
    all,
    meter: studyMeter(all),
    refused: (method, code) => refusals.inc({ method, code }),
    watch: (state) => watch(all, state),
  };
}

function studyMeter(all: Metrics): StudyMeter {
  const steps = all.histogram({
    name: "consilium_step_duration_seconds",
    help: "Steps of studies, from the first question to the last answer, by kind.",
    labelNames: ["kind"],
    buckets: [0.1, 0.5, 2, 10, 60, 300, 1_800, 7_200, 86_400],
  });
  const attempts = all.counter({
    name: "consilium_stage_attempts_total",
    help: "Attempts at stages (secure sums, rows, tags) that ended, by outcome.",
    labelNames: ["outcome"],
  });
  const dropouts = all.counter({
    name: "consilium_dropouts_total",
    help: "Sites that a step continued without, by their error code; `silent` for those without an answer in time.",
    labelNames: ["code"],
  });
  const received = all.counter({
    name: "consilium_upload_bytes_total",
    help: "Bytes of complete uploads of masked vectors and rows from sites.",
  });
  const sent = all.counter({
    name: "consilium_broadcast_bytes_total",
    help: "Bytes of broadcasts that sites fetched.",
  });
  const studies = all.histogram({
    name: "consilium_study_duration_seconds",
    help: "Duration of ended studies, by outcome.",
    labelNames: ["status"],
    buckets: [10, 60, 600, 3_600, 21_600, 86_400, 604_800],
  });
  return {
    stepDone: (kind, seconds) => steps.observe({ kind }, seconds),
    attemptEnded: (outcome) => attempts.inc({ outcome }),
    droppedOut: (code) => dropouts.inc({ code: code ?? "silent" }),
    received: (bytes) => received.inc(bytes),
    sent: (bytes) => sent.inc(bytes),
    studyEnded: (status, seconds) => studies.observe({ status }, seconds),
  };
}

function watch(all: Metrics, { sites, studies }: Parameters<AggregatorMetrics["watch"]>[0]): void {
  all.gauge({
    name: "consilium_sites",
    help: "Sites by presence.",
    labelNames: ["presence"],
    collect() {
      this.reset();
      for (const { presence } of sites()) this.inc({ presence });
    },
  });
  all.gauge({
    name: "consilium_site_certificate_expiry_timestamp_seconds",
    help: "When a site's certificate ends, as Unix time, by site.",
    labelNames: ["site"],
    collect() {
      this.reset();
      for (const { id, presence, certificateExpiresAt } of sites()) {
        if (certificateExpiresAt === null || presence === "expelled") continue;
        this.set({ site: id }, Date.parse(certificateExpiresAt) / 1000);
      }
    },
  });
  all.gauge({
    name: "consilium_site_clock_skew_seconds",
    help: "A site's clock minus this one, when it last connected, by site.",
    labelNames: ["site"],
    collect() {
      this.reset();
      for (const { id, clockSkewMs } of sites()) {
        if (clockSkewMs !== null) this.set({ site: id }, clockSkewMs / 1000);
      }
    },
  });
  all.gauge({
    name: "consilium_studies",
    help: "Studies by status.",
    labelNames: ["status"],
    collect() {
      this.reset();
      for (const [status, count] of studies()) this.set({ status }, count);
    },
  });
}
