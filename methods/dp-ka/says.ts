import type { AnySaid, Name, None } from "@consilium/words/said";

/** Released sets of features: what is sent. */
export interface DpKaSays {
  "dp-ka.rows": None;
  "dp-ka.test": { max: number };
  "dp-ka.table": { max: number; label: Name };
  "dp-ka.one-round": { counts: AnySaid };
  "dp-ka.because": { what: AnySaid; reason: AnySaid };
  "dp-ka.many-classes": { classes: number };
  "dp-ka.training-rows": { rows: number; units: AnySaid; needed: number };
  "dp-ka.large-features": { max: number; features: readonly Name[]; more: number };
  "dp-ka.few-rows": { expected: AnySaid; needed: number; units: AnySaid };
  "dp-ka.order-noise": { expected: AnySaid; needed: number; units: AnySaid };
  "dp-ka.order-declared": { expected: AnySaid; needed: number; units: AnySaid };
  "dp-ka.parts": None;
  "dp-ka.two-classes": { classes: number };
  "dp-ka.max-cells": { max: number; fewest: number };
  "dp-ka.threshold": { needed: number; units: AnySaid; rows: number };
}
