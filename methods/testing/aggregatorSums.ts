import { type SiteVector, type SumConversation, simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, MethodResult, RowsPart } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { wholly } from "@consilium/core/method/parts";
import type { RandomSource } from "@consilium/core/random";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { siteVector } from "./families.js";

/** For tests of a method that keeps no rows: what a conversation has beside its sums. */
export const aloneInTests = {
  part: wholly,
  random: seededRandom("the aggregator's own"),
  readRows: (): never => {
    throw new Error("no rows are read here");
  },
};

const sumsAlone =
  ({ method }: Study) =>
  (): never => {
    throw new Error(`${method} asks for sums alone`);
  };

/** For tests: the analysis of a study that asks for sums alone, over these sites in this process; what it asked, in order. */
export async function releasedBySums(options: {
  readonly study: Study;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly vector: SiteVector;
}): Promise<{
  readonly result: MethodResult;
  readonly asked: readonly [stage: string, broadcasts: { name: string; length: number }[]][];
}> {
  const { study } = options;
  const asked: [stage: string, broadcasts: { name: string; length: number }[]][] = [];
  const nothing = sumsAlone(study);
  const result: MethodResult = await simulateSums({
    ...options,
    plan: planStudy(study),
    kernels: plainKernels(),
    random: seededRandom("noise of the sites"),
    run: async (conversation) =>
      (await aggregatorSideOf(study))({
        ...aloneInTests,
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

/**
 * An analysis of sums over these sites in this process, and the rows that it writes.
 * @param random - of the sites' noise
 * @param vector - left out: the study's own method's
 */
export async function releasedWithRows({
  study,
  vector = (id, input) => siteVector(study, id, input),
  ...options
}: {
  readonly study: Study;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly random: RandomSource;
  readonly vector?: SiteVector;
}): Promise<{ readonly result: MethodResult; readonly parts: readonly RowsPart[] }> {
  const parts: RowsPart[] = [];
  const nothing = sumsAlone(study);
  const run = async (conversation: SumConversation) =>
    (await aggregatorSideOf(study))({
      ...aloneInTests,
      ...conversation,
      study,
      rows: nothing,
      tags: nothing,
      async writeRows(path, shape, made) {
        for await (const part of made) parts.push(part);
        return { path, rows: parts.reduce((sum, { rows }) => sum + rows, 0), ...shape };
      },
      async *readRows() {
        yield* parts;
      },
    } satisfies Conversation);
  const plan = planStudy(study);
  return { result: await simulateSums({ ...options, plan, kernels: plainKernels(), vector, run }), parts };
}

/** The same analysis where every sum is larger than honest sites can make it. */
export async function releasedOfImplausible(study: Study): Promise<MethodResult> {
  const conversation = {
    ...aloneInTests,
    study,
    sites: 3,
    survivors: 3,
    kernels: plainKernels(),
    sum: async (id: string) => {
      const stage = planStudy(study).stages.find((one) => one.id === id)!;
      return new BigUint64Array(stage.kind === "sum" ? stage.length : 0).fill(2n ** 62n);
    },
  };
  return (await aggregatorSideOf(study))(conversation as unknown as Conversation);
}
