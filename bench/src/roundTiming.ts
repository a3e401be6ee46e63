import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { StudyView } from "@consilium/core/operator/views";
import { flowStageId } from "@consilium/core/study/flow";
import { openLibsql } from "@consilium/runtime/store/driver";
import type { LocalFederation } from "../../scripts/localFederation.js";
import { unitFeatures } from "./unitFeatures.js";

/** The one sum of `studyOf`. */
export const roundStage = "level-1";
const stage = roundStage;

export const phases = ["keys", "shares", "masked", "unmask", "sum"] as const;
type Phase = (typeof phases)[number];

/** Milliseconds from one phase's opening to the next one's; keys and shares are of the study's first sum, the flow of its rows. */
export type Round = Readonly<Record<Phase, number>>;

export const total = (round: Round) => phases.reduce((sum, phase) => sum + round[phase], 0);

const binsMost = 4096;
const featuresOf = (length: number) => Math.ceil(length / (2 * binsMost));

/** A sum of at least so many entries: counts of two rows at every site, by feature, bin and class. */
export function studyOf(sites: readonly string[], length: number, noise: boolean): object {
  const features = featuresOf(length);
  return {
    name: "round",
    table: "records",
    analysis: "correlation-tree",
    method: "dp-pcc",
    variant: "sound",
    privacy: noise ? { epsilon: 1, delta: 1e-5 } : "none",
    parameters: { depth: 1, bins: Math.ceil(length / (2 * features)), evaluation: "none" },
    // As many rows as a large hospital may have: they decide the width of the ring.
    participation: { sites: [...sites], minimumSites: 3, maxRowsPerSite: 1_000_000, phaseDeadline: "10m" },
    features: unitFeatures(features),
    label: { name: "label", levels: ["no", "yes"] },
  };
}

/** A table of two rows for the study of so many entries. */
export function tableOf(length: number): string {
  const names = Array.from({ length: featuresOf(length) }, (_, j) => `f${j}`);
  const row = (value: number, label: string) => [...names.map(() => value), label].join(",");
  return `${[...names, "label"].join(",")}\n${row(0.25, "no")}\n${row(0.75, "yes")}\n`;
}

/** One round, and nothing after it. */
export async function timeRound(federation: LocalFederation, study: object): Promise<Round> {
  const { id } = await federation.startStudy(study);
  const database = openLibsql(join(federation.aggregator.state, "state.db"));
  try {
    const done = database.prepare(
      "SELECT done_at, failure_message FROM attempts WHERE study = ? AND stage = ?",
    );
    const ended = database.prepare(
      "SELECT failure_message FROM studies WHERE id = ? AND ended_at IS NOT NULL",
    );
    for (;;) {
      const failure = ended.get([id])?.failure_message;
      if (failure !== undefined) throw new Error(`study ${id} ended: ${failure}`);
      const sum = done.get([id, stage]);
      if (sum?.done_at != null)
        return roundOf(
          database.prepare("SELECT step, opened_at, done_at FROM steps WHERE study = ?").all([id]),
          Number(sum.done_at),
        );
      await delay(50);
    }
  } finally {
    database.close();
    await federation.api<StudyView>("POST", `/api/studies/${id}/cancel`).catch(() => undefined);
    // What follows the sum would be in the next round's way.
    while ((await federation.study(id)).endedAt === null) await delay(100);
  }
}

function roundOf(rows: readonly Record<string, unknown>[], doneAt: number): Round {
  const step = (name: string) => {
    const row = rows.find((one) => one.step === name)!;
    return { openedAt: Number(row.opened_at), doneAt: Number(row.done_at) };
  };
  if (rows.some((one) => one.step === `${stage}-survivors`)) throw new Error("a site dropped out");
  const [keys, shares, counted] = ["-keys", "-shares", ""].map((suffix) => step(`${flowStageId}${suffix}`));
  const [masked, unmask] = ["", "-unmask"].map((suffix) => step(`${stage}${suffix}`));
  return {
    keys: shares!.openedAt - keys!.openedAt,
    shares: counted!.openedAt - shares!.openedAt,
    masked: unmask!.openedAt - masked!.openedAt,
    unmask: unmask!.doneAt - unmask!.openedAt,
    sum: doneAt - unmask!.doneAt,
  };
}
