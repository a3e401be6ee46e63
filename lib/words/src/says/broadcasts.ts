import type { AnySaid, Id, Name, None } from "../said.js";

type Column = { readonly column: Name };

/** What is wrong with what a site was sent for a stage of a method, and with a row that a model is to predict. */
export interface BroadcastSays {
  /** @param kind - `sum`, `rows` or `tags`; null for any */
  readonly "broadcast.no-stage": { readonly method: Name; readonly kind: Name | null; readonly stage: Id };
  readonly "broadcast.not-sent": { readonly stage: Id; readonly name: Name };
  readonly "broadcast.no-group": { readonly site: Id };
  readonly "broadcast.at": { readonly stage: Id; readonly what: AnySaid };
  readonly "broadcast.ascending": { readonly name: Name; readonly count: number };
  /** @param exponent - of 2^-exponent. @param max - magnitude */
  readonly "broadcast.multiples": {
    readonly name: Name;
    readonly count: number;
    readonly exponent: number;
    readonly max: number;
  };
  readonly "broadcast.above-zero": { readonly name: Name };
  readonly "broadcast.joint-cells": { readonly max: number };
  readonly "broadcast.parents": { readonly columns: number };
  readonly "broadcast.untested": None;
  readonly "broadcast.not-standing": None;
  readonly "broadcast.candidate": None;
  readonly "broadcast.no-set": { readonly name: Name; readonly features: number };
  readonly "broadcast.empty-set": { readonly name: Name };
  readonly "broadcast.leaf-values": None;
  /** @param expected - null where it does not say */
  readonly "broadcast.nodes": {
    readonly stage: Id;
    readonly nodes: number;
    readonly expected: number | null;
  };
  readonly "broadcast.feature-twice": { readonly feature: Name };
  readonly "row.not-finite": Column;
  readonly "model.no-column": Column;
  readonly "model.no-value": Column;
  readonly "model.text": Column;
  readonly "model.not-finite": Column;
  readonly "model.no-level": Column;
}
