import type { Name } from "../said.js";

type StageId = string & { readonly __brand: "StageId" };

/** Why a release is refused. `file` is the certificate, `at` a path in it. */
export interface ReleaseSays {
  readonly "release.unlike-text": { readonly file: Name; readonly at: Name };
  readonly "release.unlike-rest": { readonly file: Name; readonly at: Name };
  readonly "release.unlike-attempt": { readonly file: Name; readonly at: Name; readonly stage: StageId };
  /** Both as an event has them. */
  readonly "release.more-shares": {
    readonly file: Name;
    readonly stage: StageId;
    readonly shares: number;
    readonly sites: number;
  };
  readonly "release.below-events": {
    readonly file: Name;
    readonly at: Name;
    readonly stated: number;
    readonly least: number;
  };
  readonly "release.too-many-entries": { readonly file: Name };
  /** What this version's plan of the study says beside a certificate that holds. */
  readonly "release.planned-same": Record<never, never>;
  readonly "release.planned-otherwise": { readonly at: Name; readonly stated: Name; readonly planned: Name };
  readonly "release.not-planned": Record<never, never>;
  /** Of a release whose sums are not public, and its remedy. */
  readonly "release.no-sums": Record<never, never>;
  readonly "release.ask-for-sums": Record<never, never>;
  /** Since it was verified. */
  readonly "release.file-changed": { readonly file: Name };
  /** The first difference of a replay. @param stages - of a broadcast, those that it may depend on; of a result, the others */
  readonly "release.no-sum": { readonly stage: StageId };
  readonly "release.sum-unused": { readonly stage: StageId };
  readonly "release.sum-refused": { readonly stage: StageId; readonly reason: Name };
  readonly "release.no-draw": { readonly draw: Name };
  readonly "release.draw-unused": { readonly draw: Name };
  readonly "release.broadcast-otherwise": { readonly stages: readonly StageId[] };
  readonly "release.result-otherwise": {
    readonly at: Name;
    readonly stated: Name;
    readonly computed: Name;
    readonly stages: readonly StageId[];
  };
  readonly "release.row-otherwise": {
    readonly file: Name;
    readonly row: number;
    readonly column: Name;
    readonly stages: readonly StageId[];
  };
  /** A replay that came to the same, by the same version and by another. @param software - that the result names */
  readonly "release.replayed": { readonly sums: number; readonly software: Name };
  readonly "release.replayed-numbers": { readonly sums: number; readonly software: Name };
  /** What it does not say. @param stages - on whose sums no broadcast depends */
  readonly "release.sums-whose-word": { readonly stages: readonly StageId[] };
  readonly "release.no-folder": { readonly folder: Name };
  /** The remedy. */
  readonly "release.check-path": Record<never, never>;
  readonly "release.foreign-file": { readonly file: Name };
  readonly "release.file-missing": { readonly file: Name };
  readonly "release.file-too-long": { readonly file: Name; readonly max: number };
}
