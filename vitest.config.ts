import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { isWholeRun } from "./core/testing/wholeRun.js";
import { longTests } from "./scripts/longTests.js";

const root = fileURLToPath(new URL(".", import.meta.url));

/** What tests share stands in a package's `testing` folder, which is not built. */
const testingBelowLib = {
  find: /^@consilium\/(release)\/testing\/(.+)$/,
  replacement: `${root}lib/$1/testing/$2.ts`,
};
const testing = { find: /^@consilium\/([^/]+)\/testing\/(.+)$/, replacement: `${root}$1/testing/$2.ts` };
/** A method is a folder of its package, without `src`. */
const methods = { find: /^@consilium\/(methods|methods-paper)\/(.+)$/, replacement: `${root}$1/$2.ts` };
/** Packages whose place is below `lib`. */
const libraries = { find: /^@consilium\/(words|release)\/(.+)$/, replacement: `${root}lib/$1/src/$2.ts` };
/** Package imports resolve to sources, so unit tests never run against a stale build. */
const sources = { find: /^@consilium\/([^/]+)\/(.+)$/, replacement: `${root}$1/src/$2.ts` };

/**
 * The files that take longest, so that none of them begins when all others are done. Without this the order is that of
 * the files' sizes, for a clean clone has measured nothing yet.
 */
