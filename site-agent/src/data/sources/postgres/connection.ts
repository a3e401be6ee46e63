import { Client, type CustomTypesConfig } from "pg";
import type { DatabaseCell, DatabaseSnapshot } from "../shared/databaseSource.js";

/**
 * The hospital's own database: besides the federation's aggregator the only thing that a site agent connects to. This
 * file alone may import the driver (`scripts/boundaries/rules.ts`), and it opens read-only transactions alone.
 */

/** A snapshot's name, as PostgreSQL gives it. */
const snapshotName = /^[0-9A-Fa-f-]{1,64}$/;

/** What the driver is told; `runtime/src/postgres/connectOptions.ts` makes it. */
type DatabaseOptions = ConstructorParameters<typeof Client>[0] & object;

const asText = { getTypeParser: () => (value: string) => value } as unknown as CustomTypesConfig;

/** A statement that runs longer than this has met a lock, or a query without end. */
const statementTimeoutMs = 30 * 60_000;

export interface PostgresSnapshot extends DatabaseSnapshot<number> {
  /** The same transaction's state for other connections, as long as this one is open. */
  share(): Promise<{ readonly snapshot: string; readonly password: string | null }>;
}

/** A query takes the same course on each of the connections that share its rows: without parallel workers, and from a table's first page on. */
const oneCourse = "SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL synchronize_seqscans = off";

/**
 * Opens a connection and one consistent snapshot for reading. A column's type is PostgreSQL's number of it (pg_type.dat).
 * @param snapshot - what another connection's `share` returned; null: the state as it is now
 * @throws what the driver throws; its messages may quote data and must not go further
 */
export async function openDatabase(
  options: DatabaseOptions,
  snapshot: string | null = null,
): Promise<PostgresSnapshot> {
  if (snapshot !== null && !snapshotName.test(snapshot)) throw new RangeError("not the name of a snapshot");
  const client = new Client(options);
  // A connection that ends between two statements shows at the next one.
  client.on("error", () => undefined);
  const close = () => client.end().catch(() => undefined);
  const ask = (text: string) => client.query({ text, rowMode: "array", types: asText });
  try {
    await client.connect();
    await ask("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    if (snapshot !== null) {
      await ask(`SET TRANSACTION SNAPSHOT '${snapshot}'`);
      await ask(oneCourse);
    }
    await ask(`SET LOCAL statement_timeout = ${statementTimeoutMs}`);
    await ask(
      "SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL TimeZone = 'UTC'; SET LOCAL extra_float_digits = 1",
    );
    await ask("SET LOCAL bytea_output = hex; SET LOCAL IntervalStyle = iso_8601");
    // The server of a database without an encoding would end the query at bytes that are no character; the driver does not.
    await ask(
      "SELECT set_config('client_encoding', 'SQL_ASCII', true) WHERE current_setting('server_encoding') = 'SQL_ASCII'",
    );
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    close,
    async share() {
      await ask(`${oneCourse}; SET LOCAL idle_in_transaction_session_timeout = 0`);
      const { rows } = await ask("SELECT pg_export_snapshot()");
      const [[name]] = rows as unknown as [[string]];
      return { snapshot: name, password: client.password ?? null };
    },
    async columns(sql) {
      const { fields } = await ask(sql);
      return fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
    },
    async *rows(sql, atATime) {
      await ask(`DECLARE reading NO SCROLL CURSOR FOR ${sql}`);
      for (;;) {
        const { rows } = await ask(`FETCH FORWARD ${atATime} FROM reading`);
        if (rows.length > 0) yield rows as unknown as (readonly DatabaseCell[])[];
        if (rows.length < atATime) break;
      }
      await ask("CLOSE reading");
    },
  };
}
