import { type ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { ApprovalRecord } from "@consilium/core/hospital/approvalRecords";
import type { Shown } from "@consilium/core/hospital/shown";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { siteSideOf } from "@consilium/core/method/method";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import { lines, nameOf, sentences } from "@consilium/core/said";
import { hidesTables } from "@consilium/core/study/hidesTables";
import { planStudy } from "@consilium/core/study/plan";
import { planFacts } from "@consilium/core/study/planFacts";
import { demandUnretired, type Retired } from "@consilium/core/study/retired";
import { commonKeys, type Study, type StudyDocument, variants } from "@consilium/core/study/study";
import type { Door, OutboundMessage } from "@consilium/gate/door";
import type { Identity } from "@consilium/runtime/identity/files";
import type { Logger } from "@consilium/runtime/log";
import { Semaphore } from "@consilium/runtime/semaphore";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { joinMessage } from "@consilium/secure-sum/roster";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { StudySays } from "@consilium/words/says/studies";
import type { WireSays } from "@consilium/words/says/wire";
import { z } from "zod";
import { type Judged, judge, judgeRows, judgeUnread, type UnreadStudy } from "../policy/judge.js";
import { approvalOf, type Policy, populationOf } from "../policy/policy.js";
import type { PolicyFile, WrittenPolicy } from "../policy/policyFile.js";
import { unansweredIn } from "../policy/populations.js";
import type { AggregatorMessage } from "../rpc/toDomain.js";
import type { SealedStorage } from "../store/sealedStorage.js";
import type { ResolvedTables } from "../tables/knownTables.js";
import { type Tables, unknownTable } from "../tables/tables.js";
import {
  type Approval,
  type Approvals,
  type Approver,
  approverName,
  type OfferedStudy,
  type Terms,
} from "./approvals.js";
import type { Charges } from "./charges.js";
import { asksAgain, type SiteRecords, type SiteStudy, wasAbandoned } from "./records.js";
import type { SiteMethods } from "./siteMethods.js";
import { demandSamePlan, unknownStudy } from "./studyView.js";
import type { Judging } from "./terms.js";

export type Invitation = Extract<AggregatorMessage, { kind: "invitation" }>;

const fault = faults<WireSays & SiteStudySays>();
const said = sentences<SiteStudySays>();
const line = lines<StudySays>();

/** What deciding on studies needs of the process. */
export interface JoiningContext {
  readonly records: SiteRecords;
  readonly approvals: Approvals;
  readonly door: Door;
  readonly tables: Tables;
  readonly policy: PolicyFile;
  readonly methods: Pick<SiteMethods, "read" | "load" | "follow">;
  readonly retired: readonly Retired[];
  /** Units and sources of the tables. */
  readonly knownTables: ResolvedTables;
  /** Of config.yaml. */
  readonly allowNoPrivacy: boolean;
  /** Of config.yaml: how many studies may wait, come in a day, and be joined at once. */
  readonly offers: { readonly waiting: number; readonly perDay: number; readonly joined: number };
  readonly charges: Pick<Charges, "reserveStudy" | "raiseCeiling" | "release" | "approve" | "refuse">;
  readonly sealed: SealedStorage;
  /** Throws REVOCATIONS_UNCONFIRMED or REVOCATIONS_EXPIRED while the list of expelled sites is out of date. */
  readonly demandExpelledList: () => void;
  readonly random: RandomSource;
  readonly identity: () => Identity;
  readonly now: () => number;
  readonly log: Logger;
  readonly send: (message: OutboundMessage) => void;
}

/** What a reading before the join found; null where none may be done. */
interface FoundRows {
  readonly rows: number | null;
  readonly contentHash: Sha256 | null;
}

/** A person's approval, as it came. */
export interface GivenApproval extends Approver {
  /** As far as the agent was told. */
  readonly shown: Shown | null;
  /** What the agent says of the study, for the record. */
  readonly facts: () => Promise<unknown>;
}

/** The same, of a study that was read and judged. */
export interface BoundApproval extends Approver {
  /** @throws ConsiliumError APPROVAL_CHANGED where what was shown is not what would be approved by now */
  readonly terms: (content: Sha256 | null) => Terms;
  /** What is kept of it, canonical JSON. */
  readonly record: (decision: ApprovalRecord["decision"], terms: Terms) => string;
}

/** By whom, what the audit log notes of it, and whether a second person is still to approve. */
interface Agreed {
  readonly by: string;
  readonly note: string;
  readonly isFirst: boolean;
  readonly terms: Terms;
}

/** Tables are read through for so many studies at once: a flood of them waits, instead of filling the memory. */
const preflightsAtOnce = 2;

/** Over which offers are counted. */
const offerDayMs = 86_400_000;

/**
 * Whether this site takes part: the hospital's policy judges first, then a person where the policy says so, then the
 * table is read through and what the study costs is reserved. What was decided is durable before it is told.
 *
 *   invited → refused by policy | waiting for approval → refused by a person | joined
 *   joined, and beyond what it may cost → waiting for approval → refused by a person | joined
 */
export class Joining {
  readonly #context: JoiningContext;
  readonly #preflights = new Semaphore(preflightsAtOnce);

  constructor(context: JoiningContext) {
    this.#context = context;
  }

  /** The aggregator asks, perhaps again: after a lost connection, a restart, or a resumed study. */
  async invited(invitation: Invitation): Promise<void> {
    const { records, approvals, door, send, log, now, methods } = this.#context;
    const { studyId } = invitation;
    const before = records.study(studyId);
    const approval = approvals.of(studyId);
    if (before !== null && this.#answeredBefore(invitation, before, approval)) return;
    await methods.follow(this.#context.policy.read(), this.#context.allowNoPrivacy);
    const mayLoad = () => this.#unreadFault(invitation.studyText) === null;
    const document = await methods.load(invitation.studyText, invitation.studyHash, mayLoad);
    if (!document.ok) {
      if (document.error.code === "METHODS_MISSING")
        return this.#refuseUnread(invitation, before, document.error);
      const { code, message } = document.error;
      log.warn("an invitation was refused", { study: studyId, code, reason: message });
      this.#tellRefusal(studyId, code, before !== null);
      return;
    }
    if (this.#hasNoRoom(studyId, before)) return;
    const { study, hash, text } = document.value;
    const offered = { id: studyId, hash, text, name: study.name };
    let isRead = false;
    try {
      const plan = planStudy(study);
      demandSamePlan(studyId, document.value, invitation.plan);
      const { policy, judged } = await this.#judge(document.value);
      const isAsked = approvalOf(policy.policy, plan, judged) === "person";
      isRead = !isAsked && !hidesTables(study);
      if (!isAsked && (await this.#join(document.value, offered, policy, null)) !== null) return;
      approvals.wait(offered, now() + invitation.deadlineInMs, before?.firstSeenAt ?? now());
      send(door.awaitingApproval(studyId));
      if (before?.status === "waiting for approval") return;
      log.info("a study waits for approval", { study: studyId, table: study.table });
      // Who decides sees a missing column at once. The aggregator has its answer, which is the same either way.
      await this.#checked(study).catch((thrown: unknown) => this.#noteFault(studyId, thrown));
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      // A full disk decides nothing: the invitation is looked at again once there is room.
      if (error.code === "DISK_FULL") throw error;
      if (error.code === "INTERNAL") log.error("the study could not be judged", { study: studyId }, thrown);
      else
        log.warn("this site does not take part", { study: studyId, code: error.code, reason: error.message });
      records.refuse(offered, { code: error.code, text: error.describe() }, now());
      if (isRead) records.noteUnanswered(studyId, now());
      this.#tellRefusal(studyId, error.code);
    }
  }

  /** An invitation that cannot be read is refused, and nobody here is asked about it any more. Where this site has joined, it stays. */
  refuseUnreadable(id: StudyId, cause: ConsiliumError): void {
    const { records, now } = this.#context;
    const before = records.study(id);
    const refusal = fault("INVITATION_INVALID", "wire.invitation", {}, { cause });
    if (before !== null && before.status !== "refused") {
      if (before.status !== "waiting for approval" || asksAgain(before)) return;
      records.refuse(before, { code: refusal.code, text: refusal.message }, now());
    }
    this.#tellRefusal(id, refusal.code, before !== null);
  }

  /** What of a study's text the policy refuses, before any code of its method is loaded; null where it refuses nothing. */
  #unreadFault(text: string): ConsiliumError | null {
    const study = unreadStudy(text);
    if (study === null) return fault("STUDY_INVALID", "work.unread", {});
    const policy = this.#context.policy.read();
    if (!policy.ok) return policy.error;
    return judgeUnread(study, { policy: policy.value, allowNoPrivacy: this.#context.allowNoPrivacy });
  }

  /** Of a method that this site has not loaded: the policy's own rules come first, as for every study. */
  #refuseUnread(
    { studyId, studyText, studyHash }: Invitation,
    before: SiteStudy | null,
    missing: ConsiliumError,
  ): void {
    const { records, log, now } = this.#context;
    if (this.#hasNoRoom(studyId, before)) return;
    const fault = this.#unreadFault(studyText) ?? missing;
    const study = unreadStudy(studyText);
    log.warn("this site does not take part", { study: studyId, code: fault.code, reason: fault.message });
    if (study !== null) {
      const offered = { id: studyId, hash: studyHash, text: studyText, name: study.name };
      records.refuse(offered, { code: fault.code, text: fault.describe() }, now());
    }
    this.#tellRefusal(studyId, fault.code);
  }

  /** @param isKept - whether this site keeps a record of the study */
  #tellRefusal(id: StudyId, code: string, isKept = true): void {
    const { door, send, policy } = this.#context;
    const read = policy.read();
    const mayPublish = read.ok && read.value.publishRefusals;
    send(door.decision(id, { joined: false, code, mayPublish }, isKept));
  }

  /** Tells that there is no room for a further study, where there is none. */
  #hasNoRoom(id: StudyId, before: SiteStudy | null): boolean {
    const { log } = this.#context;
    const fault = this.#roomFault(before);
    if (fault === null) return false;
    log.warn("an offered study was not taken", { study: id, code: fault.code, reason: fault.message });
    this.#tellRefusal(id, fault.code, before !== null);
    return true;
  }

  /**
   * Whether the store has room for what is offered. Everything that is counted the aggregator knows: what it offered,
   * what it was told that waits, and what was joined.
   */
  #roomFault(before: SiteStudy | null): ConsiliumError | null {
    const { records, offers, now } = this.#context;
    const full = (what: "offered" | "waiting" | "joined", studies: number, max: number) =>
      fault("OFFERS_TOO_MANY", `work.${what}-many`, { studies, max });
    if (before?.status === "waiting for approval") return null;
    let held = records.offered(now() - offerDayMs);
    if (before === null && held.recent >= offers.perDay) return full("offered", held.recent, offers.perDay);
    if (held.waiting >= offers.waiting) {
      records.lapse(now(), line("study.lapsed", {}));
      held = records.offered(now() - offerDayMs);
    }
    if (held.waiting >= offers.waiting) return full("waiting", held.waiting, offers.waiting);
    if (held.joined >= offers.joined) return full("joined", held.joined, offers.joined);
    return null;
  }

  /** Says again what was said before, where something was that still holds. */
  #answeredBefore(invitation: Invitation, before: SiteStudy, approval: Approval | null): boolean {
    const { log } = this.#context;
    const { studyId } = invitation;
    if (approval?.decision === "refused") {
      this.#tellRefusal(studyId, "REFUSED_BY_SITE");
      return true;
    }
    if (wasAbandoned(before)) {
      this.#tellRefusal(studyId, "LEDGER_BEHIND");
      return true;
    }
    if (before.status === "refused") return false;
    if (before.hash !== invitation.studyHash) {
      log.error("the study was changed after it was offered", { study: studyId, code: "STUDY_HASH" });
      this.#tellRefusal(studyId, "STUDY_HASH");
      return true;
    }
    if (before.status === "waiting for approval" && !asksAgain(before)) return false;
    this.#sendJoin(before);
    return true;
  }

  /**
   * A person at the hospital approves. The table is read through now; what is wrong with it is told to the person, and
   * the study waits on, so that it can be put right. It waits on, too, where the policy asks for two people and this is the first.
   * @returns with what is to be written down of the approval
   * @throws ConsiliumError STUDY_UNKNOWN, STUDY_STATE, APPROVAL_LATE, APPROVAL_SECOND, APPROVAL_CHANGED, and whatever the policy, the table
   *   and the budget say
   */
  async approve(id: StudyId, given: GivenApproval): Promise<SiteStudy & { readonly note: string }> {
    const record = this.#known(id);
    if (isJoined(record)) return { ...record, note: "" };
    this.#demandWaiting(record);
    const isAgain = asksAgain(record);
    if (!isAgain) this.#demandInTime(id);
    const document = unwrap(await this.#context.methods.load(record.text, record.hash));
    try {
      const { policy } = await this.#judge(document);
      const { boundApproval } = await import("./terms.js");
      const approval = await boundApproval(this.#judging(document, policy), given, {
        id,
        now: this.#context.now,
      });
      const note = isAgain
        ? await this.#approveAgain(record, policy, approval)
        : await this.#join(document, record, policy, approval);
      return { ...this.#known(id), note: note ?? "" };
    } catch (thrown) {
      throw this.#noteFault(id, thrown);
    }
  }

  /** Where the study waits, its page says what keeps it from being approved. */
  #noteFault(id: StudyId, thrown: unknown): ConsiliumError {
    const { records, log } = this.#context;
    const error = toConsiliumError(thrown);
    if (error.code === "INTERNAL") log.error("a study could not be approved", { study: id }, thrown);
    const isOfPerson = error.code === "APPROVAL_SECOND" || error.code === "APPROVAL_CHANGED";
    if (!isOfPerson && records.study(id)?.status === "waiting for approval")
      records.setLocalReason(id, { code: error.code, text: error.describe() });
    return error;
  }

  /**
   * A person at the hospital refuses.
   * @param by - who it is
   * @param reason - stays at the site; the aggregator gets REFUSED_BY_SITE
   * @param kept - record of it, canonical JSON
   * @throws ConsiliumError STUDY_UNKNOWN, STUDY_STATE when it does not wait for approval
   */
  refuse(id: StudyId, by: string, reason: string | null, kept: string): SiteStudy {
    const { records, approvals, charges, log, now } = this.#context;
    const record = this.#known(id);
    if (approvals.of(id)?.decision === "refused") return record;
    this.#demandWaiting(record);
    const isAgain = asksAgain(record);
    records.transaction(() => {
      if (isAgain) {
        charges.release(id);
        records.end(id, "cancelled", now());
      }
      records.refuse(
        record,
        { code: "REFUSED_BY_SITE", text: reason ?? line("study.denied-without-reason", {}) },
        now(),
        "a person",
      );
      approvals.decide(id, { decision: "refused", by, reason }, now());
      charges.refuse(id, approvals.keepRecord(id, kept));
    });
    log.info("a person refused a study", { study: id });
    // It has joined: its next step is refused.
    if (!isAgain) this.#tellRefusal(id, "REFUSED_BY_SITE");
    return this.#known(id);
  }

  /** By policy and tables as they are now: their files may lie elsewhere than at the start. */
  async #judge({
    study,
  }: StudyDocument): Promise<{ readonly policy: WrittenPolicy; readonly judged: Judged }> {
    this.#context.demandExpelledList();
    const { allowNoPrivacy, knownTables: tables, retired } = this.#context;
    const plan = planStudy(study);
    demandUnretired(study.method, planFacts(study, plan), retired);
    await tables.resolve();
    if (!tables.names.includes(study.table)) throw unknownTable(study.table, tables.names);
    const policy = unwrap(this.#context.policy.readWritten());
    const permissions = {
      policy: policy.policy,
      allowNoPrivacy,
      tables,
      unanswered: unansweredIn(this.#context.records, policy.policy, tables),
    };
    return { policy, judged: unwrap(judge(study, plan, permissions)) };
  }

  /**
   * Reserves the cost and joins; all that is written is written at once. The table is read through before: but of a study
   * that hides tables only where a person decides, who is told what was found. Without a person no record is looked at,
   * for whether and when this site joins must not depend on one.
   * @returns what the audit log notes; null where so many others have joined meanwhile that a person decides
   */
  async #join(
    document: StudyDocument,
    offered: OfferedStudy,
    written: WrittenPolicy,
    approval: BoundApproval | null,
  ): Promise<string | null> {
    const { study } = document;
    const { policy } = written;
    const { records, approvals, charges, knownTables: tables, log, now } = this.#context;
    const table =
      approval === null && hidesTables(study)
        ? await this.#checked(study)
        : await this.#readThrough(study, policy);
    const two = await this.#two(policy);
    const { automaticRecord } = await import("./terms.js");
    // Reading a large table takes its time: what was true before may have changed.
    const present = records.study(offered.id);
    if (present !== null && isJoined(present)) {
      this.#sendJoin(present);
      return "";
    }
    const unanswered = unansweredIn(records, policy, tables)(populationOf(policy, study.table)!.name);
    if (approval === null && unanswered >= policy.maxUnanswered) return null;
    let agreed: Agreed | null = null;
    if (approval !== null) {
      this.#demandWaiting(this.#known(offered.id));
      this.#demandInTime(offered.id);
      agreed = this.#agreed(two, { id: offered.id, policy, content: table.contentHash }, approval);
      if (agreed.isFirst) return agreed.note;
    }
    const keys = this.#joiningKeys(offered);
    const of = this.#judging(document, written);
    records.transaction(() => {
      approvals.clear(offered.id);
      records.join(offered, { ...table, ...keys }, present?.firstSeenAt ?? now());
      if (agreed !== null) this.#decide(offered.id, agreed, approval!.record("joined", agreed.terms));
      const alone = agreed === null ? automaticRecord(offered, of, now()) : null;
      const kept = alone === null ? undefined : approvals.keepRecord(offered.id, alone);
      charges.reserveStudy(this.#known(offered.id), kept);
    });
    log.info("joined a study", { study: offered.id, table: study.table });
    this.#sendJoin(this.#known(offered.id));
    return agreed?.note ?? "";
  }

  /** What this site has joined may cost its plan once more. Keys, roster and table stay as they are. */
  async #approveAgain(
    offered: SiteStudy,
    { policy }: WrittenPolicy,
    approval: BoundApproval,
  ): Promise<string> {
    const { records, charges } = this.#context;
    const two = await this.#two(policy);
    this.#demandWaiting(this.#known(offered.id));
    const agreed = this.#agreed(two, { id: offered.id, policy, content: offered.contentHash }, approval);
    if (agreed.isFirst) return agreed.note;
    records.transaction(() => {
      charges.raiseCeiling(offered);
      this.#decide(offered.id, agreed, approval.record("again", agreed.terms));
      records.setLocalReason(offered.id, null);
      records.setStatus(offered.id, "waiting");
    });
    return agreed.note;
  }

  /** Within the transaction of what the decision comes to. */
  #decide(id: StudyId, { by }: Agreed, record: string): void {
    const { approvals, charges, now } = this.#context;
    approvals.decide(id, { decision: "approved", by, reason: null }, now());
    charges.approve(id, approvals.keepRecord(id, record));
  }

  #judging({ study, hash }: StudyDocument, policy: WrittenPolicy): Judging {
    return { study, hash, plan: planStudy(study), policy, tables: this.#context.knownTables };
  }

  #two(policy: Policy) {
    return policy.approvals === 2 ? import("./secondApproval.js") : null;
  }

  /** Who has approved, where the policy asks for two people and where it does not. A first approval of two is kept. */
  #agreed(
    two: typeof import("./secondApproval.js") | null,
    of: { readonly id: StudyId; readonly policy: Policy; readonly content: Sha256 | null },
    approval: BoundApproval,
  ): Agreed {
    const { by, inPlaceOf } = approval;
    const terms = approval.terms(of.content);
    const own = approverName(approval);
    if (two === null) return { by: own, note: "", isFirst: false, terms };
    const { records, approvals, charges, now } = this.#context;
    const given = { by, inPlaceOf, terms, at: now() };
    const first = approvals.of(of.id)?.first ?? null;
    const { before, lapsed } = two.secondAfter(of.id, first, given, of.policy);
    if (before !== null)
      return { by: `${before} and ${own}`, note: `second, after ${before}`, isFirst: false, terms };
    records.transaction(() => {
      records.setLocalReason(of.id, null);
      approvals.keepFirst(of.id, given);
      charges.approve(of.id, approvals.keepRecord(of.id, approval.record("first", terms)));
    });
    return { by: own, note: `first of two${lapsed}`, isFirst: true, terms };
  }

  /** Looks at no record, and so knows nothing of them. */
  async #checked(study: Study): Promise<FoundRows> {
    await this.#context.tables.check(study);
    return { rows: null, contentHash: null };
  }

  async #readThrough(study: Study, policy: Policy): Promise<FoundRows> {
    const { demands } = await siteSideOf(study);
    const { rows, contentHash } = await this.#preflights.run(() =>
      this.#context.tables.preflight(study, demands(study)),
    );
    unwrap(judgeRows(study, rows, policy));
    return { rows, contentHash };
  }

  #joiningKeys(study: { readonly id: StudyId; readonly hash: Sha256 }) {
    const { random, sealed } = this.#context;
    const identity = this.#context.identity();
    const secret = generateExchangeKey(random);
    const exchangeKey = new ExchangeKey(secret).publicKey;
    const message = joinMessage(study.id, study.hash, identity.id, exchangeKey);
    return {
      exchangeKey,
      joinSignature: signMessage(identity.signingKey, message),
      exchangeSecret: sealed.seal(`exchange ${study.id}`, secret),
    };
  }

  #sendJoin({ id, exchangeKey, joinSignature }: SiteStudy): void {
    if (exchangeKey === null || joinSignature === null) return;
    const { door, send } = this.#context;
    send(door.decision(id, { joined: true, exchangeKey, signature: joinSignature }));
  }

  #known(id: StudyId): SiteStudy {
    const record = this.#context.records.study(id);
    if (record !== null) return record;
    throw unknownStudy(id);
  }

  #demandWaiting(record: SiteStudy): void {
    if (record.status === "waiting for approval") return;
    const params = { study: record.id, status: nameOf(record.status) };
    throw fault("STUDY_STATE", "work.not-waiting", params, { remedy: said("work.show-it", {}) });
  }

  #demandInTime(id: StudyId): void {
    const { approvals, now } = this.#context;
    const deadlineAt = approvals.of(id)?.deadlineAt ?? 0;
    if (now() < deadlineAt) return;
    const at = (time: number) => nameOf(new Date(time).toISOString());
    throw fault("APPROVAL_LATE", "work.approval-late", { study: id, until: at(deadlineAt), now: at(now()) });
  }
}

function isJoined(record: SiteStudy): boolean {
  return record.status === "joined" || record.status === "waiting";
}

/** What a text says of itself that no method is needed for; null where it is not the text of a study. Its hash is right. */
function unreadStudy(text: string): UnreadStudy | null {
  const read = unreadSchema.safeParse(JSON.parse(text));
  return read.success ? read.data : null;
}

const { name, privacy } = commonKeys([]);
const unreadSchema = z.object({
  name,
  privacy,
  analysis: z.string(),
  method: z.string(),
  variant: z.enum(variants),
});
