import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { VerifySignature } from "@consilium/secure-sum/crypto/sign";
import { fromBase64 } from "../bytes.js";
import { canonicalJson } from "../canonicalJson.js";
import { ConsiliumError } from "../errors.js";
import type { SiteId, StageId } from "../ids.js";
import type { Methods } from "../method/methods.js";
import type { PrivacyEvent } from "../privacy/events.js";
import { eventAsStated } from "../privacy/statedEvent.js";
import { err, ok, type Result } from "../result.js";
import { studyOnRoster } from "../study/onRoster.js";
import type { Plan } from "../study/plan.js";
import type { Study } from "../study/study.js";
import { counted } from "../words.js";
import { accountFor } from "./accounting.js";
import { attemptsFault, droppedFrom, survivorsNeeded } from "./attempts.js";
import { type Certificate, certificateFile, statementOfCertificate } from "./certificate.js";
import { checkCountersignature } from "./countersignature.js";
import { firstDifference } from "./difference.js";
import { headlineEpsilon, lossOfAttempts, skippedOf, statementText } from "./statement.js";

/** Who a site's chain proves to be, under an authority that the verifier already trusts. */
export interface CertifiedSite {
  readonly federation: string;
  readonly role: string;
  readonly id: string;
  /** Ed25519, 32 bytes. */
  readonly signingKey: Uint8Array;
}

export interface StatementChecks {
  /** By which the study's text is read. */
  readonly methods: Pick<Methods, "read">;
  /** What the study, by itself, plans: the verifier's own reading of its text. */
  plan(study: Study): Plan;
  /**
   * Verifies a site's chain under the trusted authority: it must have begun to be valid before the release was issued.
   * That it may have ended since the study began does not matter, the signing key stays over renewals.
   * @param issuedAtMs - milliseconds since 1970
   */
  identifySite(chainDer: readonly Uint8Array[], issuedAtMs: number): Result<CertifiedSite, ConsiliumError>;
  /** In place of `verifyMessage`, where there is no Node: a browser has only an asynchronous one. */
  readonly verifySignature?: VerifySignature;
}

/** What was found out about a certificate's statement. */
export interface VerifiedStatement {
  /** ε and ρ as recomputed from the listed events; null where an event has no bound. */
  readonly epsilon: number | null;
  readonly rho: number | null;
  /** ε by the plan's exact loss distribution, computed anew; null where the certificate states none. */
  readonly lossEpsilon: number | null;
  /** Attempts that were charged though no sum came of them. */
  readonly attemptsGivenUp: number;
  readonly countersigned: { readonly by: number; readonly of: number; readonly needed: number };
}

const corrupt = (what: string) => new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: ${what}`);

/**
 * Whether a certificate says what its study's plan and its attempts make true, no matter who signed it:
 * - the study's text is a study, and the verdict and its reasons are those of its plan;
 * - every survivor set is on the roster and reaches the threshold, both computed anew;
 * - the events are those of the plan, one for each attempt and, of a proven method, one for each stage that it went without,
 *   and ε is what they add up to, to the last bit;
 * - an ε by loss distribution is of the plan's own entries, each stage once, and no smaller than what is computed here;
 * - every site's key is certified under the root, every countersignature fits, and there are enough of them.
 * @returns RELEASE_CORRUPT, CERTIFICATE_EPSILON or COUNTERSIGNATURE_INVALID, naming the first thing that is wrong
 */
export function verifyStatement(
  certificate: Certificate,
  checks: StatementChecks,
): Result<VerifiedStatement, ConsiliumError> {
  const study = studyOf(certificate, checks);
  if (!study.ok) return study;
  const planned = planOf(certificate, study.value, checks);
  if (!planned.ok) return planned;
  const plan = planned.value;
  const fault = participationFault(certificate, study.value, plan) ?? claimFault(certificate, plan);
  if (fault !== null) return err(corrupt(fault));
  const accounted = accountingOf(certificate, plan);
  if (!accounted.ok) return accounted;
  const keys = certifiedKeys(certificate, checks);
  if (!keys.ok) return keys;
  const needed = survivorsNeeded(plan, study.value, certificate.sites.roster.length);
  const loss = lossOf(certificate, plan);
  if (!loss.ok) return loss;
  const signed = countersignaturesFault(certificate, keys.value, needed, checks.verifySignature);
  if (signed !== null) return err(signed);
  return ok({
    ...accounted.value,
    lossEpsilon: loss.value,
    attemptsGivenUp: certificate.sites.attempts.filter((one) => one.survivors === null).length,
    countersigned: { by: certificate.countersignatures.length, of: keys.value.size, needed },
  });
}

function studyOf(
  { study, release }: Certificate,
  { methods }: StatementChecks,
): Result<Study, ConsiliumError> {
  const read = methods.read(study.text, study.hash);
  if (!read.ok) return err(corrupt(`the study's text: ${read.error.message}`));
  const found = read.value.study;
  for (const name of ["name", "analysis", "method", "variant"] as const) {
    if (study[name] !== found[name]) return err(corrupt(`study.${name} is not what the study's text says`));
  }
  if (study.id !== release) return err(corrupt("the study is another than the release"));
  return ok(found);
}

