import { canonicalJson } from "@consilium/core/canonicalJson";
import type { Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { Study } from "@consilium/core/study/study";
import type { Part } from "@consilium/gate/part";
import type { RecordBlock } from "@consilium/gate/record";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Engines } from "../engines/engines.js";
import type { TriedStage } from "../engines/stage.js";
import { usableMemory } from "../memory.js";
import { unknownTable } from "../tables/tables.js";
import { filesSignature, HeldBlocks } from "./heldBlocks.js";
import type { TableSnapshot } from "./preflight.js";
import type { ProfileReport } from "./profile.js";
import { type RefusalRules, refusals } from "./refusals.js";
import { TableKeys } from "./rowHash.js";
import { type DeclaredTable, describeDeclared, describeTable, type TableDescription } from "./schema.js";
import { anyRows, checkTable, type FoundTable, reopen, tableFlow } from "./snapshot.js";
import { resolveTableConfig, type TableConfig } from "./tableConfig.js";
import { boundedStudy, unitOf } from "./tableUnit.js";

/** Where a site's rows come from, as the process that reads them has it. */
export interface RowTables {
  readonly names: readonly string[];
  /** The columns of every table that can be read now; of the others, the name alone. For the hospital's own eyes. */
  describe(): Promise<TableDescription[]>;
  /** Of every table the columns that the configuration or a schema declares. */
  declared(): Promise<DeclaredTable[]>;
  /**
   * Checks the study's table by its files and columns alone.
   * @throws ConsiliumError for what no record can change: TABLE_UNKNOWN, TABLE_UNREADABLE, COLUMN_MISSING and others
   */
  check(study: Study): Promise<void>;
  /**
   * The table of a study that hides tables, as it is now, block by block: whatever its rows are.
   * @param found - told what was read, once it was read to its end
   */
  read(study: Study, found: (table: FoundTable) => void): AsyncIterable<ColumnBlock>;
  /** Of every row, or patient, of the study's table as it is now why it is left out, and which bounds it lies beyond. */
  flow(study: Study): AsyncIterable<RecordBlock>;
  /**
   * Reads the study's table through and judges it.
   * @throws ConsiliumError for the first thing that is wrong with it
   */
  preflight(
    study: Study,
    rules: RefusalRules,
  ): Promise<{ readonly rows: number; readonly contentHash: Sha256 }>;
  /** The approved table, block by block; ends with TABLE_CHANGED when it is no longer what was approved. */
  reopen(study: Study, approval: { rows: number; contentHash: Sha256 }): AsyncIterable<ColumnBlock>;
  /** What an engine makes of a stage's table, in place of `read` and `reopen`; null or left out where this process reads it itself. */
  parts?(stage: TriedStage): Promise<AsyncIterable<Part> | null>;
  profile(study: Study): Promise<ProfileReport>;
}

/** Bytes. */
export interface TableMemory {
  /** Of the table's blocks, as its last study read them; null before it was read. */
  readonly needs: number | null;
  /** Of all tables together, at most. */
  readonly holds: number;
  /** Of the machine, or of the control group that limits this process. */
  readonly memory: number;
}

/** Of the memory, what tables that are read again and again may take: the rest is for stages, workers and the hospital's other programs. */
const heldPart = 1 / 4;
/** A table's, before anything is known of it. */
export const unreadTable = (memoryBytes = usableMemory()): TableMemory => ({
  needs: null,
  holds: Math.floor(memoryBytes * heldPart),
  memory: memoryBytes,
});

/** For so long after the last stage: other sites may take as long over theirs. */
const heldIdleMs = 10 * 60_000;

/** The tables that this hospital's configuration names. */
export class ConfiguredTables implements RowTables {
  readonly #byName: ReadonlyMap<string, TableConfig>;
  readonly #secret: Uint8Array;
  readonly #held: HeldBlocks;
  readonly #memoryBytes: number;
  readonly #engines: Engines | null;

