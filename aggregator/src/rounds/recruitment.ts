import { type ConsiliumError, type ErrorCode, unwrapSum } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { SiteId, StageId } from "@consilium/core/ids";
import { maxJoinMs } from "@consilium/core/limits";
import type { SiteStepState } from "@consilium/core/operator/views";
import { nameOf, sentences } from "@consilium/core/said";
import { fewOfGroup } from "@consilium/core/study/apart";
import { buildRoster, joinFault, type Roster } from "@consilium/secure-sum/roster";
import type { AnySaid } from "@consilium/words/said";
import type { PlanSays } from "@consilium/words/says/plans";
import type { RoundSays } from "@consilium/words/says/rounds";
import type { StudySays } from "@consilium/words/says/studies";
import type { SiteSession } from "../roster/presence.js";
import type { SiteMessage } from "../rpc/toDomain.js";
import type { OpenStep } from "./openStep.js";
import type { OpenStudy } from "./openStudy.js";
import { studyEndedFrame } from "./taskFrames.js";

const said = sentences<PlanSays & StudySays & RoundSays>();

const joinStep = "join" as StageId;
const attempt = 1;
const fault = faults<PlanSays & StudySays & RoundSays>();

/**
 * Invites the sites, waits for their decisions, and fixes the roster: every site that joined, once there are enough. A study that
 * could not have a certificate on it goes no further.
 */
export class Recruitment {
  readonly #study: OpenStudy;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  async roster(): Promise<Roster> {
    const study = this.#study;
    const { records } = study.context;
    const { minimumSites } = study.document.study.participation;
    if (!records.participants(study.id).some((p) => p.onRoster)) {
      study.context.plans.demandUnretired(study.document.study, study.plan);
      study.holdPlan("invited");
      await this.#invite(minimumSites);
      const unreachable = this.#unreachable();
      if (unreachable !== null) throw unreachable;
      records.fixRoster(study.id, this.#joined());
    }
    study.closeStep(joinStep, attempt);
    study.readMembers();
    study.holdPlan("running");
    const roster = unwrapSum(
      buildRoster(
        { id: study.id, hash: study.document.hash, minimumSites },
        study.members.map((p) => ({
          site: p.site,
          signingKey: p.signingKey!,
          exchangeKey: p.exchangeKey!,
          joinSignature: p.joinSignature!,
        })),
      ),
    );
    study.roster = roster;
    study.demandCertificate();
    return roster;
  }

