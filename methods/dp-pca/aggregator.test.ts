import type { StageId } from "@consilium/core/ids";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, ReducedRows, RowsPart } from "@consilium/core/method/aggregatorSide";
import { unwrap } from "@consilium/core/result";
import type { Broadcast } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { osRandom } from "@consilium/runtime/random";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { aloneInTests } from "../testing/aggregatorSums.js";
import { addNoiseShares } from "../testing/dpPcaSimulation.js";
import { parseStudy } from "../testing/studies.js";
import { dpPcaVector } from "../testing/vectors.js";
import { aggregator as dpPca } from "./aggregator.js";
import { toldBall } from "./chosenBall.js";
import { dpPcaModelSchema } from "./model.js";
import { asDpPca, type DpPcaStudy, directionsName, dpPcaLayout, planDpPca } from "./study.js";

const kernels = plainKernels();

function studyOf(change: Record<string, unknown> = {}): DpPcaStudy {
  const plain = {
    name: "aggregated",
    table: "t",
    analysis: "pca",
    features: [
      { name: "a", type: "numeric", min: 0, max: 1 },
      { name: "b", type: "numeric", min: 0, max: 10 },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
    ],
    label: { name: "Component_1", levels: ["no", "yes"] },
    parameters: { components: 2 },
    privacy: { epsilon: 5, delta: 1e-5 },
    participation: { sites: ["x", "y", "z"], maxRowsPerSite: 500 },
  };
  return asDpPca(unwrap(parseStudy({ ...plain, ...change })));
}

const normal = seededNormals("rows of three sites");
const tables = [300, 200, 100].map((rows): ColumnBlock => {
  const within = (x: number) => Math.min(1, Math.max(0, x));
  return {
    rows,
    columns: [
      Float64Array.from({ length: rows }, () => within(0.5 + 0.2 * normal())),
      Float64Array.from({ length: rows }, () => 10 * within(0.3 + 0.1 * normal())),
      Float64Array.from({ length: rows }, (_, r) => r % 2),
    ],
    labels: Uint16Array.from({ length: rows }, (_, r) => (r % 4 === 0 ? 1 : 0)),
  };
});

/** A conversation with three sites in memory, which keeps sums and draws as a stored study does. */
class Stored implements Conversation {
  readonly sites = 3;
  readonly survivors = 3;
  readonly kernels = kernels;
  readonly random = aloneInTests.random;
  readonly readRows = aloneInTests.readRows;
  readonly part = aloneInTests.part;
  readonly asked: [stage: string, broadcast: Broadcast][] = [];
  readonly #sums = new Map<string, BigUint64Array>();
  readonly #draws = new Map<string, string>();
  parts: RowsPart[] = [];

  constructor(readonly study: DpPcaStudy) {}

  async sum(id: string, broadcast: Broadcast): Promise<BigUint64Array> {
    this.asked.push([id, broadcast]);
    const before = this.#sums.get(id);
    if (before !== undefined) return before;
    const stage = dpPcaLayout(this.study).stages.find((one) => one.id === id)!;
    const directions = broadcast[directionsName] ?? null;
    const broadcasts = new Map(this.asked as [StageId, Broadcast][]);
    const ball = toldBall(dpPcaLayout(this.study), stage, broadcasts);
    const sum = new BigUint64Array(stage.length);
    for (const table of tables) {
      const blocks = streamed([table]);
      const vector = await dpPcaVector({
        study: this.study,
        stage,
        blocks,
        directions,
        ball,
        kernels,
        random: osRandom,
      });
      for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + vector[i]!;
    }
    addNoiseShares({ study: this.study, stage, sum, sites: 3, random: osRandom });
    this.#sums.set(id, sum);
    return sum;
  }

  tags(): Promise<never> {
    throw new Error("dp-pca asks for no tags");
  }
  rows(): Promise<ReducedRows> {
    throw new Error("dp-pca asks for no rows");
  }