  /**
   * @param folder - of the configuration file: paths in it are relative to that
   * @param secret - what tables are hashed under, the same for as long as approvals are to hold
   * @param engines - null where this process reads every table itself
   * @param memoryBytes - of which a part is for tables that are held
   */
  constructor(
    configs: readonly TableConfig[],
    folder: string,
    secret: Uint8Array,
    engines: Engines | null = null,
    memoryBytes = usableMemory(),
  ) {
    this.#memoryBytes = memoryBytes;
    this.#held = new HeldBlocks({ maxBytes: unreadTable(memoryBytes).holds, idleMs: heldIdleMs });
    this.#secret = secret;
    this.#engines = engines;
    this.#byName = new Map(
      configs.map((config) => [config.name, resolveTableConfig(config, folder)] as const),
    );
  }

  /** @throws ConsiliumError TABLE_UNKNOWN */
  config(name: string): TableConfig {
    const config = this.#byName.get(name);
    if (config !== undefined) return config;
    throw unknownTable(name, this.names);
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  /** What a table needs to be held, by its last reading, and what all tables may hold. */
  memoryOf(table: string): TableMemory {
    return { ...unreadTable(this.#memoryBytes), needs: this.#held.needs(table) };
  }

  async describe(): Promise<TableDescription[]> {
    return Promise.all(
      [...this.#byName.values()].map(async (config) => {
        const described = await describeTable(config);
        return described.ok ? described.value : { name: config.name, columns: [] };
      }),
    );
  }

  declared(): Promise<DeclaredTable[]> {
    return Promise.all([...this.#byName.values()].map(describeDeclared));
  }

  async check(study: Study): Promise<void> {
    const { config, bounded } = this.#table(study);
    unwrap(await checkTable(config, bounded));
    await this.#engines?.engineOf(config, bounded);
  }

  async parts(stage: TriedStage): Promise<AsyncIterable<Part> | null> {
    const { config, bounded } = this.#table(stage.document.study);
    const engine = (await this.#engines?.engineOf(config, bounded)) ?? null;
    if (engine === null) return null;
    return engine.parts({ ...stage, config, bounded, keys: TableKeys.derive(this.#secret, bounded) });
  }

  async *read(study: Study, found: (table: FoundTable) => void): AsyncGenerator<ColumnBlock> {
    const { config, bounded } = this.#table(study);
    yield* this.#held.blocks(
      { table: config.name, hash: sha256(canonicalJson(bounded)) },
      () => filesSignature(config, Date.now()),
      () => anyRows(config, bounded, found, { secret: this.#secret }),
    );
  }

  flow(study: Study): AsyncIterable<RecordBlock> {
    const { config, bounded } = this.#table(study);
    return tableFlow(config, bounded, { secret: this.#secret });
  }

  async preflight(study: Study, rules: RefusalRules): Promise<TableSnapshot> {
    const { config, bounded } = this.#table(study);
    await this.#engines?.engineOf(config, bounded);
    const { openTable } = await import("./preflight.js");
    const snapshot = unwrap(await openTable(config, bounded, { secret: this.#secret }));
    const [refusal] = refusals(snapshot.report, rules);
    if (refusal !== undefined) throw refusal;
    return snapshot;
  }

  async *reopen(study: Study, approval: { rows: number; contentHash: Sha256 }): AsyncGenerator<ColumnBlock> {
    const { config, bounded } = this.#table(study);
    const approved = unwrap(await reopen(config, bounded, approval, { secret: this.#secret }));
    // What the study sees of the table is in the hash, its own columns and bounds included.
    yield* this.#held.blocks(
      { table: config.name, hash: `${approval.rows} ${approval.contentHash}` },
      () => filesSignature(config, Date.now()),
      () => approved.blocks(),
    );
  }

  async profile(study: Study): Promise<ProfileReport> {
    const { config, bounded } = this.#table(study);
    const { profileTable } = await import("./profile.js");
    return unwrap(await profileTable(config, bounded, { secret: this.#secret }));
  }

  /** The study's table, and the study as this site runs it: by the patient where the hospital counts patients. */
  #table(study: Study): { readonly config: TableConfig; readonly bounded: Study } {
    const config = this.config(study.table);
    return { config, bounded: boundedStudy(study, unitOf(config)) };
  }
}
