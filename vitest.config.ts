import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Package imports resolve to sources, so unit tests never run against a stale build. */
const sources = { find: /^@consilium\/([^/]+)\/(.+)$/, replacement: `${root}$1/src/$2.ts` };

export default defineConfig({
  resolve: { alias: [sources] },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "{core,proto,kernels,runtime,site-agent,aggregator,publisher,cli,web}/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          testTimeout: 30_000,
          // Every core: left to itself the runner leaves one idle, and half of two is much.
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: {
          // Unit tests of what uses a store, with the store in PostgreSQL.
          name: "postgres",
          globalSetup: "test/support/postgresServer.ts",
          setupFiles: "test/support/usePostgres.ts",
          include: [
            "aggregator/src/roster/*.test.ts",
            "aggregator/src/rounds/{openStep,countersigning}.test.ts",
            "runtime/src/store/groupCommit.test.ts",
            "runtime/src/http/access/{access,attempts,audit}.test.ts",
          ],
          testTimeout: 60_000,
          maxWorkers: "100%",
        },
      },
      {
        extends: true,
        test: {
          name: "system",
          globalSetup: "test/support/build.ts",
          include: ["test/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Three at a time: much of a system test is waiting, for deadlines and for processes that were killed.
          maxWorkers: 3,
          // After the unit tests, which say faster what is wrong.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
