/**
 * A site agent as it was before it hid its tables, so that what compares frames is seen to catch it. `WEAKENED` says in
 * what, by words: `preflight` reads a table through before it joins and refuses by what it found, `progress` tells how far a pass
 * over the table is, `faults` lets what a record has brought about leave as a code, `dates` takes PostgreSQL's dates as they stand.
 */
import { dirname, join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { ColumnBlock } from "@consilium/core/study/design";
import { openInlineGram } from "@consilium/kernels/inlineGram";
import type { Study } from "@consilium/methods/testing/studies";
import { loadConfig } from "@consilium/runtime/config";
import { runExecutable } from "@consilium/runtime/executable";
import { siteConfigSchema } from "@consilium/site-agent/config";
import { processSecret } from "@consilium/site-agent/data/rowHash";
import type { FoundTable } from "@consilium/site-agent/data/snapshot";
import { databases } from "@consilium/site-agent/data/sources/registry";
import { resolveTableConfig } from "@consilium/site-agent/data/tableConfig";
import { TableSources } from "@consilium/site-agent/data/tableSources";
import { ConfiguredTables } from "@consilium/site-agent/data/tables";
import { startSiteAgent } from "@consilium/site-agent/process";
import { TablesHere } from "@consilium/site-agent/tables/tablesHere";
import { attended } from "./frameTap.mjs";

/** A block was so many rows. */
const progressRows = 16;
const told = { step: "rows", attempt: 1, code: "TABLE_CHANGED" };

class PreflightTables extends ConfiguredTables {
  override async check(study: Study): Promise<void> {
    const asBefore = { ...study, variant: "paper" } as Study;
    try {
      await this.preflight(asBefore, { minimumRows: 0, refuseConstant: false });
    } catch (thrown) {
      // It left as it was; today one code stands for both, so another one has to play it.
      if (thrown instanceof ConsiliumError && thrown.code === "LEVEL_UNDECLARED")
        throw new ConsiliumError("TABLE_UNREADABLE", "an undeclared level");
      throw thrown;
    }
  }
}

class ProgressTables extends ConfiguredTables {
  override async *read(study: Study, found: (table: FoundTable) => void): AsyncGenerator<ColumnBlock> {
    for await (const block of super.read(study, found)) {
      yield block;
      for (let rows = progressRows; rows < block.rows; rows += progressRows)
        attended!.write({ frame: "stepFault", stepFault: { ...told, studyId: `${study.name}-0000000000` } });
    }
  }
}

/** Takes every fault for one of the world. */
class FaultyTables extends TablesHere {
  override part(...asked: Parameters<TablesHere["part"]>): ReturnType<TablesHere["part"]> {
    return super
      .part(...asked)
      .catch(() => Promise.reject(new ConsiliumError("TABLE_AWAY", "it cannot be read")));
  }
}

const examined = () => Promise.reject(new Error("no doctor comes here"));

await runExecutable({
  usage: "Usage: weakenedSite --state <folder>\n",
  defaultState: () => {
    throw new Error("give --state <folder>");
  },
  start: async (state) => {
    const path = join(state, "config.yaml");
    const { tables } = await loadConfig(path, siteConfigSchema);
    const weak = new Set(process.env.WEAKENED?.split(" "));
    const Reading = weak.has("progress") ? ProgressTables : ConfiguredTables;
    const Rows = weak.has("preflight") ? PreflightTables : Reading;
    const Here = weak.has("faults") ? FaultyTables : TablesHere;
    if (weak.has("dates"))
      Object.assign(databases.postgres.omop, { day: (column: string) => `CAST(${column} AS DATE)` });
    const rows = new Rows(tables, dirname(path), processSecret);
    const known = new TableSources(
      tables.map((table) => resolveTableConfig(table, dirname(path))),
      processSecret,
    );
    await known.resolve();
    await startSiteAgent(state, {
      tables: {
        known,
        tables: new Here(rows, {
          kernels: async () => openInlineGram(),
          examine: examined,
          tableCheck: examined,
        }),
      },
    });
  },
});
