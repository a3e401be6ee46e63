import type { StageId } from "../../ids.js";
import type { NumericKernels } from "../../linalg/kernels.js";
import type { RandomSource } from "../../random.js";
import type { Broadcast } from "../../study/broadcast.js";
import type { ColumnBlock } from "../../study/design.js";
import type { KAnonymousStudy } from "../../study/kAnonymous.js";
import { planStudy, tagRecordBytes } from "../../study/plan.js";
import { simulatedSite, simulateSums, streamed } from "../sums.js";
import type { SelectionConversation } from "./pass.js";
import { mergeTagCounts } from "./tags.js";
import { kAnonymousTags, kAnonymousVector } from "./vectors.js";

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
