import { faults } from "@consilium/core/fault";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import type { PrivacyEvent } from "@consilium/core/privacy/events";
import { isSameEvent } from "@consilium/core/privacy/sameEvent";
import { unwrap } from "@consilium/core/result";
import { planStudy, type StagePlan } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { costOfStages, heldBy, type LedgerStage } from "@consilium/gate/account";
import type { StudySays } from "@consilium/words/says/studies";
import { ceilingOf } from "../policy/ceiling.js";
import { chargedTo } from "../policy/judge.js";
import type { Policy } from "../policy/policy.js";
import type { Charges, CommittedStage } from "../studies/charges.js";
import type { SiteStudy } from "../studies/records.js";
import type { SiteMethods } from "../studies/siteMethods.js";
import { planChanged, plannedOn, type StudyView } from "../studies/studyView.js";
import type { KnownTables } from "../tables/knownTables.js";
import { accountsOf } from "./accounts.js";
import type { Anchors } from "./anchors.js";
import type { Ledger, StageCost } from "./ledger.js";

const fault = faults<StudySays>();
const raiseLimit = { code: "study.raise-limit", params: {} } as const;

/**
 * Charges studies to the ledger by this site's own reading of the plan: to the population that the policy has the
 * study's table in, in the unit that the hospital counts, each stage by the event that its disclosure declares.
 */
export function ledgerCharges(options: {
  readonly ledger: Ledger;
  readonly anchors: Anchors;
  /** As it stands now. @throws ConsiliumError POLICY_INVALID */
  readonly policy: () => Policy;
  readonly methods: Pick<SiteMethods, "read">;
  readonly tables: KnownTables;
  /** Whether a person has approved a study. */
  readonly isApproved: (study: StudyId) => boolean;
}): Charges {
  const { ledger, anchors, policy, methods, tables, isApproved } = options;
  const chargeOf = (study: Study) => {
    const present = policy();
    const invited = planStudy(study);
    const charged = unwrap(chargedTo(study, invited, { policy: present, tables }));
    return { present, invited, ...charged };
  };
  const reserve = (id: StudyId, study: Study, stages: readonly StageCost[], joined?: Sha256): void => {
    const { present, invited, population, charging } = chargeOf(study);
    const accounts = accountsOf(present, tables);
    const account = accounts.find(({ name }) => name === population.name)!;
    ledger.reserve({
      study: id,
      population: population.name,
      limit: population.budget,
      unit: charging.unit,
      sources: tables.source(study.table)?.cover ?? [],
      counted: (totals) => heldBy(account, accounts, totals),
      ceiling: ceilingOf(invited, { policy: present, population, charging, isApproved: isApproved(id) }),
      stages: stages.map((stage) => ({ ...stage, factor: charging.factor })),
      record: joined,
    });
  };
  const committed = (study: StudyId): CommittedStage[] =>
    ledger.committed(study).map(({ stage, attempt, event }) => ({
      stage: stage as StageId,
      attempt,
      event: event as unknown as PrivacyEvent,
    }));
  return {
    reserveStudy(record: SiteStudy, joined?: Sha256): void {
      const sites = record.roster === null ? null : (JSON.parse(record.roster) as unknown[]).length;
      const { document, plan } = plannedOn(record, sites, methods);
      const { study } = document;
      // What is tried again after it was charged is reserved with its attempt.
      const charged = new Set(committed(record.id).map((one) => one.stage));
      const stages = plan.stages.filter((stage) => !charged.has(stage.id));
      reserve(
        record.id,
        study,
        stages.map((stage) => costOf(stage, 1)),
        joined,
      );
    },
    reserveRunning(view: StudyView): void {
      const { id } = view.record;
      const planned = stagesOf(view);
      const isOther = (one: LedgerStage) => !isEventOf(planned.get(one.stage), one);
      if (ledger.committed(id).some(isOther)) throw planChanged(id);
      const kept = ledger.reserved(id);
      if (!kept.some(isOther)) return;
      ledger.release(id);
      const still = kept.filter(({ stage }) => planned.has(stage));
      const asked = still.map(({ stage, attempt }) => costOf(planned.get(stage)!, attempt));
      reserve(id, view.document.study, asked);
    },
    reserveAttempt(view: StudyView, stage: StagePlan, attempt: number): void {
      const { id } = view.record;
      const kept = ledger.reserved(id);
      const planned = stagesOf(view);
      if (!kept.every((one) => isEventOf(planned.get(one.stage), one))) throw planChanged(id);
      // Of an earlier attempt nothing will leave any more: the new reservation takes the place of the old one, and not a place
      // beside it.
      const asked = [costOf(stage, attempt)];
      if (kept.some((one) => one.stage === stage.id && one.attempt < attempt)) {
        ledger.release(id);
        for (const one of kept)
          if (one.stage !== stage.id) asked.push(costOf(planned.get(one.stage)!, one.attempt));
      }
      reserve(id, view.document.study, asked);
    },
    raiseCeiling({ id, text, hash }: SiteStudy): void {
      const { study } = unwrap(methods.read(text, hash));
      const { present, invited, population, charging } = chargeOf(study);
      const spent = costOfStages(ledger.committed(id));
      const ceiling = ceilingOf(invited, { policy: present, population, charging, isApproved: true, spent });
      const before = ledger.totals.ceilingOf(id);
      if (before !== null && ceiling.rho <= before.rho && ceiling.unbounded <= before.unbounded)
        throw fault("POLICY_EPSILON", "study.ceiling-full", {}, { remedy: raiseLimit });
      ledger.raise({ study: id, population: population.name, unit: charging.unit, ceiling });
    },
    commit(view: StudyView, stage: StagePlan, attempt: number): void {
      ledger.commit(view.record.id, stage.id, attempt);
    },
    chargeOf(study: StudyId, stage: StageId, attempt: number) {
      const charge = ledger.stage(study, stage, attempt);
      if (charge === null) throw new RangeError(`nothing is reserved for stage ${stage} of ${study}`);
      return charge;
    },
    noteOf(study: StudyId, stage: StageId, attempt: number) {
      const charged = ledger.stage(study, stage, attempt);
      if (charged?.state !== "committed") throw new RangeError(`stage ${stage} of ${study} was not charged`);
      return { entry: charged.entry, head: ledger.signedHead() };
    },
    keepHead: () => anchors.keep(ledger),
    demandCurrent: () => ledger.demandCurrent(),
    release: (study) => ledger.release(study),
    committed,
    committedEntries: (study) => ledger.committed(study).map((stage) => ledger.hashOf(stage.entry)),
    approve: (study, record) => ledger.approve(study, record),
    refuse: (study, record) => ledger.refuse(study, record),
    sign: (study, statement) => ledger.sign(study, statement),
    statementOf: (study) => ledger.totals.statementOf(study) as Sha256 | null,
    head() {
      const { sequence, hash } = ledger.head();
      return { head: ledger.signedHead(), reference: { sequence, hash } };
    },
  };
}

const stagesOf = ({ plan }: StudyView) =>
  new Map<string, StagePlan>(plan.stages.map((each) => [each.id, each]));

function isEventOf(stage: StagePlan | undefined, { event }: LedgerStage): boolean {
  return stage !== undefined && isSameEvent(stage.disclosure.event, event as PrivacyEvent);
}

function costOf(stage: StagePlan, attempt: number): StageCost {
  const { event, cost } = stage.disclosure;
  return { stage: stage.id, attempt, event, claimed: cost };
}
