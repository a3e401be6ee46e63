import { setTimeout } from "node:timers/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { stageTable } from "@consilium/core/learning/stageTable";
import { siteSideOf } from "@consilium/core/method/method";
import type { ColumnBlock } from "@consilium/core/study/design";
import { flowStageId } from "@consilium/core/study/flow";
import type { Study } from "@consilium/core/study/study";
import { answerOf } from "@consilium/gate/answer";
import type { GramKernel } from "@consilium/gate/gramSums";
import type { Part } from "@consilium/gate/part";
import { osRandom } from "@consilium/runtime/random";
import type { RefusalRules } from "../data/refusals.js";
import type { FoundTable } from "../data/snapshot.js";
import type { RowTables } from "../data/tables.js";
import { methodRefused } from "../engines/answer.js";
import type { SharedStage } from "../engines/stage.js";
import { addedUp } from "../engines/totals.js";
import { pause } from "../pause.js";
import { Retries } from "./retries.js";
import type { ApprovedContents, Tables } from "./tables.js";

/** Tables that this process reads, and whose stages it adds up. */
export class TablesHere implements Tables {
  readonly examine: Tables["examine"];
  readonly tableCheck: Tables["tableCheck"];
  readonly #rows: RowTables;
  readonly #kernels: () => Promise<GramKernel>;

  /** @param options.kernels - opened by the first stage that sums products of columns */
  constructor(
    rows: RowTables,
    options: Pick<Tables, "examine" | "tableCheck"> & { readonly kernels: () => Promise<GramKernel> },
  ) {
    this.#rows = rows;
    this.#kernels = options.kernels;
    this.examine = options.examine;
    this.tableCheck = options.tableCheck;
  }

  get names() {
    return this.#rows.names;
  }

  describe() {
    return this.#rows.describe();
  }

  declared() {
    return this.#rows.declared();
  }

  check(study: Study) {
    return this.#rows.check(study);
  }

  async preflight(study: Study, rules: RefusalRules): Promise<ApprovedContents> {
    // The method is loaded meanwhile: its stages are asked for soon.
    const [{ rows, contentHash }] = await Promise.all([
      this.#rows.preflight(study, rules),
      siteSideOf(study),
    ]);
    return { rows, contentHash };
  }

  async profile(study: Study) {
    const report = await this.#rows.profile(study);
    return { ...report, check: await this.tableCheck(study.table, study) };
  }

  blocks(
    study: Study,
    approved: ApprovedContents | null,
    found: (table: FoundTable) => void,
  ): AsyncIterable<ColumnBlock> {
    return approved === null ? this.#rows.read(study, found) : this.#rows.reopen(study, approved);
  }

  async part(stage: SharedStage, retries = new Retries()): Promise<Part | null> {
    let lost: unknown = null;
    for (let tries = 0; ; tries++) {
      let parts: AsyncIterable<Part> | null = null;
      try {
        parts = (await this.#rows.parts?.({ ...stage, retries })) ?? null;
        return await this.#added(stage, parts);
      } catch (thrown) {
        stage.signal.throwIfAborted();
        const code = thrown instanceof ConsiliumError ? thrown.code : "";
        // A record that was read before may have ended the server that is away now.
        if (code !== "TABLE_AWAY") lost = thrown;
        else if (lost === null) throw thrown;
        // An engine has waited for its database itself.
        const isBrief =
          code === "TABLE_CHANGED" || (parts === null && (code === "DATABASE_LOST" || code === "TABLE_AWAY"));
        if (stage.approval !== null || !isBrief || !retries.take()) throw lost;
        await setTimeout(pausesMs[tries], undefined, { signal: stage.signal });
      }
    }
  }

  async #added(stage: SharedStage, parts: AsyncIterable<Part> | null): Promise<Part | null> {
    const { document, site, broadcasts, entries, approval, found, signal } = stage;
    const { study } = document;
    if (stage.stage === flowStageId) return this.#flow(stage, parts);
    const { proposal } = await siteSideOf(study);
    if (proposal === undefined)
      return parts === null ? null : { exact: await addedUp(parts, entries), records: 0, refused: 0 };
    const told = proposal(stage.stage, { study, site, broadcasts, pause });
    const kernels = told.query.kind === "gram" ? await this.#kernels() : noGram;
    const blocks = whileWanted(this.blocks(study, approval, found), signal);
    const table = stageTable(study, { blocks, kernels, random: osRandom });
    try {
      return await answerOf(told, parts === null ? table : { ...table, parts });
    } catch (thrown) {
      throw methodRefused(thrown, stage.stage, study.name);
    }
  }

  async #flow({ document, signal }: SharedStage, parts: AsyncIterable<Part> | null): Promise<Part> {
    const { study } = document;
    // With the study's method, what sizes its sums is here.
    const { flowProposal, flowTable } = await import("@consilium/core/learning/flowTable");
    const table = flowTable(study, whileWanted(this.#rows.flow(study), signal), osRandom);
    return answerOf(flowProposal(study), parts === null ? table : { ...table, parts });
  }
}

/** Before each further try: a server that restarts takes seconds, or a minute where it has to recover. */
const pausesMs = [1_000, 10_000, 60_000];

/** Of stages whose sums are no products. */
const noGram: GramKernel = {
  gram: () => {
    throw new RangeError("a stage of another kind has no Gram matrix");
  },
};

async function* whileWanted<Block>(blocks: AsyncIterable<Block>, signal: AbortSignal): AsyncGenerator<Block> {
  for await (const block of blocks) {
    yield block;
    signal.throwIfAborted();
  }
}
