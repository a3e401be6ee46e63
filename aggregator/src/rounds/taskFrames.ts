import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import { assertNever } from "@consilium/core/result";
import type { BroadcastItem } from "@consilium/core/study/broadcast";
import type { Plan } from "@consilium/core/study/plan";
import { planText } from "@consilium/core/study/planFacts";
import type { StudyDocument } from "@consilium/core/study/study";
import { sha256Bytes } from "@consilium/proto/fields";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { BroadcastItem as WireBroadcastItem } from "@consilium/proto/generated/consilium/v1/BroadcastItem";
import type { Delivery } from "@consilium/proto/generated/consilium/v1/Delivery";
import type { Task } from "@consilium/proto/generated/consilium/v1/Task";
import { rosterBytes } from "@consilium/proto/roster";
import {
  deliveredToWire,
  proofsToWire,
  signaturesToWire,
  siteKeysToWire,
} from "@consilium/proto/secureSumAggregator";
import type { AggregatorSumRequest } from "@consilium/secure-sum/aggregator";
import type { AdvertisedKeys } from "@consilium/secure-sum/messages";
import type { ParticipantRecord, StudyRecords } from "./records.js";

/** A step's request to one site, without the step's place. */
export type TaskRequest = Pick<
  Task,
  | "kind"
  | "deliveries"
  | "exchange"
  | "sum"
  | "rows"
  | "sumKeys"
  | "sumShares"
  | "sumSurvivors"
  | "sumUnmask"
  | "countersign"
>;

export function invitationFrame(
  studyId: StudyId,
  document: StudyDocument,
  plan: Plan,
  deadlineInMs: number,
): AggregatorFrame {
  return {
    frame: "invitation",
    invitation: {
      studyId,
      studyText: document.text,
      studyHash: sha256Bytes(document.hash),
      plan: planText(document.study, plan),
      deadlineInMs,
    },
  };
}

/** @param roster - with the first task of a study on a connection; null with the others */
export function taskFrame(
  place: {
    readonly studyId: StudyId;
    readonly step: StageId;
    readonly attempt: number;
    readonly deadlineInMs: number;
    /** Of the plan on the roster. */
    readonly planHash: Buffer;
  },
  roster: Buffer | null,
  request: TaskRequest,
): AggregatorFrame {
  return { frame: "task", task: { ...place, ...(roster === null ? {} : { roster }), ...request } };
}

export function studyEndedFrame(studyId: StudyId, outcome: string, code: string | null): AggregatorFrame {
  return { frame: "studyEnded", studyEnded: { studyId, outcome, code: code ?? "" } };
}

export function rosterToWire(members: readonly ParticipantRecord[]): Buffer {
  return rosterBytes({
    members: members.map((member) => ({
      siteId: member.site,
      chain: (JSON.parse(member.chain!) as string[]).map((der) => Buffer.from(der, "base64")),
      join: {
        exchangeKey: Buffer.from(member.exchangeKey!),
        signature: Buffer.from(member.joinSignature!),
      },
    })),
  });
}

/** @param valuesOf - what travels with an item; null where it is fetched, or known */
export function broadcastsToWire(
  items: readonly BroadcastItem[],
  valuesOf: (item: BroadcastItem) => Uint8Array | null,
): WireBroadcastItem[] {
  return items.map((item) => ({
    stage: item.stage,
    name: item.name,
    length: item.length,
    sha256: sha256Bytes(item.sha256),
    values: Buffer.from(valuesOf(item) ?? []),
  }));
}

/**
 * A secure sum phase's request to a site.
 * @param nextKeys - all sites' keys for the plan's next sum, if this answer should piggyback shares for it
 */
export function sumRequest(
  request: AggregatorSumRequest,
  with_: { readonly broadcasts: WireBroadcastItem[]; readonly nextKeys: readonly AdvertisedKeys[] },
): TaskRequest {
  const nextKeys = siteKeysToWire(with_.nextKeys);
  switch (request.kind) {
    case "keys":
      return { kind: "sumKeys", sumKeys: {} };
    case "shares":
      return { kind: "sumShares", sumShares: { keys: siteKeysToWire(request.keys) } };
    case "masked":
      return {
        kind: "sum",
        sum: {
          broadcasts: with_.broadcasts,
          shares: deliveredToWire(request.deliveries),
        },
      };
    case "survivors":
      return {
        kind: "sumSurvivors",
        sumSurvivors: { survivors: proofsToWire(request.survivors), nextKeys },
      };
    case "unmask":
      return {
        kind: "sumUnmask",
        sumUnmask: {
          survivors: proofsToWire(request.survivors),
          signatures: signaturesToWire(request.signatures),
          nextKeys,
        },
      };
    default:
      return assertNever(request);
  }
}

/** The deliveries of the previous exchange step for this site. */
export function deliveriesFor(
  source: { readonly studyId: StudyId; readonly plan: Plan; readonly records: StudyRecords },
  site: SiteId,
  step: { readonly id: StageId; readonly attempt: number },
): Delivery[] {
  const { plan } = source;
  const setup: readonly string[] = plan.setup;
  const position = setup.indexOf(step.id);
  const previous = position === -1 ? setup.at(-1) : setup[position - 1];
  const isFirstStage = step.id === plan.stages[0]!.id;
  if (previous === undefined || (position === -1 && !isFirstStage)) return [];
  return deliveriesOf(source, site, { id: previous as StageId, attempt: step.attempt });
}

/** The deliveries of the last exchange step for this site; it has one attempt. */
export function setupDeliveries(
  study: { readonly id: StudyId; readonly plan: Plan; readonly context: { readonly records: StudyRecords } },
  site: SiteId,
): Delivery[] {
  const last = study.plan.setup.at(-1);
  if (last === undefined) return [];
  const source = { studyId: study.id, records: study.context.records };
  return deliveriesOf(source, site, { id: last as string as StageId, attempt: 1 });
}

function deliveriesOf(
  { studyId, records }: { readonly studyId: StudyId; readonly records: StudyRecords },
  site: SiteId,
  step: { readonly id: StageId; readonly attempt: number },
): Delivery[] {
  return records
    .posts(studyId, step.id, step.attempt)
    .filter((post) => post.site !== site)
    .map((post) => ({
      step: step.id,
      from: post.site,
      publicPart: Buffer.from(post.publicPart),
      signature: Buffer.from(post.signature),
      sealed: Buffer.from(Object.hasOwn(post.envelopes, site) ? post.envelopes[site]! : "", "base64"),
    }));
}
