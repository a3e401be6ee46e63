import { hexOf } from "@consilium/core/bytes";
import type { AggregatorSide, RowsPart } from "@consilium/core/method/aggregatorSide";
import { rowsMost } from "@consilium/core/study/soundSums";
import { plausible } from "../shared/plausible.js";
import { syntheticRowsMost } from "../shared/release/syntheticRowsMost.js";
import { type SyntheticTableResult, syntheticTableConversation } from "./conversation.js";
import { syntheticTableModel } from "./model.js";
import { pairFigures, pairQualities, qualityTables } from "./quality.js";
import {
  releasedColumns,
  releasedParts,
  syntheticTableCounted,
  syntheticTableFacts,
  syntheticTableFinding,
  syntheticTableNotes,
} from "./release.js";
import { asSyntheticTable, type SyntheticTableStudy } from "./study.js";
import { drawnRows } from "./syntheticRows.js";

/** Synthetic rows at the aggregator: two noisy sums, the model that follows from them, and rows drawn from it. */
export const aggregator: AggregatorSide = async (conversation) => {
  const study = asSyntheticTable(conversation.study);
  // Public, and drawn once: a replay comes to the same rows.
  const seed = conversation.draw("public-seed", () => hexOf(conversation.random.bytes(16)));
  const result = await syntheticTableConversation({ study, conversation, check: plausible });
  const wanted = rowsWanted(study, result);
  const { columns, shape } = releasedColumns(study);
  const parts: Generator<RowsPart> = releasedParts(study, drawnRows(result.model, wanted, seed), seed);
  const rows = await conversation.writeRows("synthetic", shape, parts);
  const qualities = conversation.part("tables", () => pairQualities(study, result));
  return {
    model: syntheticTableModel(study, result, { seed, rows: wanted }),
    table: { rows, columns },
    // How many records took part is known with noise only.
    rowsUsed: null,
    facts: syntheticTableFacts(study, result, wanted),
    notes: syntheticTableNotes(study, result, wanted),
    figures: qualities && conversation.part("figures", () => pairFigures(study, qualities)),
    tables: qualities && conversation.part("tables", () => qualityTables(study, qualities)),
    finding: syntheticTableFinding(study, result, wanted, qualities),
    counted: syntheticTableCounted(study, result),
  };
};

function rowsWanted(study: SyntheticTableStudy, { total }: SyntheticTableResult): number {
  const counted = Math.min(Math.max(0, Math.round(total.noisy)), rowsMost(study), syntheticRowsMost);
  return study.parameters.rows ?? counted;
}
