import { fromBase64, utf8Of } from "@consilium/core/bytes";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { pldAccountant } from "@consilium/core/privacy/pld";
import { err, ok, type Result } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import { type ChargedEvent, epsilonAt, rhoOf, type SumEvent, slack } from "@consilium/gate/cost";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { type VerifySignature, verifyMessage } from "@consilium/secure-sum/crypto/sign";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/secure-sum/ids";
import type { ReleaseSays } from "@consilium/words/says/release";
import {
  type Certificate,
  certificateFile,
  maxStatementBytes,
  parseStudyText,
  type Statement,
  type StudyText,
} from "./schema.js";

/** Who a site's chain proves to be, under an authority that the verifier already trusts. */
export interface CertifiedSite {
  readonly federation: string;
  readonly role: string;
  readonly id: string;
  /** Ed25519, 32 bytes. */
  readonly signingKey: Uint8Array;
}

export interface StatementChecks {
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
  /** ε and ρ as stated: no less than what the listed events come to; null where an event has no bound. */
  readonly epsilon: number | null;
  readonly rho: number | null;
  /**
   * ε by the exact loss distribution of the listed noise, computed anew; null where the certificate states none, or over more than is
   * computed within a second. Such a figure is the sites' word, and no headline.
   */
  readonly lossEpsilon: number | null;
  /** Attempts that were charged though no sum came of them. */
  readonly attemptsGivenUp: number;
  readonly countersigned: { readonly by: number; readonly of: number; readonly needed: number };
}

const fault = faults<ReleaseSays>();
const corrupt = (what: string) => new ConsiliumError("RELEASE_CORRUPT", `${certificateFile}: ${what}`);
const wrongEpsilon = (what: string) =>
  new ConsiliumError("CERTIFICATE_EPSILON", `${certificateFile}: ${what}`);
const unlikeText = (at: string) =>
  fault("RELEASE_CORRUPT", "release.unlike-text", { file: nameOf(certificateFile), at: nameOf(at) });
const unlikeRest = (at: string) =>
  fault("RELEASE_CORRUPT", "release.unlike-rest", { file: nameOf(certificateFile), at: nameOf(at) });
const below = (at: string, stated: number, least: number) =>
  fault("CERTIFICATE_EPSILON", "release.below-events", {
    file: nameOf(certificateFile),
    at: nameOf(at),
    stated,
    least,
  });

/**
 * Whether a certificate holds together, no matter who signed it. Nothing is planned: what the study does is what its sites
 * countersigned.
 * - what it repeats of the study's text is in the text;
 * - every survivor set is on the roster and reaches the threshold, which follows from the certificate's own numbers;
 * - every attempt has its stage's event, of a proven method every stage that the study went without has one too, and ε and ρ are no
 *   less than what these come to;
 * - an ε by loss distribution covers the same noise, each stage once, and is no smaller than what is computed here;
 * - every site's key is certified under the root, every countersignature fits, and there are enough of them.
 * @returns RELEASE_CORRUPT, CERTIFICATE_EPSILON or COUNTERSIGNATURE_INVALID, naming the first thing that is wrong
 */
export function verifyStatement(
  certificate: Certificate,
  checks: StatementChecks,
): Result<VerifiedStatement, ConsiliumError> {
  const text = parseStudyText(certificate.study.text);
  if (!text.ok) return text;
  const wrong =
    studyFault(certificate, text.value) ??
    participationFault(certificate) ??
    skippedFault(certificate) ??
    disclosuresFault(certificate, text.value) ??
    accountingFault(certificate);
  if (wrong !== null) return err(wrong);
  const loss = lossOf(certificate, text.value);
  if (!loss.ok) return loss;
  const shown = headlineFault(certificate, text.value, loss.value);
  if (shown !== null) return err(shown);
  const keys = certifiedKeys(certificate, checks);
  if (!keys.ok) return keys;
  const unsigned = countersignaturesFault(certificate, keys.value, checks.verifySignature ?? verifyMessage);
  if (unsigned !== null) return err(unsigned);
  const { sites, privacy, countersignatures } = certificate;
  return ok({
    epsilon: privacy.accounting.epsilon,
    rho: privacy.accounting.rho,
    lossEpsilon: loss.value,
    attemptsGivenUp: sites.attempts.filter(({ survivors }) => survivors === null).length,
    countersigned: { by: countersignatures.length, of: keys.value.size, needed: sites.threshold },
  });
}

// ---- the study's text -------------------------------------------------------------------------------------------

