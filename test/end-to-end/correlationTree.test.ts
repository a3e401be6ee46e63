/**
 * Correlation trees over real processes: three hospitals, of which one has no rows and one a single class, an aggregator and
 * a publisher. What is released is what the same sums come to in one process, and predicts the hospitals' own rows.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateSums } from "@consilium/core/learning/sums";
import { inlineVectorBytes } from "@consilium/core/limits";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import { planStudy, stageUploadBytes } from "@consilium/core/study/plan";
import { dpPccConversation } from "@consilium/methods/dp-pcc/conversation";
import { correlationTreeModel } from "@consilium/methods/shared/correlation-tree/release";
import { asCorrelationTree, siteVector } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import { pearsonConversation } from "@consilium/methods-paper/pearson-tree/conversation";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { seededUniform } from "../support/faultFederation.js";

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const wards = ["surgery", "heart", "eyes"];

/** Columns of which a study that names many has a vector too large for a frame. */
const readings = Array.from({ length: 17 }, (_, i) => `reading${i}`);

interface Patient {
  readonly age: number;
  readonly ward: number;
  readonly ill: 0 | 1;
  /** [readings] from 0 to 1. */
  readonly values: readonly number[];
}

/** Illness goes with age above 50, and with the heart ward below. */
function patients(count: number, seed: number): Patient[] {
  const uniform = seededUniform(seed);
  return Array.from({ length: count }, () => {
    const age = Math.floor(100 * uniform());
    const ward = Math.floor(3 * uniform());
    const likely = age >= 50 ? 0.95 : ward === 1 ? 0.7 : 0.05;
    const ill = uniform() < likely ? 1 : 0;
    // Three digits, as they stand in the file.
    return { age, ward, ill, values: readings.map(() => Math.floor(1000 * uniform()) / 1000) };
  });
}

const own = [patients(500, 1), patients(400, 2).filter(({ ill }) => ill === 1), []];

const studyOf = (name: string, more: object) => ({
  name,
  table: "patients",
  analysis: "correlation-tree",
  features: [
    { name: "age", type: "numeric", min: 0, max: 120, edges: [25, 50, 75] },
    { name: "ward", type: "categorical", levels: wards },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
  ...more,
});

const cellOf = ({ age, ward, values }: Patient, column: string): number =>
  column === "age" ? age : column === "ward" ? ward : values[readings.indexOf(column)]!;

/** The model of the same study with all sites in this process. */
function simulated(raw: object): Promise<Record<string, unknown>> {
  const study = asCorrelationTree(unwrap(parseStudy(raw)));
  const random = {
    bytes() {
      throw new Error("a study without privacy draws nothing");
    },
  };
  return simulateSums({
    plan: planStudy(study),
    tables: own.map((rows) => [
      {
        rows: rows.length,
        columns: study.features.map(({ name }) => Float64Array.from(rows, (row) => cellOf(row, name))),
        labels: Uint16Array.from(rows, ({ ill }) => ill),
      },
    ]),
    kernels: plainKernels(),
    random,
    vector: (id, input) => siteVector(study, id, input),
    async run(conversation) {
      if (study.method === "pearson-tree")
        return correlationTreeModel(study, await pearsonConversation({ study, conversation, random }));
      if (study.method === "dp-pcc")
        return correlationTreeModel(study, await dpPccConversation({ study, conversation }));
      throw new RangeError(`${study.method} is not compared`);
    },
  });
}

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-correlation-tree-"));
  federation = await LocalFederation.create(join(folder, "home"), "trees");
  for (const [i, id] of hospitals.entries()) {
    const path = join(folder, `${id}.csv`);
    const lines = own[i]!.map(({ age, ward, ill, values }) =>
      [age, wards[ward], ["no", "yes"][ill], ...values].join(","),
    );
    await writeFile(path, `${[["age", "ward", "ill", ...readings].join(","), ...lines].join("\n")}\n`);
    await federation.addSite({ id, tables: { patients: path }, allowNoPrivacy: true });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function run(study: object): Promise<{ model: Record<string, unknown>; view: StudyView }> {
  const { id } = await federation.startStudy(study);
  const view = await federation.waitForRelease(id);
  const model = await (await fetch(`${view.release!.url}model.json`)).json();
  return { model: model as Record<string, unknown>, view };
}

/** Fetches a release and has it verified, with the command that a reader would type. */
async function verify(view: StudyView): Promise<void> {
  const { id, url } = view.release!;
  const authority = join(federation.home, "authority", "root.pem");
  const to = join(folder, `release-${id}`);
  await federation.cliOrThrow(
    "release",
    "get",
    id,
    "--publisher",
    new URL(url).origin,
    "--to",
    to,
    "--authority",
    authority,
  );
}

const published = (parameters: object) => ({
  variant: "paper",
  method: "pearson-tree",
  parameters: { depth: 3, partitions: 4, ...parameters },
});
/** Stages that split nodes: a depth-first run may leave out its last ones, which the certificate's verifier must accept. */
const splittingStages = ({ steps }: StudyView) =>
  steps.flatMap(({ kind, stage }) => (kind === "sum" && /^(level|node)-/.test(stage ?? "") ? [stage] : []));

it.each<[string, object, (stages: number) => boolean]>([
  ["dp-pcc", {}, (stages) => stages === 2],
  ["pearson-tree", published({}), (stages) => stages > 1 && stages < 7],
  ["pearson-tree-levels", published({ order: "breadth-first" }), (stages) => stages === 3],
])("%s without privacy releases what the same sums come to in one process", async (name, more, asks) => {
  const study = studyOf(`exact-${name}`, { privacy: "none", parameters: { depth: 2 }, ...more });
  const { model, view } = await run(study);
  expect(model).toMatchObject(await simulated(study));
  expect(splittingStages(view)).toSatisfy((stages: unknown[]) => asks(stages.length));
  await verify(view);
});

it.each([
  ["the largest that travels within a frame", 16],
  ["one that has a stream of its own", 17],
])("adds up vectors by their size: %s", async (_, features) => {
  const study = studyOf(`wide-${features}`, {
    privacy: "none",
    parameters: { depth: 1, bins: 4096 },
    features: readings.slice(0, features).map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
  });
  const parsed = unwrap(parseStudy(study));
  const bytes = stageUploadBytes(planStudy(parsed).stages[0]!, parsed);
  expect(bytes <= inlineVectorBytes(hospitals.length)).toBe(features === 16);
  const { model } = await run(study);
  expect(model).toMatchObject(await simulated(study));
});

it.each([
  ["dp-pcc", { privacy: { epsilon: 20, delta: 1e-6 } }],
  // Few blocks of many rows, and so little noise that the mean of their cuts never lies at another edge.
  [
    "dp-pcc-s",
    {
      method: "dp-pcc-s",
      privacy: { epsilon: 100, delta: 1e-6 },
      parameters: { depth: 1, blocks: 25 },
    },
  ],
])("%s asks age first, at fifty, and its certificate verifies", async (method, more) => {
  const { model, view } = await run(
    studyOf(`private-${method}`, {
      parameters: { depth: 2 },
      ...more,
    }),
  );
  const [tree] = model.trees as { nodes: Record<string, unknown>[] }[];
  expect(tree!.nodes[0]).toMatchObject({ kind: "split", feature: 0, cut: 1 });
  await verify(view);
});
