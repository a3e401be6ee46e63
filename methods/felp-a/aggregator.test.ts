import { type SiteVector, type SumConversation, simulateSums } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, MethodResult } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { releaseContentSchema } from "@consilium/core/release/content";
import { figureSchema } from "@consilium/core/release/figures";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { planStudy } from "@consilium/core/study/plan";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { paperFelpVector } from "@consilium/methods-paper/felp/paper";
import { describe, expect, it } from "vitest";
import { seededNormals } from "../shared/draws/seededNormals.js";
import { featureSelectionModelSchema } from "../shared/local-learning/model.js";
import { aloneInTests } from "../testing/aggregatorSums.js";
import { asFeatureSelection, type FeatureSelectionStudy } from "../testing/families.js";
import { parseStudy } from "../testing/studies.js";
import { felpAVector, felpSVector } from "../testing/vectors.js";

const kernels = plainKernels();

function studyOf(choice: Record<string, unknown>): FeatureSelectionStudy {
  const plain = {
    name: "aggregated",
    table: "t",
    analysis: "feature-selection",
    features: [
      { name: "noise", type: "numeric", min: 0, max: 1 },
      { name: "telling", type: "numeric", min: 0, max: 10 },
      { name: "sex", type: "categorical", levels: ["f", "m"] },
    ],
    label: { name: "class", levels: ["no", "yes"] },
    privacy: { epsilon: 10, delta: 1e-5 },
    participation: { sites: ["x", "y", "z"], maxRowsPerSite: 500 },
  };
  return asFeatureSelection(unwrap(parseStudy({ ...plain, ...choice })));
}

const normal = seededNormals("rows of three sites");
const within = (x: number) => Math.min(1, Math.max(0, x));
const tables = [300, 200, 100].map(
  (rows): ColumnBlock => ({
    rows,
    columns: [
      Float64Array.from({ length: rows }, () => within(0.5 + 0.2 * normal())),
      Float64Array.from({ length: rows }, (_, r) => 10 * within(0.3 + 0.4 * (r % 2) + 0.1 * normal())),
      Float64Array.from({ length: rows }, (_, r) => Math.floor(r / 2) % 2),
    ],
    labels: Uint16Array.from({ length: rows }, (_, r) => r % 2),
  }),
);

const vectorOf =
  (study: FeatureSelectionStudy): SiteVector =>
  (stage, input) => {
    switch (study.method) {
      case "felp-a":
        return felpAVector(study, stage, input);
      case "felp-s":
        return felpSVector(study, stage, input);
      default:
        return paperFelpVector(study, input);
    }
  };

/** Runs the analysis twice over the same stored sums and draws, as a restarted aggregator does. */
async function runTwice(study: FeatureSelectionStudy, blocks = tables): Promise<MethodResult> {
  const sums = new Map<string, Promise<BigUint64Array>>();
  return simulateSums({
    plan: planStudy(study),
    tables: blocks.map((block) => [block]),
    kernels,
    random: seededRandom("noise of the sites"),
    vector: vectorOf(study),
    async run(simulated: SumConversation) {
      const conversation: Conversation = {
        ...aloneInTests,
        ...simulated,
        study,
        sum(stage, broadcast) {
          if (!sums.has(stage)) sums.set(stage, simulated.sum(stage, broadcast));
          return sums.get(stage)!;
        },
        tags: () => Promise.reject(new Error("feature-selection asks for no tags")),
        rows: () => Promise.reject(new Error("feature-selection asks for no rows")),
        writeRows: () => Promise.reject(new Error("feature-selection writes no rows")),
      };
      const run = await aggregatorSideOf(study);
      const first = await run(conversation);
      expect(await run(conversation)).toEqual(first);
      return first;
    },
  });
}

