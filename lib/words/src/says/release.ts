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
}
