import type { SiteVector } from "@consilium/core/learning/sums";
import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { analysisOf } from "../../src/analyses/analyses.js";
import type { AnalysisResult, Conversation } from "../../src/analyses/analysis.js";

/** For tests: the analysis of a study that asks for sums alone, over these sites in this process; what it asked, in order. */
export async function releasedBySums(options: {
  readonly study: Study;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly vector: SiteVector;
}): Promise<{
  readonly result: AnalysisResult;
  readonly asked: readonly [stage: string, broadcasts: { name: string; length: number }[]][];
}> {
  const { study } = options;
  const asked: [stage: string, broadcasts: { name: string; length: number }[]][] = [];
  const nothing = () => {
    throw new Error(`${study.method} asks for sums alone`);
  };
  const result: AnalysisResult = await simulateSums({
    ...options,
    plan: planStudy(study),
    kernels: plainKernels(),
    random: seededRandom("noise of the sites"),
    run: (conversation) =>
      analysisOf(study)({
        study,
        sites: conversation.sites,
        survivors: conversation.survivors,
        kernels: conversation.kernels,
        draw: nothing,
        rows: nothing,
        tags: nothing,
        writeRows: nothing,
        sum(id, broadcast) {
          asked.push([id, Object.entries(broadcast).map(([name, { length }]) => ({ name, length }))]);
          return conversation.sum(id, broadcast);
        },
      } satisfies Conversation),
  });
  return { result, asked };
}

/** The same analysis where every sum is larger than honest sites can make it. */
export function releasedOfImplausible(study: Study): Promise<AnalysisResult> {
  const conversation = {
    study,
    sites: 3,
    survivors: 3,
    kernels: plainKernels(),
    sum: async (id: string) => {
      const stage = planStudy(study).stages.find((one) => one.id === id)!;
      return new BigUint64Array(stage.kind === "sum" ? stage.length : 0).fill(2n ** 62n);
    },
  };
  return analysisOf(study)(conversation as unknown as Conversation);
}
