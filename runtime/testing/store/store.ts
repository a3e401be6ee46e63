import { randomBytes } from "node:crypto";
import { unwrap } from "@consilium/core/result";
import { parsePostgresUrl } from "../../src/postgres/address.js";
import { postgresConnectOptions } from "../../src/postgres/connectOptions.js";
import type { PostgresDriverOptions } from "../../src/store/postgresDriver.js";
import { openPostgresStore } from "../../src/store/postgresStore.js";
import { openStore, type Store } from "../../src/store/store.js";

/**
 * An empty store for a test: SQLite in memory or, where CONSILIUM_TEST_STORE holds a database's address, a schema of its
 * own there. So the same tests run against both.
 */
export function openTestStore(migrations: readonly string[]): Store {
  const url = process.env.CONSILIUM_TEST_STORE;
  if (url === undefined) return openStore(":memory:", migrations);
  return openPostgresStore(testPostgresOptions(url), migrations);
}

export function testPostgresOptions(
  url: string,
  more: Partial<PostgresDriverOptions> = {},
): PostgresDriverOptions {
  return {
    connect: postgresConnectOptions(unwrap(parsePostgresUrl(url)), {
      passwordFile: null,
      application: "consilium test",
    }),
    schema: `t${randomBytes(8).toString("hex")}`,
    name: "the test's database",
    onLost: () => undefined,
    reachWithinMs: 10_000,
    answerWithinMs: 30_000,
    ...more,
  };
}
