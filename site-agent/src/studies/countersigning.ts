import { faults } from "@consilium/core/fault";
import type { Sha256 } from "@consilium/core/ids";
import { signStatement } from "@consilium/core/release/countersignature";
import { demandCertificate } from "@consilium/core/release/largestStatement";
import { checkStatement, type OwnRecords } from "@consilium/core/release/statement";
import { unwrap } from "@consilium/core/result";
import { broadcastsHash } from "@consilium/core/study/broadcast";
import { softwareBuild } from "@consilium/core/version";
import type { Door, OutboundMessage } from "@consilium/gate/door";
import type { Identity } from "@consilium/runtime/identity/files";
import { statedFederation } from "@consilium/runtime/identity/rootKey";
import { fromBytesJson, toBytesJson } from "@consilium/runtime/store/bytesJson";
import type { SiteStudySays } from "@consilium/words/says/siteStudies";
import type { SiteTask, TaskOf } from "../rpc/toDomain.js";
import type { Charges } from "./charges.js";
import type { Answer, SiteRecords } from "./records.js";
import type { StudyView } from "./studyView.js";

const fault = faults<SiteStudySays>();

interface CountersigningContext {
  readonly records: SiteRecords;
  readonly door: Door;
  readonly charges: Charges;
  readonly identity: () => Identity;
  readonly now: () => number;
  readonly send: (message: OutboundMessage) => void;
}

type Signed = Parameters<Door["countersignature"]>[1];

/**
 * This site's word for the certificate: it signs what the aggregator says of the study once it has found it true by
 * its own records, and never two different statements about one study.
 */
export class Countersigning {
  readonly #context: CountersigningContext;

  constructor(context: CountersigningContext) {
    this.#context = context;
  }

  /**
   * Before anything of a study is charged, and before a further attempt is: what this site could not sign in the end is paid for by
   * nobody.
   * @throws ConsiliumError STUDY_INVALID
   */
  demandCertificate(view: StudyView, task: Pick<SiteTask, "step" | "attempt">): void {
    const { record, document, plan, roster } = view;
    const { charges, identity } = this.#context;
    const isNext = task.attempt > 1 && plan.stages.some(({ id }) => id === task.step);
    demandCertificate({
      federation: statedFederation(identity()),
      studyId: record.id,
      document,
      plan,
      roster,
      attempts: [
        ...charges.committed(record.id),
        ...(isNext ? [{ stage: task.step, attempt: task.attempt }] : []),
      ],
    });
  }

  async answer(view: StudyView, task: TaskOf<"countersign">): Promise<void> {
    const { records, charges, door, send } = this.#context;
    const { id } = view.record;
    const before = records.answer(id, task.step, 1);
    const statement = unwrap(checkStatement(task.statement, this.#ownRecords(view, before)));
    const signed =
      before === null
        ? records.transaction(() => this.#sign(view, task, statement.hash))
        : fromBytesJson<Signed>(before.post!);
    await charges.keepHead();
    send(door.countersignature(id, signed));
  }

  #sign(view: StudyView, task: TaskOf<"countersign">, statement: Sha256): Signed {
    const { records, charges, identity, now } = this.#context;
    const { id } = view.record;
    const { step, attempt } = task;
    if (attempt !== 1 || step !== "countersign")
      throw fault("MESSAGE_UNEXPECTED", "work.no-statement", { study: id, step, attempt });
    // First, so that the head which is signed with it stands for it.
    if (charges.statementOf(id) === null) charges.sign(id, statement);
    const { head, reference } = charges.head();
    const ledgerEntries = charges.committedEntries(id);
    const signature = signStatement(identity().signingKey, {
      site: view.self,
      studyId: id,
      statement,
      ledgerHead: reference,
      ledgerEntries,
      software: softwareBuild,
    });
    const signed: Signed = { signature, ledgerHead: head, ledgerEntries, software: softwareBuild };
    const post = toBytesJson(signed);
    const answer: Answer = {
      kind: "countersignature",
      inputHash: statement,
      post,
      bytes: Buffer.byteLength(post),
      sha256: statement,
    };
    records.saveAnswer(id, task.step, 1, answer, now(), null);
    return signed;
  }

  #ownRecords(view: StudyView, before: Answer | null): OwnRecords {
    const { records, charges, identity } = this.#context;
    const { record, document, plan, roster, self } = view;
    const sets = records.survivorSets(record.id);
    return {
      federation: statedFederation(identity()),
      site: self,
      studyId: record.id,
      document,
      plan,
      roster,
      attempts: charges.committed(record.id).map(({ stage, attempt, event }) => ({
        stage,
        attempt,
        event,
        survivors: sets.find((set) => set.stage === stage && set.attempt === attempt)?.survivors ?? null,
      })),
      broadcasts: broadcastsHash(records.broadcasts(record.id)),
      signedBefore: before?.inputHash ?? charges.statementOf(record.id),
    };
  }
}