  draw(name: string, make: () => string): string {
    if (!this.#draws.has(name)) this.#draws.set(name, make());
    return this.#draws.get(name)!;
  }

  async writeRows(
    name: string,
    shape: { columns: number; levels: number },
    parts: Iterable<RowsPart> | AsyncIterable<RowsPart>,
  ): Promise<ReducedRows> {
    this.parts = [];
    for await (const part of parts) this.parts.push(part);
    const rows = this.parts.reduce((sum, part) => sum + part.rows, 0);
    return { path: name, rows, ...shape };
  }
}

describe("dp-pca, aggregator side", () => {
  const forms = ["one-round", "two-round", "iteration"];
  for (const [form, ball] of forms.flatMap((form) => ["declared", "private"].map((ball) => [form, ball]))) {
    it(`asks exactly what the plan says, and comes to the same again when it is replayed (${form}, ${ball} ball)`, async () => {
      const study = studyOf({ parameters: { components: 2, form, ball } });
      const conversation = new Stored(study);
      const first = await dpPca(conversation);
      const { stages } = planDpPca(study);
      expect(
        conversation.asked.map(([id, sent]) => [
          id,
          Object.entries(sent).map(([name, values]) => ({ name, length: values.length })),
        ]),
      ).toEqual(stages.map((stage) => [stage.id, stage.broadcasts]));
      const { parts, asked } = conversation;
      const sent = [...asked];
      asked.length = 0;
      expect(await dpPca(conversation)).toEqual(first);
      expect(conversation.parts).toEqual(parts);
      expect(asked).toEqual(sent);
    });
  }

  it("releases a model and synthetic rows, and no exact number", async () => {
    const conversation = new Stored(studyOf());
    const { model, table, rowsUsed, facts, notes } = await dpPca(conversation);
    const parsed = dpPcaModelSchema.parse(model);
    expect(parsed.classes.map(({ level }) => level)).toEqual(["no", "yes"]);
    expect(rowsUsed).toBeNull();
    expect(Number.isInteger(parsed.rows)).toBe(false);
    expect(Math.abs(parsed.rows - 600)).toBeLessThan(60);
    expect(table!.rows.rows).toBe(parsed.synthetic.counts.reduce((sum, count) => sum + count, 0));
    expect(facts.syntheticRows).toBe(table!.rows.rows);
    const labels = conversation.parts.flatMap((part) => [...part.labels!]);
    expect(labels.filter((label) => label === 1)).toHaveLength(parsed.synthetic.counts[1]!);
    // Names that differ in case alone would not do.
    expect(table!.columns.map(({ name }) => name)).toEqual([
      "component_1",
      "component_2",
      "label_Component_1",
    ]);
    expect(notes.every((note) => note.length <= 2000)).toBe(true);
  });

  it("says where centre and radius come from", async () => {
    const [declared, chosen] = await Promise.all(
      ["declared", "private"].map((ball) =>
        dpPca(new Stored(studyOf({ parameters: { components: 2, ball } }))),
      ),
    );
    expect(dpPcaModelSchema.parse(declared!.model).ball).toEqual({ origin: "declared" });
    expect(declared!.facts.ball).toBe("declared");
    expect(declared!.notes.join()).toContain("are those of the study, and public");
    const model = dpPcaModelSchema.parse(chosen!.model);
    expect(model.ball).toEqual({ origin: "private", share: 0.15 });
    expect(chosen!.facts).toMatchObject({ ball: "private", radius: model.radius });
    expect(chosen!.notes.join()).toContain("two noisy sums, which cost 15 % of the privacy budget");
    expect(model.centre).not.toEqual(dpPcaModelSchema.parse(declared!.model).centre);
    // The map that is released beside the model is the model's.
    if (chosen!.predictor?.kind !== "linear-map") throw new Error("no map was released");
    expect(chosen!.predictor.subtract[1]).toBeCloseTo(10 * model.centre[1]!, 12);
    expect(chosen!.predictor.divide[1]).toBeCloseTo(10 * model.radius, 12);
  });

  it("has rows without labels where the study has none", async () => {
    const conversation = new Stored(studyOf({ label: undefined }));
    const { table } = await dpPca(conversation);
    expect(table!.rows.levels).toBe(0);
    expect(table!.columns).toHaveLength(2);
    expect(conversation.parts.every((part) => part.labels === null)).toBe(true);
  });

  it("ends the study at a sum that honest sites cannot send", async () => {
    const conversation = new Stored(studyOf());
    conversation.sum = async () => new BigUint64Array(20).fill(2n ** 62n);
    await expect(dpPca(conversation)).rejects.toMatchObject({ code: "SUM_IMPLAUSIBLE" });
  });
});