function studyFault({ study, release, sites, privacy }: Certificate, text: StudyText): ConsiliumError | null {
  for (const name of ["name", "analysis", "method", "variant"] as const) {
    if (study[name] !== text[name]) return corrupt(`study.${name} is not what the study's text says`);
  }
  if (study.id !== release) return corrupt("the study is another than the release");
  const { minimumSites, tolerateColluding, sites: invited } = text.participation;
  if (sites.minimumSites !== minimumSites) return unlikeText("sites.minimumSites");
  if (sites.tolerateColluding !== tolerateColluding) return unlikeText("sites.tolerateColluding");
  const stranger = sites.roster.find(({ id }) => invited?.includes(id) === false);
  if (stranger !== undefined) return corrupt(`site ${stranger.id} was not invited`);

  if (privacy.verdict !== verdictOf(text)) return unlikeText("privacy.verdict");
  const delta = text.privacy === "none" ? null : text.privacy.delta;
  if (privacy.delta !== delta) return unlikeText("privacy.delta");
  if (privacy.accounting.delta !== delta) return unlikeText("privacy.accounting.delta");
  const isProved = privacy.verdict === "proved";
  if ((privacy.proof !== null) !== isProved) return unlikeRest("privacy.proof");
  return isProved && privacy.reasons.length > 0 ? unlikeRest("privacy.reasons") : null;
}

function verdictOf({ privacy, variant }: StudyText): Statement["privacy"]["verdict"] {
  if (privacy === "none") return "no privacy";
  return variant === "sound" ? "proved" : "claimed by the authors, not verified";
}

/** Rows of a patient that each count; 1 where records do, or a patient's rows weigh as much as one. */
function rowsPerUnit({ patient }: StudyText): number {
  return patient === undefined || patient.weighting === "patients" ? 1 : patient.maxRows;
}

// ---- who took part ----------------------------------------------------------------------------------------------

/**
 * T = max(⌊2s/3⌋ + 1, ⌊(s + c)/2⌋ + 1, minimumSites) of s sites, c of them colluding; all of them under dealt masks, of which this
 * format says nothing.
 */
function isThreshold({ roster, minimumSites, tolerateColluding, threshold }: Statement["sites"]): boolean {
  const sites = roster.length;
  const least = Math.max(
    Math.floor((2 * sites) / 3) + 1,
    Math.floor((sites + tolerateColluding) / 2) + 1,
    minimumSites,
  );
  return threshold === sites || (threshold === least && least <= sites);
}

/** Roster, threshold and who took part at every attempt. */
function participationFault({ sites, privacy }: Certificate): ConsiliumError | null {
  const roster = sites.roster.map(({ id }) => id);
  if (roster.some((id, index) => index > 0 && roster[index - 1]! >= id)) {
    return corrupt("the roster is not in order of ids, each once");
  }
  const { minimumSites, threshold, attempts } = sites;
  if (roster.length < minimumSites) {
    return corrupt(`${roster.length} sites took part, ${minimumSites} are the least`);
  }
  if (!isThreshold(sites)) {
    return corrupt("sites.threshold is not what follows from the study and the roster");
  }
  const wrong = attemptsFault(sites, privacy);
  if (wrong !== null) return corrupt(wrong);
  const place = new Map(roster.map((id, index) => [id, index]));
  const { events } = privacy.accounting;
  for (const [index, { stage, attempt, survivors, dropped }] of attempts.entries()) {
    if (survivors !== null) {
      const unfit = survivorsFault(survivors, place, threshold);
      if (unfit !== null) return corrupt(`stage ${stage}, attempt ${attempt} ${unfit}`);
    }
    const others = survivors === null ? null : othersOf(roster, survivors);
    if (others?.join() !== dropped?.join()) {
      return corrupt(`sites.attempts.${index}.dropped is not what follows from the rest`);
    }
    if (events[index]?.stage !== stage || events[index].attempt !== attempt) {
      return corrupt(`privacy.accounting.events.${index} is not that of stage ${stage}, attempt ${attempt}`);
    }
  }
  return events.length === attempts.length
    ? null
    : corrupt("privacy.accounting.events lists more events than there were attempts");
}

/** The attempts follow the listed stages. Those at one stage rise in number; the last one succeeded and the others were given up. */
function attemptsFault({ attempts }: Statement["sites"], privacy: Statement["privacy"]): string | null {
  const stages = privacy.disclosures.map(({ stage }) => stage);
  if (new Set(stages).size < stages.length) return "privacy.disclosures lists a stage twice";
  let at = 0;
  for (const id of stages) {
    const first = at;
    for (; attempts[at]?.stage === id; at++) {
      const place = `stage ${id}, attempt ${attempts[at]!.attempt}`;
      if (at === first) continue;
      const before = attempts[at - 1]!;
      if (attempts[at]!.attempt <= before.attempt) return `${place} is out of order`;
      if (before.survivors !== null) return `${place} comes after one that succeeded`;
    }
    if (at > first && attempts[at - 1]!.survivors === null)
      return `stage ${id} has no attempt that succeeded`;
  }
  const more = attempts[at];
  return more === undefined ? null : `stage ${more.stage} is not the plan's, or not in its place`;
}