/**
 * The plan on the certificate's roster; or, where its noise is sized so, that for the fewest sites: version 0.1 knew no other,
 * and it is never less noise. A text may be a valid study of another version that this one cannot plan.
 */
function planOf(
  { privacy, sites }: Certificate,
  study: Study,
  checks: StatementChecks,
): Result<Plan, ConsiliumError> {
  try {
    const sized = [studyOnRoster(study, sites.roster.length), study].map((size) => checks.plan(size));
    const stated = (plan: Plan) =>
      privacy.accounting.events.every(
        ({ stage, event }) => canonicalJson(plannedEvent(plan, stage)) === canonicalJson(event),
      );
    return ok(sized.find(stated) ?? sized[0]!);
  } catch (cause) {
    const message = "this version of the software has no plan for the study";
    return err(new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: ${message}`, { cause }));
  }
}

function plannedEvent({ stages }: Plan, stage: StageId): PrivacyEvent | null {
  const planned = stages.find(({ id }) => id === stage);
  return planned === undefined ? null : eventAsStated(planned.disclosure.event);
}

/** Roster, threshold and who took part at every attempt. */
function participationFault({ sites, privacy }: Certificate, study: Study, plan: Plan): string | null {
  const roster = sites.roster.map((member) => member.id);
  if (roster.some((id, index) => index > 0 && roster[index - 1]! >= id)) {
    return "the roster is not in order of ids, each once";
  }
  const { minimumSites, tolerateColluding } = study.participation;
  if (roster.length < minimumSites) return `${roster.length} sites took part, ${minimumSites} are the least`;
  if (study.participation.sites !== undefined) {
    const invited = new Set<string>(study.participation.sites);
    const stranger = roster.find((id) => !invited.has(id));
    if (stranger !== undefined) return `site ${stranger} was not invited`;
  }
  const threshold = survivorsNeeded(plan, study, roster.length);
  const difference = firstDifference(
    {
      minimumSites: sites.minimumSites,
      tolerateColluding: sites.tolerateColluding,
      threshold: sites.threshold,
    },
    { minimumSites, tolerateColluding, threshold },
  );
  if (difference !== null) return `sites.${difference} is not what follows from the study and the roster`;

  const fault = attemptsFault(sites.attempts, { plan, study, roster });
  if (fault !== null) return fault;
  for (const [index, one] of sites.attempts.entries()) {
    const dropped = one.survivors === null ? null : droppedFrom(roster, one.survivors);
    const kind = plan.stages.find((stage) => stage.id === one.stage)?.kind;
    const expected = { ...one, kind, dropped };
    const wrong = firstDifference(one, expected);
    if (wrong !== null) return `sites.attempts.${index}.${wrong} is not what follows from the rest`;
    const event = privacy.accounting.events[index];
    if (event?.stage !== one.stage || event.attempt !== one.attempt) {
      return `privacy.accounting.events.${index} is not that of stage ${one.stage}, attempt ${one.attempt}`;
    }
  }
  return privacy.accounting.events.length === sites.attempts.length
    ? null
    : "privacy.accounting.events lists more events than there were attempts";
}

/** The verdict and what belongs to it, but for the numbers. */
function claimFault({ privacy }: Certificate, { claim, stages }: Plan): string | null {
  for (const name of ["verdict", "delta", "neighbouringRelation", "unit", "proof", "reasons"] as const) {
    if (canonicalJson(privacy[name]) !== canonicalJson(claim[name])) {
      return `privacy.${name} is not that of the study's plan`;
    }
  }
  if (privacy.accounting.delta !== claim.delta) return "privacy.accounting.delta is not the study's";
  const listed = privacy.disclosures.map((one) => one.stage).join();
  return listed === stages.map((stage) => stage.id).join()
    ? null
    : "privacy.disclosures are not those of the plan's stages";
}

