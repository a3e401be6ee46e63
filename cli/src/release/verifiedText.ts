import type { Replanned } from "@consilium/core/release/replanned";
import { epsilonText } from "@consilium/core/release/wording";
import { lines, nameOf } from "@consilium/core/said";
import { toldApart } from "@consilium/core/study/apart";
import { claimedUnit } from "@consilium/core/study/claimedUnit";
import { type Retired, retired, retiredName, retirementOf } from "@consilium/core/study/retired";
import type { Study } from "@consilium/core/study/study";
import { formatBytes } from "@consilium/core/units";
import { counted } from "@consilium/core/words";
import type { VerifiedMembers } from "@consilium/release/members";
import type { VerifiedRelease } from "@consilium/release/verify";
import { english } from "@consilium/runtime/http/spoken";
import type { ExpelledSigner } from "@consilium/runtime/release/expelledSigners";
import type { PlanSays } from "@consilium/words/says/plans";
import type { ReleaseSays } from "@consilium/words/says/release";
import { unitText } from "../study/claimText.js";
import { paragraph, printable } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import type { Timestamp } from "./timestamp.js";

/** One passed check. */
export interface Check {
  readonly check: string;
  readonly found: string;
}

/** The passed checks, in order. */
export function checksOf({ certificate, signer, statement }: VerifiedRelease): Check[] {
  const { sites, privacy, files, issuedAt } = certificate;
  const { by, of, needed } = statement.countersigned;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const ran = counted(sites.attempts.length, "attempt");
  const { skipped } = privacy;
  const events = skipped === 0 ? ran : `${ran} and ${counted(skipped, "stage")} skipped by the study`;
  const total =
    statement.epsilon === null
      ? `${events} without a proven bound, as the certificate states`
      : `${epsilonText(statement.epsilon)} at delta ${privacy.delta}, recomputed from ${events}: no more than the certificate's${exactText(statement.lossEpsilon)}`;
  return [
    { check: "signature", found: `${signer.id} of ${signer.federation} under the given root, ${issuedAt}` },
    { check: "study", found: "verdict, delta and sites are those of its text" },
    {
      check: "survivors",
      found: `at least ${sites.threshold} of ${of} sites in every stage, as the study and its roster require`,
    },
    { check: "epsilon", found: total },
    { check: "sites", found: `${by} of ${of} countersigned the privacy statement, ${needed} required` },
    { check: "files", found: `${files.length}, ${formatBytes(bytes)}, every SHA-256 as signed` },
  ];
}

function exactText(epsilon: number | null): string {
  return epsilon === null
    ? ""
    : `; ${epsilonText(epsilon)} by the exact loss distribution of its noise, also recomputed`;
}

const sentence = lines<ReleaseSays>();
const json = (value: unknown) => nameOf(JSON.stringify(value));

/** The remark of `--replan`. */
export function replannedText(remark: Replanned, style: Style): string {
  const line = (found: string) => paragraph("plan", printable(english(found)), { indent: 2, labelWidth: 12 });
  switch (remark.kind) {
    case "same":
      return line(sentence("release.planned-same", {}));
    case "otherwise": {
      const { path, stated, planned } = remark;
      const params = { at: nameOf(path), stated: json(stated), planned: json(planned) };
      return style.caution(line(sentence("release.planned-otherwise", params)));
    }
    case "not tried":
      return line(sentence("release.not-planned", {}));
  }
}

/** What of a verified release's plan this software has retired since: a remark, by which no release fails; null for nothing. */
export const retiredIn = (
  { stated, study }: Pick<VerifiedRelease["certificate"], "stated" | "study">,
  list: readonly Retired[] = retired,
): Retired | null => (stated === null ? null : retirementOf(study.method, stated.plan, list));

export function retiredText(one: Retired, style: Style): string {
  const found = printable(`${retiredName(one)}: ${one.why}`);
  return style.caution(paragraph("retired", found, { indent: 2, labelWidth: 12 }));
}

/** Who of those that signed was expelled. */
export function expelledText(expelled: readonly ExpelledSigner[], style: Style): string {
  const line = (found: string) => paragraph("expelled", printable(found), { indent: 2, labelWidth: 12 });
  if (expelled.length === 0) return line("none of those who signed");
  return style.caution(line(expelled.map(({ site, at }) => `${site} on ${at.slice(0, 10)}`).join(", ")));
}

