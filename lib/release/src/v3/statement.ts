import { fromBase64, utf8Of } from "@consilium/core/bytes";
import { ConsiliumError } from "@consilium/core/errors";
import { pldAccountant } from "@consilium/core/privacy/pld";
import { err, ok, type Result } from "@consilium/core/result";
import { epsilonAt, rhoOf, slack } from "@consilium/gate/cost";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { type VerifySignature, verifyMessage } from "@consilium/secure-sum/crypto/sign";
import type { Sha256, SiteId } from "@consilium/secure-sum/ids";
import type { StatementChecks } from "../v2/statement.js";
import { type Certificate, certificateFile, type PlanFacts, type StudyText } from "./schema.js";
import { entriesOf, eventOf, flowStage, hasPairs, rootedEntries } from "./terms.js";

/** What was found out about a certificate's statement. */
export interface VerifiedStatement {
  /** ε and ρ as shown: no less than what the plan's stages come to in all attempts; null where nothing is proven. */
  readonly epsilon: number | null;
  readonly rho: number | null;
  /**
   * ε by the exact loss distribution, computed anew; null where the certificate shows none, or over more than is computed within a
   * second. Such a figure is the aggregator's word, and no headline.
   */
  readonly lossEpsilon: number | null;
  /** Attempts that were charged though no sum came of them. */
  readonly attemptsGivenUp: number;
  readonly countersigned: { readonly by: number; readonly of: number; readonly needed: number };
}

