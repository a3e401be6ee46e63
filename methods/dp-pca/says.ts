import type { AnySaid, Name, None } from "@consilium/words/said";

/** Principal components: what is sent. */
export interface DpPcaSays {
  "dp-pca.rectangle": { columns: number; directions: number; rows: AnySaid };
  "dp-pca.square": { columns: number; label: Name | null; rows: AnySaid };
  "dp-pca.reduced": { directions: number; label: Name | null; rows: AnySaid };
  "dp-pca.rows": { chosen: number };
  "dp-pca.declared": { what: AnySaid; reason: AnySaid };
  "dp-pca.noise": { deviation: number; exponent: number };
  "dp-pca.centre": { columns: number; reason: AnySaid | null; rows: AnySaid };
  "dp-pca.radius": { ranges: number };
  "dp-pca.ball-no-noise": None;
  "dp-pca.ball-category": None;
  "dp-pca.ball-rows-unknown": None;
  "dp-pca.ball-rows": { rows: number; needed: number };
  "dp-pca.few-rows": { components: number; needed: number; units: AnySaid; expected: AnySaid };
  "dp-pca.ball-noise": { expected: AnySaid; needed: number; units: AnySaid; patients: number };
  "dp-pca.centre-length": { numbers: number; columns: number };
  "dp-pca.iterations": None;
  "dp-pca.long-stage": { numbers: number; max: number };
  "dp-pca.ball-share": None;
  "dp-pca.ball-invalid": { what: AnySaid };
  "dp-pca.ball-length": { numbers: number; columns: number };
  "dp-pca.ball-centre": { exponent: number };
  "dp-pca.ball-radius": { radii: number };
  "dp-pca.directions-invalid": { what: AnySaid };
  "dp-pca.directions-length": { numbers: number; expected: number };
  "dp-pca.directions-values": { exponent: number };
  "dp-pca.not-orthonormal": { first: number; second: number };
}