/** The events against the plan's, then ε and ρ against the events. */
function accountingOf(
  { privacy, sites }: Certificate,
  plan: Plan,
): Result<{ epsilon: number | null; rho: number | null }, ConsiliumError> {
  const wrong = (what: string) =>
    err(new ConsiliumError("CERTIFICATE_EPSILON", `${certificateFile}: ${what}`));
  const { claim } = plan;
  const { accounting } = privacy;
  for (const [index, { stage, event }] of accounting.events.entries()) {
    if (canonicalJson(event) !== canonicalJson(plannedEvent(plan, stage))) {
      return wrong(`privacy.accounting.events.${index} is not what the study's plan does at stage ${stage}`);
    }
  }
  const skipped = skippedOf(plan, sites.attempts);
  const total = accountFor(
    [...accounting.events, ...skipped].map((one) => one.event),
    accounting.delta,
  );
  if (accounting.skipped === undefined && skipped.length > 0) {
    return wrong(
      `it states epsilon ${shown(accounting.epsilon)}, that of the stages that ran; noisy results decided that ${counted(skipped.length, "stage")} did not, so only the plan's ${shown(total.epsilon)} is proven. Ask the federation to release the study anew`,
    );
  }
  if (canonicalJson(accounting.skipped ?? []) !== canonicalJson(skipped)) {
    return wrong("privacy.accounting.skipped are not the stages that the study went without");
  }
  for (const name of ["rho", "epsilon"] as const) {
    if (accounting[name] !== total[name]) {
      return wrong(`it says ${name} ${shown(accounting[name])}, its events add up to ${shown(total[name])}`);
    }
  }
  const epsilon = headlineEpsilon(claim, total.epsilon, accounting.lossDistribution ?? null);
  if (privacy.epsilon !== epsilon) {
    return wrong(`privacy.epsilon is ${shown(privacy.epsilon)}, it should be ${shown(epsilon)}`);
  }
  if (claim.verdict === "proved" && epsilon === null) return wrong("it is called proved and has no bound");
  return ok(total);
}

/**
 * The ε by loss distribution against the plan, computed anew. Certificates of earlier versions state none. A greater one than ours
 * is no fault: another version may bound it less sharply.
 */
function lossOf({ privacy, sites }: Certificate, plan: Plan): Result<number | null, ConsiliumError> {
  const wrong = (what: string) =>
    err(
      new ConsiliumError(
        "CERTIFICATE_EPSILON",
        `${certificateFile}: privacy.accounting.lossDistribution ${what}`,
      ),
    );
  const stated = privacy.accounting.lossDistribution;
  if (stated === undefined) return ok(null);
  if (plan.claim.lossDistribution === undefined) return wrong("is not proven for this study's plan");
  const own = lossOfAttempts(plan, sites.attempts);
  if (own === null) return wrong("covers each stage once, and a stage was attempted again");
  if (canonicalJson(stated.entries) !== canonicalJson(own.entries)) {
    return wrong("lists other entries than the study's plan");
  }
  if (stated.epsilon < own.epsilon) {
    return wrong(`says epsilon ${stated.epsilon}, its entries compose to ${own.epsilon}`);
  }
  return ok(own.epsilon);
}

function shown(value: number | null): string {
  return value === null ? "no bound" : String(value);
}

/** The signing key of every site of the roster, each certified under the root. */
function certifiedKeys(
  { sites, federation, issuedAt }: Certificate,
  { identifySite }: StatementChecks,
): Result<Map<SiteId, Uint8Array>, ConsiliumError> {
  const keys = new Map<SiteId, Uint8Array>();
  for (const { id, chain, signingKeyFingerprint } of sites.roster) {
    const found = identifySite(
      chain.map((der) => fromBase64(der) ?? new Uint8Array()),
      Date.parse(issuedAt),
    );
    const refuse = (what: string) => err(corrupt(`site ${id}: ${what}`));
    if (!found.ok) return refuse(`its certificate is not accepted: ${found.error.message}`);
    const { role, signingKey } = found.value;
    if (role !== "site" || found.value.id !== id || found.value.federation !== federation) {
      return refuse("its certificate is another's");
    }
    if (sha256(signingKey) !== signingKeyFingerprint) {
      return refuse("its signing key is not the one that its certificate names");
    }
    keys.set(id, signingKey);
  }
  return ok(keys);
}

function countersignaturesFault(
  certificate: Certificate,
  keys: ReadonlyMap<SiteId, Uint8Array>,
  needed: number,
  verifySignature: VerifySignature | undefined,
): ConsiliumError | null {
  const { countersignatures, missing, study } = certificate;
  const signers = countersignatures.map((one) => one.site);
  const rest = droppedFrom([...keys.keys()], signers);
  const inOrder = [...keys.keys()].filter((site) => signers.includes(site));
  if (signers.join() !== inOrder.join()) {
    return corrupt("countersignatures are not of sites of the roster, in its order, each once");
  }
  if (missing.join() !== rest.join()) return corrupt("missing does not list who did not countersign");
  const statement = statementText(statementOfCertificate(certificate));
  for (const one of countersignatures) {
    const checked = checkCountersignature(
      { ...one, signature: fromBase64(one.signature) ?? new Uint8Array() },
      {
        studyId: study.id,
        statement,
        signingKey: keys.get(one.site)!,
        ...(verifySignature === undefined ? {} : { verifySignature }),
      },
    );
    if (!checked.ok) return checked.error;
  }
  if (countersignatures.length >= needed) return null;
  return new ConsiliumError(
    "COUNTERSIGNATURE_INVALID",
    `${certificateFile}: countersigned by ${countersignatures.length} of ${keys.size} sites, ${needed} are needed`,
  );
}