/** Of a proven study every stage without an attempt is among the skipped. */
function skippedFault({ sites, privacy }: Certificate): ConsiliumError | null {
  const { accounting } = privacy;
  const attempted = new Set(sites.attempts.map(({ stage }) => stage));
  const due =
    privacy.verdict === "proved"
      ? privacy.disclosures.map(({ stage }) => stage).filter((stage) => !attempted.has(stage))
      : [];
  if (accounting.skipped === undefined && due.length > 0)
    return wrongEpsilon(
      `it states epsilon ${accounting.epsilon ?? "no bound"}, that of the stages that ran; noisy results decided that ${due.length} did not, and these count too. Ask the federation to release the study anew`,
    );
  const skipped = (accounting.skipped ?? []).map(({ stage }) => stage);
  return skipped.join() === due.join()
    ? null
    : wrongEpsilon("privacy.accounting.skipped are not the stages that the study went without");
}

function survivorsFault(
  survivors: readonly SiteId[],
  place: ReadonlyMap<SiteId, number>,
  threshold: number,
): string | null {
  let last = -1;
  for (const site of survivors) {
    const index = place.get(site);
    if (index === undefined) return "names a survivor that is not on the roster";
    if (index <= last) return "does not list its survivors in order, each once";
    last = index;
  }
  return survivors.length < threshold
    ? `has ${survivors.length} survivors, ${threshold} are the least`
    : null;
}

/** The sites of a roster that are not among these, in the roster's order. */
function othersOf(roster: readonly SiteId[], these: readonly SiteId[]): SiteId[] {
  const there = new Set(these);
  return roster.filter((site) => !there.has(site));
}

// ---- what it cost -----------------------------------------------------------------------------------------------

const kinds = { "masked sum": "sum", "rows in the clear": "rows", "tag counts": "tags" } as const;

/** Each stage of the study once: what it sent, and the event of every attempt at it. */
interface Charged {
  readonly event: ChargedEvent;
  readonly attempts: number;
}

function chargedStages({ accounting }: Statement["privacy"]): Map<StageId, Charged> {
  const stages = new Map<StageId, Charged>();
  for (const { stage, event } of accounting.events)
    stages.set(stage, { event, attempts: (stages.get(stage)?.attempts ?? 0) + 1 });
  // A stage that the study went without counts once.
  for (const { stage, event } of accounting.skipped ?? []) stages.set(stage, { event, attempts: 1 });
  return stages;
}

type Loss = NonNullable<Statement["privacy"]["accounting"]["lossDistribution"]>;

const sumOf = (event: ChargedEvent): SumEvent | null => {
  if (event.kind === "no-bound") return null;
  return event.kind === "group" ? event.event : event;
};

/** The events against each other, the study's text, the roster, and what is said of the stages. */
function disclosuresFault({ privacy, sites }: Certificate, text: StudyText): ConsiliumError | null {
  const stages = chargedStages(privacy);
  const forms = new Map(privacy.disclosures.map(({ stage, form }) => [stage, form]));
  for (const [index, { stage, event }] of privacy.accounting.events.entries()) {
    if (canonicalJson(event) !== canonicalJson(stages.get(stage)!.event))
      return fault("CERTIFICATE_EPSILON", "release.unlike-attempt", {
        file: nameOf(certificateFile),
        at: nameOf(`privacy.accounting.events.${index}`),
        stage,
      });
    if (sites.attempts[index]!.kind !== kinds[forms.get(stage)!])
      return unlikeRest(`sites.attempts.${index}.kind`);
  }
  for (const [index, { stage, form, cost, entries, noise }] of privacy.disclosures.entries()) {
    const at = (member: string) => `privacy.disclosures.${index}.${member}`;
    if ((entries !== null) !== (form === "masked sum")) return unlikeRest(at("entries"));
    const event = stages.get(stage)?.event;
    if (event === undefined) continue;
    const sum = sumOf(event);
    if ((sum === null) !== (noise === null)) return unlikeRest(at("noise"));
    if (sum === null || noise === null) continue;
    const { shareVariance, noiseShares } = sum;
    const records = event.kind === "group" ? event.records : 1;
    if (records !== rowsPerUnit(text)) return unlikeText(`privacy.accounting: ${stage}`);
    if (sum.sites < sites.roster.length || noiseShares > sites.threshold - sites.tolerateColluding)
      return fault("CERTIFICATE_EPSILON", "release.more-shares", {
        file: nameOf(certificateFile),
        stage,
        shares: noiseShares,
        sites: sum.sites,
      });
    if (entries !== sum.groups.reduce((all, group) => all + group.entries, 0))
      return unlikeRest(at("entries"));
    const stdDev = Math.sqrt(noiseShares * shareVariance) * (1 + slack);
    if (noise.shareVariance !== shareVariance || noise.noiseShares !== noiseShares)
      return unlikeRest(at("noise"));
    if (noise.guaranteedStdDev > stdDev) return unlikeRest(at("noise.guaranteedStdDev"));
    if (cost === null || privacy.verdict !== "proved") continue;
    const least = epsilonAt(rhoOf(event), privacy.delta!);
    if (cost.delta !== privacy.delta) return unlikeText(at("cost.delta"));
    if (cost.epsilon < least * (1 - slack)) return below(at("cost.epsilon"), cost.epsilon, least);
  }
  return null;
}