describe("feature-selection, aggregator side", () => {
  it.each([
    { method: "felp-a" },
    { method: "felp-a", parameters: { rounds: 3 } },
    { method: "felp-s", parameters: { blocks: 15 } },
    { variant: "paper", method: "felp" },
    { variant: "paper", method: "fple" },
    { variant: "paper", method: "fwell", privacy: "none" },
    { variant: "paper", method: "fwell-en", privacy: "none" },
    { method: "felp-a", privacy: "none" },
    { method: "felp-s", parameters: { blocks: 15 }, privacy: "none" },
  ])("finds the telling feature, says how sure it is, and replays to the same: %j", async (choice) => {
    const study = studyOf(choice);
    const result = await runTwice(study);
    const model = featureSelectionModelSchema.parse(JSON.parse(JSON.stringify(result.model)));
    expect(model.selected).toEqual(["telling"]);
    expect(model.method).toBe(study.method);
    const noisy = study.privacy !== "none";
    for (const { stdDev, low, weight, high, topShare } of model.features) {
      if (noisy) {
        expect(stdDev).toBeGreaterThan(0);
        expect(low).toBeLessThan(weight);
        expect(high).toBeGreaterThan(weight);
        expect(topShare).toBeGreaterThanOrEqual(0);
      } else expect([stdDev, low, high, topShare]).toEqual([null, null, null, null]);
    }
    expect(figureSchema.parse(result.figures![0])).toMatchObject({ name: "importance" });
    expect(result.table).toBeNull();
    expect(result.rowsUsed).toBe(study.variant === "paper" ? 600 : null);
    expect(result.facts).toMatchObject({ selected: 1, features: 3 });
    expect(result.notes[0]).toBe("Selected: telling.");
  });

  it("releases, with a warning, what one class over all sites comes to", async () => {
    const one = tables.map((block) => ({ ...block, labels: new Uint16Array(block.rows).fill(1) }));
    const sound = await runTwice(studyOf({}), one);
    expect(sound.notes.join("\n")).toMatch(/Beware: fewer than two levels of class stand out of the noise/);
    const paper = await runTwice(studyOf({ variant: "paper" }), one);
    expect(paper.rowsUsed).toBe(0);
    expect(paper.notes.join("\n")).toMatch(/Beware: no weight is positive/);
  });

  it("keeps to what a release has room for, however many features are selected", async () => {
    const names = Array.from({ length: 3_000 }, (_, j) => `${"a_rather_long_name_".repeat(6)}${j}`);
    const study = studyOf({
      features: names.map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
      parameters: { select: 1_500 },
    });
    const { stages } = planStudy(study);
    const lengthOf = (id: string) => {
      const stage = stages.find((one) => one.id === id);
      return stage?.kind === "sum" ? stage.length : 0;
    };
    const { notes, figures } = await (await aggregatorSideOf(study))({
      study,
      sites: 3,
      ...aloneInTests,
      survivors: 3,
      kernels,
      sum: async (id) => new BigUint64Array(lengthOf(id)),
      draw: (_: string, make: () => string) => make(),
      tags: () => Promise.reject(new Error("no tags")),
      rows: () => Promise.reject(new Error("no rows")),
      writeRows: () => Promise.reject(new Error("no rows")),
    });
    expect(() => releaseContentSchema.shape.notes.parse(notes)).not.toThrow();
    expect(() => releaseContentSchema.shape.figures.parse(figures)).not.toThrow();
    expect(notes[0]).toMatch(/ and 1[0-9]{3} more\.$/);
  });

  it("says of a sum that no honest sites can have sent that it is implausible", async () => {
    for (const choice of [{}, { method: "felp-s" }, { variant: "paper" }]) {
      const study = studyOf(choice);
      const [stage] = planStudy(study).stages;
      const conversation = {
        study,
        sites: 3,
        ...aloneInTests,
        survivors: 3,
        kernels,
        sum: async () => new BigUint64Array(stage!.kind === "sum" ? stage!.length : 0).fill(2n ** 62n),
        draw: (_: string, make: () => string) => make(),
        tags: () => Promise.reject(new Error("no tags")),
        rows: () => Promise.reject(new Error("no rows")),
        writeRows: () => Promise.reject(new Error("no rows")),
      };
      await expect((await aggregatorSideOf(study))(conversation)).rejects.toMatchObject({
        code: "SUM_IMPLAUSIBLE",
      });
    }
  });
});
