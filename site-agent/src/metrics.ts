import type { PopulationView } from "@consilium/core/hospital/ledgerViews";
import { softwareVersion } from "@consilium/core/version";
import { createMetrics, type Metrics } from "@consilium/runtime/metrics";
import type { SiteStudy } from "./studies/records.js";

/** What a site's agent counts, for Prometheus. Nothing here comes from a record. */
interface SiteMetrics {
  readonly all: Metrics;
  /**
   * What the hospital has spent of its budgets: its own affair, so in a registry of its own that only a person or a
   * program of the hospital reads.
   */
  readonly ledger: Metrics;
  /** A message was sent. */
  egress(what: string, bytes: number): void;
  /** Reads, whenever somebody asks, how the agent stands. */
  watch(state: {
    readonly connected: () => boolean;
    readonly studies: () => readonly Pick<SiteStudy, "status">[];
    /** Whether the policy file can be read: while it cannot, every study is refused. */
    readonly policyHolds: () => boolean;
    /** Null while the policy cannot be read. */
    readonly populations: () => readonly PopulationView[] | null;
    readonly ledgerEntries: () => number;
    /** Whether the ledger is known to be an old copy: nothing is spent then. */
    readonly ledgerBehind: () => boolean;
  }): void;
}

type Watched = Parameters<SiteMetrics["watch"]>[0];

export function siteMetrics(): SiteMetrics {
  const all = createMetrics({ service: "site-agent", version: softwareVersion });
  const ledger = createMetrics({
    service: "site-agent",
    version: softwareVersion,
    processMetrics: false,
  });
  const items = all.counter({
    name: "consilium_egress_items_total",
    help: "Messages that this hospital sent, by what they are.",
    labelNames: ["what"],
  });
  const bytes = all.counter({
    name: "consilium_egress_bytes_total",
    help: "Bytes of the messages that this hospital sent, by what they are.",
    labelNames: ["what"],
  });
  return {
    all,
    ledger,
    egress: (what, size) => {
      items.inc({ what });
      bytes.inc({ what }, size);
    },
    watch: (state) => {
      watchAgent(all, state);
      watchLedger(ledger, state);
    },
  };
}

function watchAgent(all: Metrics, state: Watched): void {
  const flag = (name: `consilium_${string}`, help: string, is: () => boolean) =>
    all.gauge({
      name,
      help,
      collect() {
        this.set(is() ? 1 : 0);
      },
    });
  flag("consilium_connected", "1 while the control stream to the aggregator is open.", state.connected);
  flag(
    "consilium_policy_readable",
    "1 while the policy can be read; while it cannot, every study is refused.",
    state.policyHolds,
  );
  flag(
    "consilium_ledger_behind",
    "1 while this copy of the ledger is known to be an old one: nothing is spent.",
    state.ledgerBehind,
  );
  all.gauge({
    name: "consilium_site_studies",
    help: "Studies that this hospital was asked to join, by status.",
    labelNames: ["status"],
    collect() {
      this.reset();
      for (const { status } of state.studies()) this.inc({ status });
    },
  });
  all.gauge({
    name: "consilium_studies_waiting_for_approval",
    help: "Studies that wait for a person at this hospital.",
    collect() {
      this.set(state.studies().filter(({ status }) => status === "waiting for approval").length);
    },
  });
}

function watchLedger(ledger: Metrics, state: Watched): void {
  ledger.gauge({
    name: "consilium_ledger_entries",
    help: "Entries of the ledger.",
    collect() {
      this.set(state.ledgerEntries());
    },
  });
  const byPopulation = (
    name: `consilium_${string}`,
    help: string,
    read: (population: PopulationView) => number | null,
  ) =>
    ledger.gauge({
      name,
      help,
      labelNames: ["population", "unit"],
      collect() {
        this.reset();
        for (const population of state.populations() ?? []) {
          const value = read(population);
          if (value !== null) this.set({ population: population.name, unit: population.unit }, value);
        }
      },
    });
  byPopulation(
    "consilium_ledger_epsilon_spent",
    "Epsilon that is spent per unit (row or patient), at the population's delta, rounded up.",
    ({ spent }) => spent,
  );
  byPopulation(
    "consilium_ledger_epsilon_reserved",
    "Epsilon that is reserved per unit (row or patient) for studies under way, rounded up.",
    ({ reserved }) => reserved,
  );
  byPopulation(
    "consilium_ledger_epsilon_limit",
    "The population's budget of epsilon per unit (row or patient); nothing where the hospital sets none.",
    ({ limit }) => limit,
  );
  byPopulation(
    "consilium_ledger_unproved_releases",
    "Releases for which nothing is proven.",
    ({ unbounded }) => unbounded,
  );
}