/** ρ and ε against the events: neither may be less than what these come to. */
function accountingFault({ privacy: { accounting, ...privacy } }: Certificate): ConsiliumError | null {
  let rho = 0;
  for (const { event, attempts } of chargedStages({ ...privacy, accounting }).values())
    rho += rhoOf(event) * attempts;
  const { delta } = accounting;
  const isBounded = Number.isFinite(rho) && delta !== null;
  if (!isBounded && privacy.verdict === "proved") return wrongEpsilon("it is called proved and has no bound");
  const least = { rho, epsilon: isBounded && rho > 0 ? epsilonAt(rho, delta) : 0 };
  for (const name of ["rho", "epsilon"] as const) {
    const stated = accounting[name];
    if ((stated !== null) !== isBounded) return wrongEpsilon(`it says ${name} ${stated ?? "no bound"}`);
    if (stated !== null && stated < least[name] * (1 - slack))
      return wrongEpsilon(`it says ${name} ${stated}, its events add up to ${least[name]}`);
  }
  return null;
}

/** What is composed within a second: so many entries, of so many kinds, whose loss has at most this variance (ε is some 300 there). */
const maxKinds = 16;
const maxEntries = 2 ** 16;
const maxVariance = 256;

/** The ε by loss distribution, computed anew over entries that together have at least the listed events' part of their noise. */
function lossOf({ privacy, sites }: Certificate, text: StudyText): Result<number | null, ConsiliumError> {
  const at = "privacy.accounting.lossDistribution";
  const { lossDistribution: stated, delta } = privacy.accounting;
  if (stated === undefined) return ok(null);
  if (privacy.verdict !== "proved" || (text.patient?.maxRows ?? 1) !== 1)
    return err(wrongEpsilon(`${at} is not proven for this study's plan`));
  const stages = [...chargedStages(privacy).values()];
  if (sites.attempts.length !== new Set(sites.attempts.map(({ stage }) => stage)).size)
    return err(wrongEpsilon(`${at} covers each stage once, and a stage was attempted again`));
  const noiseOf = ({ shareVariance, noiseShares }: { shareVariance: number; noiseShares: number }) =>
    `${shareVariance} ${noiseShares}`;
  const entries = new Map<string, number>();
  for (const { shift, count } of stated.entries)
    entries.set(noiseOf(shift), (entries.get(noiseOf(shift)) ?? 0) + count * shift.most ** 2);
  const events = new Map<string, number>();
  for (const { event } of stages) {
    const sum = sumOf(event)!;
    if (sum.groups.some(({ weight }) => weight !== 1))
      return err(wrongEpsilon(`${at} is not proven for this study's plan`));
    events.set(noiseOf(sum), (events.get(noiseOf(sum)) ?? 0) + sum.l2SensitivitySquared);
  }
  for (const [noise, squares] of events) {
    if (!((entries.get(noise) ?? 0) >= squares * (1 - slack)))
      return err(wrongEpsilon(`${at} lists other entries than the study's plan`));
    entries.delete(noise);
  }
  if (entries.size > 0) return err(wrongEpsilon(`${at} lists other entries than the study's plan`));
  if (!isComposed(stated.entries)) return ok(null);
  try {
    const found = pldAccountant(stated.entries).epsilon(delta!);
    if (stated.epsilon >= found) return ok(found);
    return err(wrongEpsilon(`${at} says epsilon ${stated.epsilon}, its entries compose to ${found}`));
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return err(wrongEpsilon(`${at} is not proven for this study's plan`));
  }
}