const longest = [
  "test/site/spark.test.ts",
  "test/site/sparkSources.test.ts",
  "test/site/sparkFederation.test.ts",
  "test/audit/audit.test.ts",
  "test/faults/secureSum.test.ts",
  "test/faults/siteFaults.test.ts",
  "test/upgrade/versions.test.ts",
  "test/faults/aggregatorKilled.test.ts",
  "test/browser/story.test.ts",
  "test/browser/approvers.test.ts",
  "test/browser/german.test.ts",
  "test/faults/retention.test.ts",
  "test/what-leaves/sameFrames.test.ts",
  "test/simulation/simulation.test.ts",
  "test/end-to-end/omop.test.ts",
  "test/end-to-end/demo.test.ts",
  "test/faults/standby.test.ts",
  "test/faults/diskFull.test.ts",
  "test/browser/deciding.test.ts",
  "test/end-to-end/sources.test.ts",
  "secure-sum/src/graph.test.ts",
  "secure-sum/src/sum.test.ts",
  "aggregator/src/rounds/pairwiseStages.test.ts",
  "aggregator/src/standby/takeover.test.ts",
  "site-agent/src/engines/processes.test.ts",
  "site-agent/src/engines/readers.test.ts",
  "site-agent/src/engines/databaseReaders.test.ts",
  "methods/regression/coverage.test.ts",
  "site-agent/src/data/patients.test.ts",
  "runtime/src/backup/backup.test.ts",
  "test/faults/ledgerKills.test.ts",
  "test/docs/tutorials.test.ts",
  "test/publisher/crash.test.ts",
  "test/adversary/hostileAggregator.test.ts",
  "test/faults/publisherKilled.test.ts",
  "test/network/hospitalNetworks.test.ts",
  "test/secure-sum/everyDropout.test.ts",
  "test/accuracy/xgboostOracles.test.ts",
  "test/end-to-end/badInput.test.ts",
  "test/end-to-end/approval.test.ts",
  "test/faults/ledgerRestored.test.ts",
  "test/accuracy/dpPcaNetwork.test.ts",
  "test/accuracy/cards.test.ts",
  "test/faults/backup.test.ts",
  "test/upgrade/upgrade.test.ts",
  "test/faults/renewal.test.ts",
  "test/adversary/hostileSites.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId === root + path);
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/**
 * Files that the gate leaves to the whole run, each with what holds the same in the gate: sums on Spark by spark.test.ts, links by
 * scripts/docsLinks.test.ts; methods over the network, their releases and their worth by demo.test.ts, curves also by omop.test.ts
 * and sources.test.ts, and their sums by the tests beside them; an aggregator that is killed by secureSum.test.ts and
 * standby.test.ts, one that loses its database by standby.test.ts and the store's own tests, a hospital's table in a database by
 * sources.test.ts, a regression's coverage by coverage.test.ts. Packages for machines without network, and the pages' German, wait for it.
 */
const inWholeRun = [
  "methods/regression/coverageGrid.test.ts",
  "test/site/{sparkFederation,sparkSources,sparkStandalone}.test.ts",
  "test/docs/site.test.ts",
  "test/deploy/bundle.test.ts",
  "test/browser/german.test.ts",
  "test/end-to-end/{additive,correlationTree,describe,kAnonymous,regression,survival,syntheticTable}.test.ts",
  "test/faults/{aggregatorKilled,postgresStore}.test.ts",
  "test/accuracy/{additiveUtility,dpPcaBall,dpPcaNetwork,heartDisease,histogramOrder}.test.ts",
  "test/toyMethod/toyMethod.test.ts",
];

/** What earlier versions made, held against the sources: no process is started. */
const corpusTests = "test/corpus/*.test.ts";

const unitTests = [
  "{secure-sum,gate,lib/*,core,proto,kernels,runtime,site-agent,site-console,aggregator,publisher,cli,web}/src/**/*.test.ts",
  "{methods,methods-paper}/**/*.test.ts",
  "{core,publisher,runtime}/testing/**/*.test.ts",
  "bench/src/**/*.test.ts",
  "{scripts,tools}/**/*.test.ts",
  corpusTests,
];
/**
 * They replace modules, which other files would get too; and what loads modules while it runs, which in a worker shared with
 * other files once waited for one that never came.
 */
const isolated = [
  "site-agent/src/studies/certifiable.test.ts",
  "secure-sum/src/hostileAggregator.test.ts",
  "secure-sum/src/hybrid.test.ts",
];

const replacingInSystem = ["test/simulation/simulation.test.ts"];

/** One more than cores, for some wait: left to itself the runner leaves a core idle, and half of two is much. */
const maxWorkers = availableParallelism() + 1;

/** What crosses processes. */
const system = {
  globalSetup: "test/support/build.ts",
  // What was built runs as it is.
  server: { deps: { external: [/\/dist\//] } },
  // Much of a system test is waiting, for deadlines and for processes that were killed.
  maxWorkers: 2 * availableParallelism(),
  // After the unit tests, which say faster what is wrong.
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  resolve: { alias: [testingBelowLib, testing, methods, libraries, sources] },
  test: {
    sequence: { sequencer: LongestFirst },
    // One limit for every test, which a busy machine does not reach.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: unitTests,
          exclude: [...configDefaults.exclude, ...isolated, ...longTests],
          // A third of the time went into loading the same modules for every file.
          isolate: false,
          maxWorkers,
        },
      },
      {
        extends: true,
        test: {
          name: "long",
          include: longTests,
          exclude: [...configDefaults.exclude, ...(isWholeRun ? [] : inWholeRun)],
          isolate: false,
          maxWorkers,
        },
      },
      {
        extends: true,
        test: {
          name: "unit-isolated",
          include: isolated,
          maxWorkers,
        },
      },
      {
        extends: true,
        test: {
          // Unit tests of what uses a store, with the store in PostgreSQL.
          name: "postgres",
          globalSetup: "test/support/postgresServer.ts",
          setupFiles: "test/support/usePostgres.ts",
          isolate: false,
          include: [
            "aggregator/src/roster/*.test.ts",
            "aggregator/src/rounds/{openStep,countersigning,pairwiseStages,studyPages}.test.ts",
            "runtime/src/store/groupCommit.test.ts",
            "runtime/src/http/access/{access,attempts,audit}.test.ts",
          ],
          maxWorkers,
        },
      },
      {
        extends: true,
        test: {
          ...system,
          name: "system",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...configDefaults.exclude,
            corpusTests,
            ...replacingInSystem,
            ...(isWholeRun ? [] : inWholeRun),
          ],
          // Processes that the tests start share nothing; what a file loads is loaded once by each worker.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { ...system, name: "system-isolated", include: replacingInSystem },
      },
    ],
  },
});
