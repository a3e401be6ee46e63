import type { StageId } from "@consilium/core/ids";
import type { MethodIssue } from "@consilium/core/method/method";
import { nameOf } from "@consilium/core/said";
import type { Plan } from "@consilium/core/study/plan";
import { countQuery, soundStage } from "@consilium/core/study/soundStage";
import { planSoundSums, type SoundStage, soundIssues } from "@consilium/core/study/soundSums";
import type { StudyWith } from "@consilium/core/study/study";
import { z } from "zod";

/** The smallest method there is: how many rows lie in either half of the first feature's range. */
export const toySection = {
  analysis: z.literal("pca"),
  method: z.literal("toy-halves").describe("How many rows lie in the upper half of each column."),
  variant: z.literal("sound"),
  parameters: z.strictObject({}).prefault({}),
};

export type ToyStudy = StudyWith<typeof toySection>;

export const halves = 2;

export const toyStage: SoundStage = soundStage({
  id: "halves" as StageId,
  broadcasts: [],
  share: 1,
  query: countQuery(halves),
  integersPerUnit: 1,
  what: {
    code: "counts.sent",
    params: {
      units: { code: "finding.rows", params: {} },
      conditions: halves,
      named: ["lower half", "upper half"].map(nameOf),
      more: 0,
      groups: 1,
    },
  },
});

export const toyIssues = (study: ToyStudy): MethodIssue[] => soundIssues(study);

export const planToy = (study: ToyStudy): Plan =>
  planSoundSums(study, () => ({ stages: [toyStage], proof: "docs/METHODS.md#zcdp", warnings: [] }));