function isComposed(entries: Loss["entries"]): boolean {
  let all = 0;
  let variance = 0;
  for (const { shift, count } of entries) {
    all += count;
    variance += (count * shift.most ** 2) / (shift.noiseShares * shift.shareVariance);
  }
  return entries.length <= maxKinds && all <= maxEntries && variance <= maxVariance;
}

/**
 * The one ε that a release shows.
 * @param loss - that by loss distribution, as computed anew
 */
function headlineFault(
  { privacy }: Certificate,
  text: StudyText,
  loss: number | null,
): ConsiliumError | null {
  const { epsilon, accounting } = privacy;
  const wrong = (due: number | null) =>
    epsilon === due
      ? null
      : wrongEpsilon(`privacy.epsilon is ${epsilon ?? "no bound"}, it should be ${due ?? "no bound"}`);
  if (text.privacy === "none") return wrong(null);
  if (privacy.verdict !== "proved") return wrong(text.privacy.epsilon);
  // A study that sets a ρ of its own may show the sharper figure.
  const exact = text.privacy.rho === undefined ? undefined : accounting.lossDistribution?.epsilon;
  if (epsilon !== exact) return wrong(accounting.epsilon);
  return loss === null
    ? fault("CERTIFICATE_EPSILON", "release.too-many-entries", { file: nameOf(certificateFile) })
    : null;
}

// ---- who signed -------------------------------------------------------------------------------------------------

/** The signing key of every site of the roster, each certified under the root. */
function certifiedKeys(
  { sites, federation, issuedAt }: Certificate,
  { identifySite }: StatementChecks,
): Result<Map<SiteId, Uint8Array>, ConsiliumError> {
  const keys = new Map<SiteId, Uint8Array>();
  for (const { id, chain, signingKeyFingerprint } of sites.roster) {
    const refuse = (what: string) => err(corrupt(`site ${id}: ${what}`));
    const found = identifySite(
      chain.map((der) => fromBase64(der) ?? new Uint8Array()),
      Date.parse(issuedAt),
    );
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
  verifySignature: VerifySignature,
): ConsiliumError | null {
  const { countersignatures, missing, study, sites } = certificate;
  const roster = [...keys.keys()];
  const signers = countersignatures.map(({ site }) => site);
  const rest = othersOf(roster, signers);
  if (signers.join() !== othersOf(roster, rest).join()) {
    return corrupt("countersignatures are not of sites of the roster, in its order, each once");
  }
  if (missing.join() !== rest.join()) return corrupt("missing does not list who did not countersign");
  const statement = utf8Of(statementText(certificate));
  if (statement.length > maxStatementBytes) return unlikeRest("privacy");
  const hash = sha256(statementDomain, statement);
  for (const one of countersignatures) {
    const signature = fromBase64(one.signature) ?? new Uint8Array();
    if (!verifySignature(keys.get(one.site)!, countersignedBytes(study.id, hash, one), signature)) {
      const what = `study ${study.id}: the countersignature of ${one.site} does not fit the statement`;
      return new ConsiliumError("COUNTERSIGNATURE_INVALID", what);
    }
  }
  if (countersignatures.length >= sites.threshold) return null;
  const by = `countersigned by ${countersignatures.length} of ${keys.size} sites, ${sites.threshold} are needed`;
  return new ConsiliumError("COUNTERSIGNATURE_INVALID", `${certificateFile}: ${by}`);
}

/** The part of a certificate that the sites countersign. */
export function statementOfCertificate({ federation, study, privacy, sites }: Certificate): Statement {
  const { facts: _, ...stated } = privacy;
  return {
    format: "consilium-statement/1",
    federation,
    study: { id: study.id, hash: study.hash },
    privacy: stated,
    sites: {
      ...sites,
      roster: sites.roster.map(({ id, signingKeyFingerprint }) => ({ id, signingKeyFingerprint })),
    },
  };
}

const statementText = (certificate: Certificate): string =>
  canonicalJson(statementOfCertificate(certificate));

const statementDomain = "consilium statement v1\n";
const countersignatureDomain = "consilium countersignature v1";

/** Every part has one form and no line break in it, so that no two countersignatures have one text. */
function countersignedBytes(
  study: StudyId,
  statement: Sha256,
  { site, ledgerHead, ledgerEntries }: Certificate["countersignatures"][number],
): Uint8Array {
  const head = `${ledgerHead.sequence} ${ledgerHead.hash}`;
  return utf8Of([countersignatureDomain, study, site, statement, head, ...ledgerEntries].join("\n"));
}
