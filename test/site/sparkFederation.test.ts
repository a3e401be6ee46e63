/**
 * The published correlation tree over a federation of three hospitals of three kinds, over real processes: the map tasks of one are
 * computed on a Spark cluster, of one in worker processes, and of one by its agent. What is released is what the same sums come to in
 * one process over the same rows.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { correlationTreeModel } from "@consilium/methods/shared/correlation-tree/release";
import { asCorrelationTree, siteVector } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import { pearsonConversation } from "@consilium/methods-paper/pearson-tree/conversation";
import { csvText } from "@consilium/site-agent/testing/data/writeTable";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { seededUniform } from "../support/faultFederation.js";
import { hasSpark, quickSpark, requireSpark } from "../support/spark.js";

const tasks = ["0", "1", "2", "3"];
const wards = ["surgery", "heart", "eyes"];

interface Stay {
  readonly age: number;
  readonly ward: number;
  readonly task: number;
  readonly ill: 0 | 1;
}

/** Illness goes with age above 50, and with the heart ward below. */
function staysOf(count: number, seed: number): Stay[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, () => {
    const [age, ward, task] = [100, 3, tasks.length].map((most) => Math.floor(most * uniform())) as [
      number,
      number,
      number,
    ];
    const likely = age >= 50 ? 0.95 : ward === 1 ? 0.7 : 0.05;
    return { age, ward, task, ill: uniform() < likely ? 1 : 0 };
  });
}

const own = { lake: staysOf(300, 1), box: staysOf(200, 2), file: staysOf(150, 3) };
type Hospital = keyof typeof own;

const study = {
  name: "pearson-on-spark",
  table: "stays",
  analysis: "correlation-tree",
  variant: "paper",
  method: "pearson-tree",
  privacy: "none",
  features: [
    { name: "age", type: "numeric", min: 0, max: 120 },
    { name: "ward", type: "categorical", levels: wards },
    { name: "task", type: "categorical", levels: tasks },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  parameters: { depth: 2, mapTasks: "task", evaluation: "none" },
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "300s" },
};

let folder = "";
let federation: LocalFederation | undefined;

beforeEach((context) => requireSpark(context));
beforeAll(async () => {
  if (!hasSpark()) return;
  // Not consilium-spark-…, as temporary folders of engines are called, below which no key may lie.
  folder = mkdtempSync(join(tmpdir(), "consilium-lake-"));
  federation = await LocalFederation.create(join(folder, "home"), "lake");
  const csv = { csv: { header: true }, unit: "rows" };
  const python = process.env.CONSILIUM_PYTHON;
  const engines = {
    lake: { kind: "spark", master: "local[2]", python, partitions: 3, conf: quickSpark },
    box: { kind: "processes", workers: 2 },
  };
  for (const id of Object.keys(own) as Hospital[]) {
    const path = join(folder, `${id}.csv`);
    // One map task however its number is written.
    const rows = own[id].map(({ age, ward, task, ill }, i) => [
      age,
      wards[ward]!,
      [`${task}`, `${task}.0`, ` ${task} `][i % 3]!,
      ["no", "yes"][ill]!,
    ]);
    writeFileSync(path, csvText({ names: ["age", "ward", "task", "ill"], rows }));
    const places = {
      lake: { spark: { csv: path }, engine: "lake" },
      box: { path, engine: "box" },
      file: { path },
    };
    await federation.addSite({
      id,
      tables: {},
      entries: { stays: { ...csv, ...places[id] } },
      ...(id !== "file" && { engines: { [id]: engines[id] } }),
      allowNoPrivacy: true,
    });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  if (folder !== "") rmSync(folder, { recursive: true, force: true });
});

/** The model with all hospitals in this process. */
function simulated(): Promise<object> {
  const read = asCorrelationTree(unwrap(parseStudy(study)));
  if (read.method !== "pearson-tree") throw new RangeError("another method");
  const column = (rows: readonly Stay[], of: (stay: Stay) => number) => Float64Array.from(rows, of);
  const random = {
    bytes() {
      throw new Error("a study without privacy draws nothing");
    },
  };
  return simulateSums({
    plan: planStudy(read),
    tables: Object.values(own).map((rows) => [
      {
        rows: rows.length,
        columns: [
          column(rows, ({ age }) => age),
          column(rows, ({ ward }) => ward),
          column(rows, ({ task }) => task),
        ],
        labels: Uint16Array.from(rows, ({ ill }) => ill),
      },
    ]),
    kernels: plainKernels(),
    random,
    vector: (id, input) => siteVector(read, id, input),
    run: async (conversation) =>
      correlationTreeModel(read, await pearsonConversation({ study: read, conversation, random })),
  });
}

it("releases the tree of one process, and its certificate verifies", async () => {
  const { id } = await federation!.startStudy(study);
  const { release } = await federation!.waitForRelease(id, 280_000);
  const model: unknown = await (await fetch(`${release!.url}model.json`)).json();
  expect(model).toMatchObject(await simulated());
  const [tree] = (model as { trees: { nodes: { kind: string; feature?: number }[] }[] }).trees;
  expect(tree!.nodes[0]).toMatchObject({ kind: "split", feature: 0 });
  const authority = join(federation!.home, "authority", "root.pem");
  const to = join(folder, "release");
  await federation!.cliOrThrow(
    "release",
    "get",
    release!.id,
    "--publisher",
    new URL(release!.url).origin,
    "--to",
    to,
    "--authority",
    authority,
  );
});
