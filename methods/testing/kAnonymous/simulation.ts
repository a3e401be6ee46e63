import type { StageId } from "@consilium/core/ids";
import { simulatedSite, simulateSums, streamed } from "@consilium/core/learning/sums";
import { mergeTagCounts } from "@consilium/core/learning/tags";
import type { NumericKernels } from "@consilium/core/linalg/kernels";
import type { RandomSource } from "@consilium/core/random";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy, tagRecordBytes } from "@consilium/core/study/plan";
import type { SelectionConversation } from "../../shared/k-anonymous/pass.js";
import { type KAnonymousStudy, siteTags, siteVector } from "../families.js";

/**
 * A method of `k-anonymous-selection` with all sites in one process, tags included: for tests, audits and benches.
 * @param run - the aggregator's side
 */
export function simulateSelection<R>(options: {
  readonly study: KAnonymousStudy;
  readonly tables: readonly (readonly ColumnBlock[])[];
  readonly kernels: NumericKernels;
  readonly random: RandomSource;
  readonly run: (conversation: SelectionConversation) => Promise<R>;
}): Promise<R> {
  const { study, tables, kernels, random, run } = options;
  const plan = planStudy(study);
  const told = new Map<StageId, Broadcast>();
  const sharedSeed = random.bytes(32);
  const input = (index: number) => ({
    site: simulatedSite(index),
    sites: tables.length,
    broadcasts: told,
    blocks: streamed(tables[index]!),
    kernels,
    random,
  });
  return simulateSums({
    plan,
    tables,
    kernels,
    random,
    vector: (id, given) => {
      told.set(id, given.broadcasts.get(id)!);
      return siteVector(study, id, { ...given, broadcasts: told });
    },
    run: (sums) =>
      run({
        ...sums,
        async tags(id, broadcast) {
          told.set(id, broadcast);
          const sites: AsyncIterable<Uint8Array>[] = [];
          for (const index of tables.keys())
            sites.push(records(await siteTags(study, id, { ...input(index), sharedSeed })));
          return mergeTagCounts(sites, study.participation.maxRowsPerSite);
        },
      }),
  });
}

async function* records(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += tagRecordBytes) yield bytes.subarray(at, at + tagRecordBytes);
}
