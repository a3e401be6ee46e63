import type { ConsiliumError, ErrorCode } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { Sha256, SiteId, StageId } from "@consilium/core/ids";
import { type StageAttempt, survivorsNeeded } from "@consilium/core/release/attempts";
import { type Countersignature, checkCountersignature } from "@consilium/core/release/countersignature";
import { type Statement, statementOf, statementText } from "@consilium/core/release/statement";
import { broadcastsHash } from "@consilium/core/study/broadcast";
import { memberOf } from "@consilium/secure-sum/roster";
import type { AnySaid } from "@consilium/words/said";
import type { RoundSays } from "@consilium/words/says/rounds";
import { ledgerPosition } from "../roster/ledgerHeads.js";
import type { SiteMessage } from "../rpc/toDomain.js";
import type { OpenStudy } from "./openStudy.js";
import { withoutIt } from "./pairwiseStages.js";

const fault = faults<RoundSays>();

const countersignStep = "countersign" as StageId;
const attempt = 1;

/** Asks the sites to countersign the certificate's statement about the study. */
export class Countersigning {
  readonly #study: OpenStudy;
  #statement: string | null = null;

  constructor(study: OpenStudy) {
    this.#study = study;
  }

  /**
   * @param sites - the sites of the last sum
   * @param result - the hash of result.json
   * @returns the statement, and its countersignatures, at least as many as a certificate needs
   */
  async collect(
    attempts: readonly StageAttempt[],
    sites: readonly SiteId[],
    result: Sha256,
  ): Promise<{ readonly statement: Statement; readonly countersignatures: Countersignature[] }> {
    const study = this.#study;
    const { document, plan, roster, context } = study;
    const statement = statementOf({
      federation: context.federation,
      studyId: study.id,
      document,
      plan,
      roster,
      attempts,
      result,
      broadcasts: broadcastsHash(study.broadcasts()),
    });
    this.#statement = statementText(statement);
    return { statement, countersignatures: await this.#collect(this.#statement, sites) };
  }

  async #collect(statement: string, sites: readonly SiteId[]): Promise<Countersignature[]> {
    const study = this.#study;
    const { document, plan, roster, context } = study;
    const needed = survivorsNeeded(plan, document.study, roster.members.length);
    const signed = this.#signed();
    const done = new Set(signed.map((one) => one.site));
    const isDone = context.records
      .steps(study.id)
      .some((step) => step.step === countersignStep && step.doneAt !== null);
    // A second deposit's certificate must have the same countersignatures as the first.
    if (isDone && signed.length >= needed) return signed;
    const asked = sites.filter((site) => !done.has(site));
    const step = study.openStep({
      id: countersignStep,
      kind: "countersign",
      attempt,
      sites: asked,
      others: study.standing(asked, done),
      initial: "working",
      deadlineEffect:
        needed >= sites.length
          ? `all ${needed} sites must countersign; otherwise the study fails, and can be resumed`
          : `the release continues with the received countersignatures if there are at least ${needed} of ${sites.length}; otherwise the study fails, and can be resumed`,
      atDeadline: (late) => {
        const there = this.#signed().length;
        if (there < needed) return this.#lateFault(there, needed, late);
        for (const site of late) study.dropped(step, site, null);
        return null;
      },
      duties: {
        ask: () => ({ kind: "countersign", countersign: { statement } }),
        onFault: (site, code) => this.#without(site, code, needed),
      },
    });
    await study.wait(step);
    const all = this.#signed();
    if (all.length < needed) throw this.#goneFault(needed, []);
    study.closeStep(countersignStep, attempt);
    return all;
  }

  posted(site: SiteId, message: Extract<SiteMessage, { kind: "countersignature" }>): void {
    const study = this.#study;
    const step = study.open;
    if (step === null || step.kind !== "countersign" || !step.isWaitingFor(site)) return;
    const { signature, ledgerHead, ledgerEntries, software } = message;
    const { signingKey } = memberOf(study.roster, site);
    const given: Countersignature = {
      site,
      signature,
      ledgerHead: ledgerPosition(ledgerHead),
      ledgerEntries,
      software,
    };
    const checked = checkCountersignature(given, {
      studyId: study.id,
      statement: this.#statement!,
      signingKey,
    });
    if (!checked.ok) {
      const { code, message: reason } = checked.error;
      study.context.log.warn("rejected a countersignature", { study: study.id, site, code, reason });
      step.duties?.onFault?.(site, code);
      return;
    }
    const { records, now } = study.context;
    records.transaction(() => {
      records.countersign(study.id, site, encode(given));
      records.event(now(), "countersigned", { study: study.id, site });
    });
    step.answered(site, "done");
    study.emit("changed");
  }

  #signed(): Countersignature[] {
    const { id, context } = this.#study;
    return context.records.countersignatures(id).map(({ site, body }) => decode(site, body));
  }

  #without(site: SiteId, code: ErrorCode, needed: number): void {
    const study = this.#study;
    const step = study.open;
    if (step === null || !step.isWaitingFor(site)) return;
    study.dropped(step, site, code);
    const left = this.#signed().length + step.missing.length - 1;
    if (left < needed) {
      step.progress(site, { state: "dropped", code });
      step.fail(this.#goneFault(needed, [withoutIt({ site, code })]));
    } else step.answered(site, "dropped", code);
    study.emit("changed");
  }

  #lateFault(there: number, needed: number, late: readonly SiteId[]): ConsiliumError {
    const params = { study: this.#study.id, there, needed, late };
    return fault("PHASE_DEADLINE", "round.countersigned-late", params);
  }

  #goneFault(needed: number, gone: readonly AnySaid[]): ConsiliumError {
    return fault("SITE_FAILED", "round.countersigners-gone", { study: this.#study.id, needed, gone });
  }
}

function encode({ ledgerHead, ledgerEntries, software, signature }: Countersignature): string {
  const text = Buffer.from(signature).toString("base64");
  return JSON.stringify({ ledgerHead, ledgerEntries, software, signature: text });
}

function decode(site: SiteId, body: string): Countersignature {
  const { signature, ...said } = JSON.parse(body) as {
    ledgerHead: { sequence: number; hash: Sha256 };
    ledgerEntries: Sha256[];
    software: string;
    signature: string;
  };
  return { site, ...said, signature: new Uint8Array(Buffer.from(signature, "base64")) };
}
