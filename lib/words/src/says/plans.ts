import type { AnySaid, Name, None } from "../said.js";

type Apart = {
  readonly hospitals: readonly Name[];
  readonly more: number;
  readonly at: readonly Name[];
  readonly least: number;
};

/** What a plan warns of, or a study is refused for, before anybody takes part. */
export interface PlanSays {
  /** A regression over several hospitals. */
  readonly "plan.hospitals-pooled": Record<never, never>;
  /** Counts of a Poisson regression. @param max - its declared one */
  readonly "plan.counts-beyond-max": { readonly outcome: Name; readonly max: number };
  /** A regression of patients with several rows that each count 1. @param rows - of a patient, at most */
  readonly "plan.unweighted-rows": { readonly rows: number };
  /**
   * Figures of fewer hospitals than belong together.
   * @param hospitals - the first of them, with so many `more`
   * @param at - columns, or `where`
   * @param least - hospitals that a figure is of, where policies do not allow fewer
   */
  readonly "plan.per-hospital": Apart;
  /** A study whose release holds its sums. */
  readonly "plan.sums-public": Record<never, never>;
  /** ε at a population's δ: of the study, and of the budget that a new hospital's policy has. */
  readonly "plan.beyond-budget": { readonly needs: number; readonly limit: number; readonly delta: number };
  /** Why a hospital's policy refuses them. */
  readonly "plan.per-hospital-refused": Apart & { readonly study: Name };
  /** A policy that allows them, and one that does not. */
  readonly "plan.policy-per-hospital": Record<never, never>;
  readonly "plan.policy-together": Record<never, never>;
  /** A study that names hospitals, and invites all that are enrolled. */
  readonly "plan.sites-unnamed": { readonly hospitals: readonly Name[]; readonly at: readonly Name[] };
  /** A group of sites that is too small, of the study or of who has joined or is left. */
  readonly "plan.group-few": { readonly group: Name; readonly sites: number; readonly least: number };
  "plan.rows": { rows: number; patients: number; stated: number };
  "plan.evaluation-weak": { expected: AnySaid; needed: number };
  "plan.delta-large": { delta: number; rows: number; exponent: number };
  "plan.no-licence": None;
  "plan.no-creator": None;
  "plan.exact-sums": None;
  "plan.no-noise": None;
}