  async #invite(minimum: number): Promise<void> {
    const study = this.#study;
    this.#refuseExpelled();
    const unreachable = this.#unreachable();
    if (unreachable !== null) throw unreachable;
    const invited = study.context.records.participants(study.id);
    const step = study.openStep({
      id: joinStep,
      kind: "join",
      attempt,
      sites: invited.filter((p) => p.decision === "none").map((p) => p.site),
      others: new Map(
        invited
          .filter((p) => p.decision !== "none")
          .map((p): [SiteId, SiteStepState] => [p.site, p.decision === "joined" ? "accepted" : "refused"]),
      ),
      initial: "invited",
      deadlineEffect: `the study continues with the joined sites if there are at least ${minimum}; otherwise it fails`,
      atDeadline: (missing) => {
        const joined = this.#joined().length;
        if (joined >= minimum) return this.#fewOfGroup(this.#joined());
        const absent = this.#absent(missing, step);
        return fault("ROSTER_TOO_SMALL", "round.few-joined", { study: study.id, joined, minimum, absent });
      },
    });
    await study.wait(step);
  }

  /**
   * Ends the step with the sites that have joined, as its deadline would. Fewer than the study's minimum never begin: that
   * number is what every site has approved, and what hides its part in a sum.
   * @throws ConsiliumError STUDY_STATE when the roster is fixed, ROSTER_TOO_SMALL
   */
  proceed(): void {
    const study = this.#study;
    const step = this.#joinStep();
    const joined = this.#joined();
    const { minimumSites: minimum } = study.document.study.participation;
    if (joined.length < minimum) {
      const absent = this.#absent(step.missing, step);
      const params = { study: study.id, joined: joined.length, minimum, absent };
      throw fault("ROSTER_TOO_SMALL", "round.few-so-far", params, {
        remedy: said("round.wait-or-extend", {}),
      });
    }
    const few = this.#fewOfGroup(joined);
    if (few !== null) throw few;
    step.complete();
  }

  /** Every site would refuse a roster with too few of a group. */
  #fewOfGroup(sites: readonly SiteId[]): ConsiliumError | null {
    const few = fewOfGroup(this.#study.document.study, sites);
    return few === null ? null : fault("ROSTER_TOO_SMALL", "plan.group-few", few);
  }

  /**
   * Moves the deadline to join, and tells the sites that have not decided.
   * @param until - milliseconds since 1970
   * @throws ConsiliumError STUDY_STATE when the roster is fixed, FIELD_INVALID beyond what a study may say
   */
  extend(until: number): void {
    const study = this.#study;
    const step = this.#joinStep();
    const { records, now } = study.context;
    const openedAt = records.steps(study.id).find((one) => one.step === joinStep)!.openedAt;
    const latest = openedAt + maxJoinMs;
    if (until <= step.deadlineAt || until > latest) {
      const iso = (at: number) => nameOf(new Date(at).toISOString());
      const params = {
        study: study.id,
        earliest: iso(step.deadlineAt),
        latest: iso(latest),
        until: iso(until),
      };
      throw fault("FIELD_INVALID", "round.deadline-range", params, {
        remedy: said("round.time-between", {}),
      });
    }
    records.extendStep(study.id, joinStep, attempt, until);
    step.extend(until, now());
    study.ask(step);
  }

  #joinStep(): OpenStep {
    const { id, open } = this.#study;
    if (open !== null && open.kind === "join") return open;
    throw fault("STUDY_STATE", "round.sites-fixed", { study: id }, { remedy: said("round.resume-it", {}) });
  }

  /** Sites that were expelled while nobody waited for them are not asked. */
  #refuseExpelled(): void {
    const { id, context } = this.#study;
    for (const { site, decision } of context.records.participants(id))
      if (decision === "none" && context.isSiteExpelled(site))
        context.records.refuse(id, site, "SITE_EXPELLED", false);
  }

  /** Ends the study at once where it cannot reach its minimum any more, whatever those decide who are still asked. */
  demandReachable(): void {
    const { open } = this.#study;
    if (open === null || open.kind !== "join") return;
    const unreachable = this.#unreachable();
    if (unreachable !== null) open.fail(unreachable);
  }

  /** Why the study's minimum cannot be reached; null where it can, or is. */
  #unreachable(): ConsiliumError | null {
    const { id, context, document } = this.#study;
    const { minimumSites: minimum } = document.study.participation;
    const invited = context.records.participants(id);
    const joined = this.#joined();
    const undecided = invited.flatMap(({ site, decision }) => (decision === "none" ? [site] : []));
    const left = joined.length + undecided.length;
    if (left >= minimum) return this.#fewOfGroup([...joined, ...undecided]);
    const refused = invited.flatMap(({ site, decision, refusalCode }): AnySaid[] => {
      if (decision === "none" || joined.includes(site)) return [];
      return [refusedBy(site, decision === "refused" ? (refusalCode ?? "") : "SITE_EXPELLED")];
    });
    return fault("ROSTER_TOO_SMALL", "study.unreachable", {
      invited: invited.length,
      minimum,
      left,
      refused,
    });
  }

  #joined(): SiteId[] {
    const { id, context } = this.#study;
    return context.records
      .participants(id)
      .filter((p) => p.decision === "joined" && !context.isExpelled(p.signingKey!))
      .map((p) => p.site);
  }

  /** @param missing - the sites without a decision: those awaiting approval, and those that did not answer */
  #absent(missing: readonly SiteId[], step: OpenStep): AnySaid {
    const { id, context } = this.#study;
    const refused = context.records
      .participants(id)
      .filter((p) => p.decision === "refused")
      .map(({ site, refusalCode }) => refusedBy(site, refusalCode ?? ""));
    const awaiting = missing.filter((site) => step.sites.get(site)?.state === "awaiting approval");
    const silent = missing.filter((site) => !awaiting.includes(site));
    return said("round.absent", { refused, awaiting, silent });
  }

  decided(session: SiteSession, message: Extract<SiteMessage, { kind: "decision" }>): void {
    const study = this.#study;
    const { records, now } = study.context;
    const step = study.open;
    const { decision } = message;
    if (step === null || step.kind !== "join" || !step.isWaitingFor(session.site)) return;
    if (decision.joined) {
      // One site that cannot sign must not invalidate the roster for the others.
      const unusable = joinFault(
        { id: study.id, hash: study.document.hash },
        { ...session, exchangeKey: decision.exchangeKey, joinSignature: decision.signature },
      );
      if (unusable !== null) {
        const params = { study: study.id, site: session.site, why: nameOf(unusable) };
        throw fault("FIELD_INVALID", "round.join-invalid", params);
      }
      records.join(study.id, session.site, {
        chain: JSON.stringify(session.chain.map((der) => Buffer.from(der).toString("base64"))),
        signingKey: session.signingKey,
        exchangeKey: decision.exchangeKey,
        signature: decision.signature,
      });
      records.event(now(), "joined", { study: study.id, site: session.site });
      step.answered(session.site, "accepted");
    } else this.#refuse(step, session.site, decision);
    study.emit("changed");
  }

  /** A site's decision cannot be taken: it counts as a refusal, and the site, which may have joined, is told that it is not in. */
  refused(session: SiteSession, code: ErrorCode): void {
    const { id, open } = this.#study;
    if (open === null || open.kind !== "join" || !open.isWaitingFor(session.site)) return;
    session.send(studyEndedFrame(id, "failed", code));
    this.#refuse(open, session.site, { code, mayPublish: false });
    this.#study.emit("changed");
  }

  #refuse(
    step: OpenStep,
    site: SiteId,
    { code, mayPublish }: { readonly code: ErrorCode; readonly mayPublish: boolean },
  ): void {
    const { id, context } = this.#study;
    context.records.refuse(id, site, code, mayPublish);
    context.records.event(context.now(), "refused", { study: id, site, detail: code });
    step.answered(site, "refused");
    this.demandReachable();
  }

  /** The site needs manual approval; the step still waits for it until the deadline. */
  awaitsApproval(site: SiteId): void {
    const step = this.#study.open;
    if (step === null || step.kind !== "join" || !step.isWaitingFor(site)) return;
    step.progress(site, { state: "awaiting approval" });
    this.#study.emit("changed");
  }
}

const refusedBy = (site: SiteId, why: string): AnySaid =>
  said("study.refused-by", { site, why: nameOf(why) });
