import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import { assertNever } from "@consilium/core/result";
import type { Plan } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import { sha256Bytes } from "@consilium/proto/fields";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { Delivery } from "@consilium/proto/generated/consilium/v1/Delivery";
import type { Task } from "@consilium/proto/generated/consilium/v1/Task";
import type { OpenStep } from "./openStep.js";
import type { ParticipantRecord, StudyRecords } from "./records.js";

/** What a frame is made from: the study, its fixed roster, and what is stored of it. */
export interface FrameSource {
  readonly studyId: StudyId;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly members: readonly ParticipantRecord[];
  readonly records: StudyRecords;
}

/**
 * What a site is told of the open step. Made from what is stored alone, so that a restarted aggregator, or a site that
 * connects anew, gets the same again.
 */
export function openStepFrame(
  source: FrameSource,
  site: SiteId,
  step: OpenStep,
  now: number,
): AggregatorFrame {
  const deadlineInMs = Math.max(0, step.deadlineAt - now);
  if (step.kind === "join") {
    const { document, studyId } = source;
    return {
      frame: "invitation",
      invitation: { studyId, studyText: document.text, studyHash: sha256Bytes(document.hash), deadlineInMs },
    };
  }
  return { frame: "task", task: taskFor(source, site, step, deadlineInMs) };
}

function taskFor(source: FrameSource, site: SiteId, step: OpenStep, deadlineInMs: number): Task {
  const base = {
    studyId: source.studyId,
    step: step.id,
    attempt: step.attempt,
    deadlineInMs,
    roster: {
      members: source.members.map((member) => ({
        siteId: member.site,
        chain: (JSON.parse(member.chain!) as string[]).map((der) => Buffer.from(der, "base64")),
        join: {
          exchangeKey: Buffer.from(member.exchangeKey!),
          signature: Buffer.from(member.joinSignature!),
        },
      })),
    },
    deliveries: deliveriesFor(source, site, step),
  };
  switch (step.kind) {
    case "exchange":
      return { ...base, kind: "exchange", exchange: {} };
    case "sum":
      return { ...base, kind: "sum", sum: { broadcasts: broadcastItems(source) } };
    case "rows":
      return { ...base, kind: "rows", rows: { broadcasts: broadcastItems(source) } };
    case "join":
    case "compute":
    case "deposit":
      throw new RangeError(`step ${step.id} asks nothing of the sites`);
    default:
      return assertNever(step.kind);
  }
}

function broadcastItems({ records, studyId }: FrameSource) {
  return records.broadcasts(studyId).map((item) => ({
    stage: item.stage,
    name: item.name,
    length: item.length,
    sha256: sha256Bytes(item.sha256),
  }));
}

/** What the exchange step just before this one brought for this site. */
function deliveriesFor({ plan, records, studyId }: FrameSource, site: SiteId, step: OpenStep): Delivery[] {
  const setup: readonly string[] = plan.setup;
  const position = setup.indexOf(step.id);
  const previous = position === -1 ? setup.at(-1) : setup[position - 1];
  const isFirstStage = step.id === plan.stages[0]!.id;
  if (previous === undefined || (position === -1 && !isFirstStage)) return [];
  return records
    .posts(studyId, previous as StageId, step.attempt)
    .filter((post) => post.site !== site)
    .map((post) => ({
      step: previous,
      from: post.site,
      publicPart: Buffer.from(post.publicPart),
      signature: Buffer.from(post.signature),
      sealed: Buffer.from(Object.hasOwn(post.envelopes, site) ? post.envelopes[site]! : "", "base64"),
    }));
}
