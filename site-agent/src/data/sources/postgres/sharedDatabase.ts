import type { Study } from "@consilium/core/study/study";
import { fault } from "../../fault.js";
import { tablePlace } from "../../place.js";
import type { RowSum } from "../../rowShare.js";
import type { TableConfig } from "../../tableConfig.js";
import { guarded, type Query, rowSumOf } from "../shared/databaseSource.js";
import { openDatabase, type PostgresSnapshot } from "./connection.js";
import { connectOptionsOf, postgresDatabase, type SharedConnection, sharedPostgres } from "./source.js";

/** What a reader of a share needs to know of the database. */
export interface SharedDatabaseJob extends SharedConnection {
  readonly query: Query;
}

interface Sharing {
  readonly shares: number;
  /** Whether nothing else shows that the shares are the table. */
  readonly isChecked: boolean;
}

/** Products, or versions of them, that export no snapshot: not supported, no such function, not allowed. */
const notShared: ReadonlySet<string | null> = new Set(["0A000", "42883", "42501"]);

/**
 * One state of a table in PostgreSQL that several processes read at the same time, each its share of the rows. The query runs once
 * in each, and once more here, which shows whether the shares are the table: those of a query with random() are not.
 */
export class SharedDatabase {
  readonly job: SharedDatabaseJob;
  readonly #config: TableConfig;
  readonly #snapshot: PostgresSnapshot;
  readonly #shares: number;
  /** Null where it is not asked for. */
  readonly #expected: Promise<RowSum | null>;
  /** By share, of the last pass. */
  readonly #sums = new Map<number, RowSum>();
  #fault: unknown = null;

  private constructor(
    config: TableConfig,
    job: SharedDatabaseJob,
    { snapshot, shares, isChecked }: Sharing & { readonly snapshot: PostgresSnapshot },
  ) {
    this.#config = config;
    this.job = job;
    this.#snapshot = snapshot;
    this.#shares = shares;
    const asked = { database: sharedPostgres(job), query: job.query, snapshot };
    this.#expected = isChecked ? rowSumOf(config, asked) : Promise.resolve(null);
    this.#expected.catch((thrown: unknown) => {
      this.#fault = thrown;
    });
  }

  /**
   * @param study - whose feature plan an OMOP table is read by, and whose patients stay together
   * @returns null for a table that only one process can read
   * @throws ConsiliumError TABLE_UNREADABLE, CONFIG_INVALID, OMOP_PLAN_MISSING
   */
  static async open(
    config: TableConfig,
    study: Pick<Study, "omop" | "patient">,
    sharing: Sharing,
  ): Promise<SharedDatabase | null> {
    const { postgres, omop } = config;
    const place = postgres ?? omop?.postgres;
    if (place === undefined) return null;
    const query = postgres === undefined ? await omopQueryOf(config, study) : ownQuery(postgres, study);
    const options = connectOptionsOf(place);
    const database = postgresDatabase(place);
    const snapshot = await guarded(config.name, database, "before rows", () => openDatabase(options));
    try {
      const { snapshot: name, password } = await snapshot.share();
      const shared = { ...options, ...(password === null ? {} : { password }) };
      const job = { options: shared, snapshot: name, query };
      return new SharedDatabase(config, job, { ...sharing, snapshot });
    } catch (thrown) {
      await snapshot.close();
      if (notShared.has(database.codeOf(thrown))) return null;
      return guarded(config.name, database, "before rows", () => Promise.reject(thrown));
    }
  }

  /**
   * Takes what a share that was read adds up to; of the last one compares all of them with the table.
   * @throws ConsiliumError ENGINE_UNSUITABLE, DATABASE_LOST, TABLE_UNREADABLE
   */
  async check(share: number, sum: RowSum): Promise<void> {
    this.#sums.set(share, sum);
    const expected = this.#sums.size < this.#shares ? null : await this.#expected;
    if (expected === null) return;
    const sumOf = (part: keyof RowSum) => [...this.#sums.values()].reduce((all, one) => all + one[part], 0);
    if (sumOf("rows") === expected.rows && sumOf("hashes") === expected.hashes) return;
    const place = tablePlace(this.#config.name);
    throw fault("ENGINE_UNSUITABLE", "database.other-rows", { place }, "database.same-rows");
  }

  /** Why it was lost, where that is the query: one that fails ends the transaction that all shares are read in. */
  get fault(): unknown {
    return this.#fault;
  }

  close(): Promise<void> {
    return this.#snapshot.close();
  }
}

/** Divided by what a hospital says is the same at each reading: the patient, or else what orders rows. */
function ownQuery(
  { query: select, orderBy }: NonNullable<TableConfig["postgres"]>,
  { patient }: Pick<Study, "patient">,
): Query {
  return { select, shareBy: patient === undefined ? orderBy : [patient.column] };
}

async function omopQueryOf(config: TableConfig, study: Pick<Study, "omop">): Promise<Query> {
  const { omopDatabaseQuery } = await import("../omop/source.js");
  return omopDatabaseQuery(config, config.omop!, study, "postgres");
}
