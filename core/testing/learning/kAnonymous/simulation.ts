import type { StageId } from "../../../src/ids.js";
import type { SelectionConversation } from "../../../src/learning/kAnonymous/pass.js";
import { mergeTagCounts } from "../../../src/learning/kAnonymous/tags.js";
import { kAnonymousTags, kAnonymousVector } from "../../../src/learning/kAnonymous/vectors.js";
import { simulatedSite, simulateSums, streamed } from "../../../src/learning/sums.js";
import type { NumericKernels } from "../../../src/linalg/kernels.js";
import type { RandomSource } from "../../../src/random.js";
import type { Broadcast } from "../../../src/study/broadcast.js";
import type { ColumnBlock } from "../../../src/study/design.js";
import type { KAnonymousStudy } from "../../../src/study/kAnonymous.js";
import { planStudy, tagRecordBytes } from "../../../src/study/plan.js";

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
      return kAnonymousVector(study, id, { ...given, broadcasts: told });
    },
    run: (sums) =>
      run({
        ...sums,
        async tags(id, broadcast) {
          told.set(id, broadcast);
          const sites: AsyncIterable<Uint8Array>[] = [];
          for (const index of tables.keys())
            sites.push(records(await kAnonymousTags(study, id, { ...input(index), sharedSeed })));
          return mergeTagCounts(sites, study.participation.maxRowsPerSite);
        },
      }),
  });
}

async function* records(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += tagRecordBytes) yield bytes.subarray(at, at + tagRecordBytes);
}
