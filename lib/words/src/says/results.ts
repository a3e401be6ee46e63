import type { AnySaid, Name } from "../said.js";

/** A result of which something could not be computed. */
export interface ResultSays {
  /** Parts are missing, and the rest stands. @param again - 1: the same program came to it before, otherwise 0 */
  readonly "result.incomplete": {
    readonly missing: readonly AnySaid[];
    readonly again: number;
    readonly software: Name;
  };
  /** Nothing stands. */
  readonly "result.failed": { readonly again: number; readonly software: Name };
  readonly "result.accept-or-resume": Record<never, never>;
  readonly "result.resume": Record<never, never>;
  readonly "result.nothing-to-accept": Record<never, never>;
  /** In a release. */
  readonly "result.missing": { readonly missing: readonly AnySaid[] };
  /** One missing part, with its reason. */
  readonly "result.lacks": { readonly part: AnySaid; readonly reason: AnySaid };
  /** The publisher's list of files does not have the result that the sites signed. */
  readonly "result.not-as-signed": { readonly file: Name };
  /** The publisher could not write files of these parts. */
  readonly "result.unwritten": { readonly missing: readonly AnySaid[] };
  readonly "result.part.test": Record<never, never>;
  readonly "result.part.evaluation": Record<never, never>;
  readonly "result.part.predictor": Record<never, never>;
  readonly "result.part.curves": Record<never, never>;
  readonly "result.part.tables": Record<never, never>;
  readonly "result.part.figures": Record<never, never>;
  readonly "result.part.card": Record<never, never>;
  readonly "result.reason.fault": Record<never, never>;
  readonly "result.reason.unfit": Record<never, never>;
  readonly "result.reason.unwritten": Record<never, never>;
}