const corrupt = (what: string) => new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: ${what}`);
const wrongEpsilon = (what: string) =>
  new ConsiliumError("CERTIFICATE_EPSILON", `${certificateFile}: ${what}`);

/** What is proven of a study, by its text alone. */
export type Verdict = "proved" | "claimed by the authors, not verified" | "no privacy";
export function verdictOf({ privacy, variant }: StudyText): Verdict {
  if (privacy === "none") return "no privacy";
  return variant === "sound" ? "proved" : "claimed by the authors, not verified";
}

/** T = max(⌊2s/3⌋ + 1, ⌊(s + c)/2⌋ + 1, minimumSites) of s sites, c of them colluding; all of them under dealt masks. */
export function thresholdOf({ stated, study }: Pick<Certificate, "stated" | "study">): number {
  const sites = stated.roster.length;
  if (stated.plan.masking === "dealer") return sites;
  const { minimumSites, tolerateColluding } = study.participation;
  return Math.max(
    Math.floor((2 * sites) / 3) + 1,
    Math.floor((sites + tolerateColluding) / 2) + 1,
    minimumSites,
  );
}

/**
 * Whether a certificate holds together, no matter who signed it. No method is asked, and nothing is planned: what the study does is the
 * plan that its sites countersigned.
 * - unit, δ, sites and what is proven are those of the study's text;
 * - every attempt is in the plan's order, at most `maxAttempts` of each stage, and every survivor set reaches the threshold;
 * - noise of a stage counts on no more shares than every sum has, and on no fewer sites than there were;
 * - shown ε and ρ are no less than what the stages come to, a stage that was skipped counted once;
 * - every site's key is certified under the root, every countersignature fits, and there are enough of them.
 * @returns RELEASE_CORRUPT, CERTIFICATE_EPSILON or COUNTERSIGNATURE_INVALID, naming the first thing that is wrong
 */
export function verifyStatement(
  certificate: Certificate,
  checks: StatementChecks,
): Result<VerifiedStatement, ConsiliumError> {
  const wrong = studyFault(certificate) ?? attemptsFault(certificate);
  if (wrong !== null) return err(corrupt(wrong));
  const total = totalOf(certificate);
  if (!total.ok) return total;
  const loss = lossOf(certificate);
  if (!loss.ok) return loss;
  const keys = certifiedKeys(certificate, checks);
  if (!keys.ok) return keys;
  const unsigned = countersignaturesFault(certificate, keys.value, checks.verifySignature ?? verifyMessage);
  if (unsigned !== null) return err(unsigned);
  const { shown, stated, countersignatures } = certificate;
  return ok({
    epsilon: shown.zcdp?.epsilon ?? null,
    rho: shown.zcdp?.rho ?? null,
    lossEpsilon: loss.value,
    attemptsGivenUp: stated.attempts.filter(({ dropped }) => dropped === null).length,
    countersigned: { by: countersignatures.length, of: keys.value.size, needed: thresholdOf(certificate) },
  });
}

// ---- the study and its plan ---------------------------------------------------------------------------------------

function studyFault({ stated, study }: Certificate): string | null {
  const { plan, roster } = stated;
  const ids = roster.map(({ id }) => id);
  if (ids.some((id, index) => index > 0 && ids[index - 1]! >= id))
    return "statement.roster is not in order of ids, each once";
  const { minimumSites, sites } = study.participation;
  if (ids.length < minimumSites) return `${ids.length} sites took part, ${minimumSites} are the least`;
  const stranger = ids.find((id) => sites?.includes(id) === false);
  if (stranger !== undefined) return `site ${stranger} was not invited`;
  if (thresholdOf({ stated, study }) > ids.length) return "statement.roster has fewer sites than a sum needs";

  const isProved = verdictOf(study) === "proved";
  const delta = study.privacy === "none" ? null : study.privacy.delta;
  if (plan.delta !== delta) return "statement.plan.delta is not the text's";
  if (isProved && delta! > 1e-3) return "statement.plan.delta is too large for a proof";
  if (plan.accounting.length > 0 !== isProved)
    return "statement.plan.accounting is not that of the study's variant";
  const unit = unitFault(plan.unit, study);
  if (unit !== null) return unit;
  if (study.release?.sums === true && !isProved) return "text.release.sums is true, and nothing is proven";
  const names = plan.stages.map(({ id }) => id);
  if (new Set(names).size !== names.length) return "statement.plan.stages has a stage twice";
  if (names.some((id) => id === flowStage) !== (study.flow === true))
    return "statement.plan.stages count the flow of rows otherwise than the text";
  return isProved ? sizingFault({ stated, study }) : null;
}

/** Rows of a patient count each, or together as the plan's weight says. */
function unitFault(unit: PlanFacts["unit"], { patient }: StudyText): string | null {
  const wrong = "statement.plan.unit is not the text's";
  if (unit.kind === "record") return patient === undefined ? null : wrong;
  if (patient === undefined || patient.maxRows !== unit.maxRows) return wrong;
  const weighs = patient.weighting === "patients" && patient.maxRows > 1;
  return weighs === (unit.weight !== null) ? null : wrong;
}

/** Noise counts on the shares that every sum has and nobody who colludes knows. */
function sizingFault({ stated, study }: Pick<Certificate, "stated" | "study">): string | null {
  const { plan, roster } = stated;
  if (plan.masking !== "pairwise") return "statement.plan.masking is not that of a proof";
  const least = thresholdOf({ stated, study }) - study.participation.tolerateColluding;
  for (const [at, stage] of plan.stages.entries()) {
    const place = `statement.plan.stages.${at}`;
    if (!("query" in stage)) return `${place} proves nothing`;
    if (stage.noise === null) return `${place}.noise is none`;
    if (stage.noise.shares > least) return `${place}.noise.shares are not in every sum`;
    if (stage.noise.sites < roster.length) return `${place}.noise.sites are fewer than took part`;
  }
  return null;
}

/** The plan's stages in order; of each the attempts in order, the last of which succeeded, or none where it may be skipped. */
function attemptsFault(certificate: Certificate): string | null {
  const { plan, attempts, roster } = certificate.stated;
  const place = new Map(roster.map(({ id }, index) => [id, index]));
  const needed = thresholdOf(certificate);
  let at = 0;
  for (const { id, mayBeSkipped } of plan.stages) {
    const first = at;
    let isDone = false;
    for (; attempts[at]?.stage === id; at++) {
      const { attempt, dropped } = attempts[at]!;
      const wrong = (what: string) => `statement.attempts.${at} ${what}`;
      if (isDone) return wrong("comes after one that succeeded");
      if (at > first && attempt <= attempts[at - 1]!.attempt) return wrong("is out of order");
      if (at - first >= plan.maxAttempts) return wrong("is one too many");
      if (dropped === null) continue;
      const places = dropped.map((site) => place.get(site) ?? -1);
      if (places.some((one, index) => one <= (places[index - 1] ?? -1)))
        return wrong("does not list sites of the roster in order, each once");
      if (roster.length - dropped.length < needed) return wrong("has fewer sites than a sum needs");
      isDone = true;
    }
    if (!isDone && (at > first || mayBeSkipped !== true)) return `stage ${id} has no attempt that succeeded`;
  }
  return at === attempts.length ? null : `statement.attempts.${at} is of no stage, or not in its place`;
}

// ---- what it costs ------------------------------------------------------------------------------------------------

function totalOf({ stated, shown, study }: Certificate): Result<null, ConsiliumError> {
  const { plan, attempts } = stated;
  const times = new Map<string, number>();
  for (const { stage } of attempts) times.set(stage, (times.get(stage) ?? 0) + 1);
  let rho = 0;
  const known = new Map<string, number>();
  for (const [at, stage] of plan.stages.entries()) {
    try {
      const event = eventOf(stage, plan.unit);
      const key = JSON.stringify(event);
      const own = known.get(key) ?? rhoOf(event);
      known.set(key, own);
      rho += own * Math.max(1, times.get(stage.id) ?? 0);
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      return err(corrupt(`statement.plan.stages.${at}: ${thrown.message}`));
    }
  }
  if (verdictOf(study) !== "proved") {
    return shown.zcdp === null && shown.exact === null
      ? ok(null)
      : err(wrongEpsilon("shown is more than what the plan proves"));
  }
  if (shown.zcdp === null) return err(wrongEpsilon("shown.zcdp is left out"));
  // At rho 0 nothing would have been added up.
  if (!(rho > 0 && shown.zcdp.rho >= rho * (1 - slack)))
    return err(wrongEpsilon(`shown.zcdp.rho is ${shown.zcdp.rho}, the stages come to ${rho}`));
  const epsilon = epsilonAt(rho, plan.delta!);
  if (shown.zcdp.epsilon >= epsilon * (1 - slack)) return ok(null);
  return err(wrongEpsilon(`shown.zcdp.epsilon is ${shown.zcdp.epsilon}, the stages come to ${epsilon}`));
}

/** More than this is not computed within a second. */
const maxKinds = 16;
const maxEntries = 2 ** 16;
const maxVariance = 256;

/** ε by the exact loss distribution; null where none is shown, or where it takes too long. */
function lossOf({ stated, shown }: Certificate): Result<number | null, ConsiliumError> {
  const { plan, attempts } = stated;
  if (shown.exact === null) return ok(null);
  const isOnce = new Set(attempts.map(({ stage }) => stage)).size === attempts.length;
  if (!isOnce || plan.accounting.length !== 2 || !hasPairs(plan))
    return err(wrongEpsilon("shown.exact is not proven for this study's plan"));
  if (rootedEntries(plan) > maxEntries) return ok(null);
  const entries = entriesOf(plan);
  let [all, variance] = [0, 0];
  for (const { shift, count } of entries) {
    all += count;
    variance += (count * shift.most ** 2) / (shift.noiseShares * shift.shareVariance);
  }
  if (entries.length > maxKinds || all > maxEntries || variance > maxVariance) return ok(null);
  try {
    const found = pldAccountant(entries).epsilon(plan.delta!);
    if (shown.exact.epsilon >= found) return ok(found);
    return err(wrongEpsilon(`shown.exact.epsilon is ${shown.exact.epsilon}, its noise composes to ${found}`));
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return err(wrongEpsilon("shown.exact is not proven for this study's plan"));
  }
}

// ---- who signed ---------------------------------------------------------------------------------------------------

/** The signing key of every site of the roster, each certified under the root. */
function certifiedKeys(
  { chains, stated, issuedAt }: Certificate,
  { identifySite }: StatementChecks,
): Result<Map<SiteId, Uint8Array>, ConsiliumError> {
  const keys = new Map<SiteId, Uint8Array>();
  const isOfRoster = Object.keys(chains).length === stated.roster.length;
  if (!isOfRoster || !stated.roster.every(({ id }) => Object.hasOwn(chains, id)))
    return err(corrupt("chains are not those of the roster"));
  for (const { id, signingKeyFingerprint } of stated.roster) {
    const refuse = (what: string) => err(corrupt(`site ${id}: ${what}`));
    const chain = chains[id]!.map((der) => fromBase64(der) ?? new Uint8Array());
    const found = identifySite(chain, Date.parse(issuedAt));
    if (!found.ok) return refuse(`its certificate is not accepted: ${found.error.message}`);
    const { role, signingKey } = found.value;
    if (role !== "site" || found.value.id !== id || found.value.federation !== stated.federation.name)
      return refuse("its certificate is another's");
    if (sha256(signingKey) !== signingKeyFingerprint)
      return refuse("its signing key is not the one that its certificate names");
    keys.set(id, signingKey);
  }
  return ok(keys);
}

function countersignaturesFault(
  certificate: Certificate,
  keys: ReadonlyMap<SiteId, Uint8Array>,
  verifySignature: VerifySignature,
): ConsiliumError | null {
  const { countersignatures, missing, statement, release } = certificate;
  const roster = [...keys.keys()];
  const signers = new Set(countersignatures.map(({ site }) => site));
  const there = roster.filter((id) => signers.has(id));
  if (countersignatures.map(({ site }) => site).join() !== there.join())
    return corrupt("countersignatures are not of sites of the roster, in its order, each once");
  if (missing.join() !== roster.filter((id) => !signers.has(id)).join())
    return corrupt("missing does not list who did not countersign");
  const hash = sha256("consilium statement v2\n", statement);
  for (const one of countersignatures) {
    const signature = fromBase64(one.signature) ?? new Uint8Array();
    if (!verifySignature(keys.get(one.site)!, countersignedBytes(release, hash, one), signature))
      return new ConsiliumError(
        "COUNTERSIGNATURE_INVALID",
        `study ${release}: the countersignature of ${one.site} does not fit the statement`,
      );
  }
  const needed = thresholdOf(certificate);
  if (countersignatures.length >= needed) return null;
  return new ConsiliumError(
    "COUNTERSIGNATURE_INVALID",
    `${certificateFile}: countersigned by ${countersignatures.length} of ${keys.size} sites, ${needed} are needed`,
  );
}

/** Every part has one form and no line break in it, so that no two countersignatures have one text. */
function countersignedBytes(
  study: string,
  statement: Sha256,
  { site, ledgerHead, ledgerEntries, software }: Certificate["countersignatures"][number],
): Uint8Array {
  const head = `${ledgerHead.sequence} ${ledgerHead.hash}`;
  const lines = ["consilium countersignature v2", study, site, statement, head, ...ledgerEntries, software];
  return utf8Of(lines.join("\n"));
}