/** Since when a release is there, by an authority's word. */
export function timestampText(timestamp: Timestamp | "unchecked"): string {
  const found =
    timestamp === "unchecked"
      ? "certificate.tsr is not checked; name its authority with --timestamp-authority"
      : `signed by ${timestamp.at} at the latest, says ${timestamp.by}`;
  return paragraph("time", printable(found), { indent: 2, labelWidth: 12 });
}

/** Who the hospitals are, and by whose word. */
export function membersText(members: VerifiedMembers | null): string {
  if (members === null) return "sites: the aggregator's word";
  const names = members.signers.map(({ name }) => printable(name)).join(", ");
  const of = members.listedAt === null ? "" : ` of ${members.listedAt.slice(0, 10)}`;
  return `sites: ${members.signers.length} members signed, by ${members.isSigned ? "the federation's" : "your"} list${of}: ${names}`;
}

/** A certificate's statements and the passed checks, for readers who decide whether to use the release. */
export function verifiedText(verified: VerifiedRelease, style: Style): string {
  const { certificate } = verified;
  const { privacy, study, sites, missing } = certificate;
  const label = { indent: 2, labelWidth: 12 };
  const perHospital = apartIn(certificate);
  const unit = unitText(claimedUnit(privacy.verdict, privacy.unit));
  const paragraphs = [
    ...(privacy.verdict === "no privacy" ? [] : [paragraph("unit", unit, label)]),
    ...(perHospital === null ? [] : [paragraph("shows", printable(english(perHospital)), label)]),
    ...noiseLines(verified).map((line, index) =>
      paragraph(index === 0 ? "noise" : "", printable(line), label),
    ),
    paragraph("release", printable(certificate.release), label),
    paragraph(
      "study",
      printable(`${study.id}: ${study.analysis}, ${study.method}, variant ${study.variant}`),
      label,
    ),
    paragraph("sites", sites.roster.map((site) => printable(site.id)).join(", "), label),
    paragraph("dropped", droppedText(verified), label),
    ...(missing.length === 0
      ? []
      : [paragraph("unsigned", printable(`not countersigned by ${missing.join(", ")}`), label)]),
  ];
  const checks = checksOf(verified).map(({ check, found }) =>
    paragraph(`ok ${check}`, printable(found), { indent: 2, labelWidth: 14 }),
  );
  return [
    `${style.good("Verified")}: ${verdictText(verified, style)}`,
    ...paragraphs,
    style.strong("Checked"),
    ...checks,
  ].join("\n");
}

/** The hospitals whose own figures a sound study shows, by its text alone; null too for a text that this version does not read. */
function apartIn({ study, sites }: VerifiedRelease["certificate"]): string | null {
  try {
    const ids = sites.roster.map(({ id }) => id);
    const apart = study.variant === "sound" ? toldApart(JSON.parse(study.text) as Study, ids) : null;
    return apart === null ? null : lines<PlanSays>()("plan.per-hospital", apart);
  } catch {
    return null;
  }
}

/** The verdict in plain words; an unproven ε never appears alone. */
function verdictText({ certificate }: VerifiedRelease, style: Style): string {
  const { verdict, epsilon, delta } = certificate.privacy;
  switch (verdict) {
    case "proved":
      return `privacy is ${style.good("proven")}, epsilon ${epsilonText(epsilon!)}, delta ${delta}`;
    case "claimed by the authors, not verified":
      return `epsilon ${epsilon}, delta ${delta}: ${style.caution(verdict)}`;
    case "no privacy":
      return style.caution("no privacy: no noise was added");
  }
}

function noiseLines({ certificate }: VerifiedRelease): string[] {
  return certificate.privacy.noise.map(
    ({ stage, guaranteedStdDev, noiseShares }) =>
      `${stage}: standard deviation at least ${guaranteedStdDev.toPrecision(4)} grid units, ` +
      `from any ${noiseShares} of the sites' shares`,
  );
}

function droppedText({ certificate }: VerifiedRelease): string {
  const told = certificate.sites.attempts.flatMap(({ stage, attempt, dropped }) => {
    if (dropped === null) return [`${stage}, attempt ${attempt}: abandoned, and charged`];
    return dropped.length === 0 ? [] : [`${stage}, attempt ${attempt}: ${dropped.join(", ")}`];
  });
  return told.length === 0 ? "none" : printable(told.join("; "));
}
