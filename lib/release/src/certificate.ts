import type { Certificate as Certificate2 } from "./v2/schema.js";
import type { Certificate as Certificate3 } from "./v3/schema.js";
import { thresholdOf, verdictOf } from "./v3/statement.js";

export {
  certificateFile,
  releaseFileName,
  releaseFolders,
  resultFile,
  rowsFile,
  signatureFile,
  timestampFile,
} from "./v3/schema.js";

export type ReleaseFile = Certificate2["files"][number];

/**
 * A certificate of either format as pages and commands show it: of format 2 as it stands, but for its sentences, of format 3 with what
 * follows from it. Its figures are verified with it.
 */
export interface ShownCertificate
  extends Pick<Certificate2, "release" | "federation" | "issuedAt" | "missing"> {
  readonly format: Certificate2["format"] | Certificate3["format"];
  readonly study: Certificate2["study"];
  readonly privacy: Pick<Certificate2["privacy"], "verdict" | "epsilon" | "delta"> & {
    readonly rho: number | null;
    /** ε by the exact loss distribution, where it is stated. */
    readonly exact: number | null;
    /** Stages that the study went without; they are counted. */
    readonly skipped: number;
    /** Of every stage with noise of the sites: standard deviation of what certainly hides a record, in grid units. */
    readonly noise: readonly {
      readonly stage: string;
      readonly guaranteedStdDev: number;
      readonly noiseShares: number;
    }[];
    /** What one unit of privacy is: a record, or a patient's rows, which weigh as one or count each. */
    readonly unit: Certificate3["stated"]["plan"]["unit"];
  };
  readonly sites: Pick<Certificate2["sites"], "roster" | "threshold" | "attempts" | "tolerateColluding">;
  readonly countersignatures: readonly { readonly site: string }[];
  /** Versions of what computed it, or of what the sites signed with. */
  readonly software: Readonly<Record<string, string>>;
  readonly files: readonly ReleaseFile[];
  /** Null of format 2, which states no plan. */
  readonly stated: Certificate3["stated"] | null;
}

export function shownCertificate(certificate: Certificate2 | Certificate3): ShownCertificate {
  return certificate.format === "consilium-certificate/2" ? shown2(certificate) : shown3(certificate);
}

function shown2({ privacy, ...certificate }: Certificate2): ShownCertificate {
  const { verdict, epsilon, delta, accounting, disclosures } = privacy;
  const { patient } = JSON.parse(certificate.study.text) as {
    patient?: { maxRows: number; weighting?: string };
  };
  const weight = patient?.weighting === "patients" && patient.maxRows > 1 ? 1 : null;
  return {
    ...certificate,
    privacy: {
      verdict,
      epsilon,
      delta,
      rho: accounting.rho,
      exact: accounting.lossDistribution?.epsilon ?? null,
      skipped: accounting.skipped?.length ?? 0,
      noise: disclosures.flatMap(({ stage, noise }) =>
        noise === null
          ? []
          : [{ stage, guaranteedStdDev: noise.guaranteedStdDev, noiseShares: noise.noiseShares }],
      ),
      unit:
        patient === undefined ? { kind: "record" } : { kind: "patient", maxRows: patient.maxRows, weight },
    },
    stated: null,
  };
}

function shown3(certificate: Certificate3): ShownCertificate {
  const { format, release, issuedAt, missing, stated, study, shown, files, renderings } = certificate;
  const { plan, roster } = stated;
  const { name, analysis, method, variant } = study;
  const ids = roster.map(({ id }) => id);
  const attempted = new Set(stated.attempts.map((one) => one.stage));
  const kinds = new Map(plan.stages.map(({ id, kind }) => [id, kind]));
  return {
    format,
    release,
    federation: stated.federation.name,
    issuedAt,
    missing,
    study: { ...stated.study, name, analysis, method, variant, text: certificate.text },
    privacy: {
      verdict: verdictOf(study),
      epsilon: headlineOf(certificate),
      delta: plan.delta,
      rho: shown.zcdp?.rho ?? null,
      exact: shown.exact?.epsilon ?? null,
      skipped: plan.stages.filter(({ id }) => !attempted.has(id)).length,
      noise: plan.stages.flatMap((stage) =>
        "noise" in stage && stage.noise !== null
          ? [
              {
                stage: stage.id,
                guaranteedStdDev: Math.sqrt(stage.noise.shares * stage.noise.shareVariance) * (1 - 2 ** -50),
                noiseShares: stage.noise.shares,
              },
            ]
          : [],
      ),
      unit: plan.unit,
    },
    sites: {
      roster: roster.map((member) => ({ ...member, chain: certificate.chains[member.id]! })),
      threshold: thresholdOf(certificate),
      tolerateColluding: study.participation.tolerateColluding,
      attempts: stated.attempts.map(({ stage, attempt, dropped }) => ({
        stage,
        attempt,
        kind: kinds.get(stage) ?? "sum",
        survivors: dropped === null ? null : ids.filter((id) => !dropped.includes(id)),
        dropped,
      })),
    },
    countersignatures: certificate.countersignatures,
    software: Object.fromEntries(certificate.countersignatures.map(({ site, software }) => [site, software])),
    files: [...files, ...renderings],
    stated,
  };
}

/** The one ε that a release shows: that of a study which sets a ρ of its own may be the sharper one. */
function headlineOf({ study, shown }: Pick<Certificate3, "study" | "shown">): number | null {
  if (study.privacy === "none") return null;
  if (verdictOf(study) !== "proved") return study.privacy.epsilon;
  const isOwn = study.privacy.rho !== undefined && shown.exact !== null;
  return isOwn ? shown.exact!.epsilon : (shown.zcdp?.epsilon ?? null);
}
