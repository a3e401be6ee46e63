import { parseArgs } from "node:util";
import { scoreOf } from "@consilium/core/learning/trees/link";
import {
  drawnOutcomes,
  type PredictingMethod,
  predictingMethods,
  statedOf,
  trainedOn,
} from "@consilium/methods/testing/outcomes";
import { areaUnderRoc } from "./utility/tables.js";

const populationRows = 20_000;

/**
 * What each predicting method states, beside outcomes whose probabilities are known: more of what
 * `test/accuracy/cards.test.ts` holds to its bounds. Prints a Markdown table.
 *
 *   npm run bench -- calibration [--rows 300,3000] [--prevalences 0.01,0.5] [--epsilons none,1] [--method dp-ka] [--seeds 3]
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: "string", default: "300,3000,30000,100000" },
      prevalences: { type: "string", default: "0.01,0.02,0.05,0.1,0.25,0.5" },
      epsilons: { type: "string", default: "none,1,4" },
      method: { type: "string", default: "" },
      seeds: { type: "string", default: "1" },
    },
  });
  const numbers = (list: string) => list.split(",").map(Number);
  const methods = predictingMethods.filter(({ name }) => name.includes(values.method));
  console.log(
    "| method | rows | ε | outcome | stated | by quarters, true / stated | level known to ± | area, true | area, card |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const prevalence of numbers(values.prevalences))
    for (const rows of numbers(values.rows))
      for (const epsilon of values.epsilons.split(",").map((one) => (one === "none" ? null : Number(one))))
        for (const method of methods)
          for (let seed = 1; seed <= Number(values.seeds); seed++)
            console.log(await line(method, { rows, prevalence, epsilon, seed }));
}

interface Setting {
  readonly rows: number;
  readonly prevalence: number;
  readonly epsilon: number | null;
  readonly seed: number;
}

async function line(method: PredictingMethod, { rows, prevalence, epsilon, seed }: Setting): Promise<string> {
  const cells = (found: readonly string[]) =>
    `| ${[method.name, String(rows), String(epsilon ?? "none"), ...found].join(" | ")} |`;
  const training = drawnOutcomes(rows, prevalence, `bench ${seed}`);
  try {
    const { predictor, evaluation } = await trainedOn(method, training, epsilon, `bench ${seed}`);
    const population = drawnOutcomes(populationRows, prevalence, "bench population");
    const stated = statedOf(predictor, population);
    const order = [...stated.probabilities.keys()].sort(
      (a, b) => stated.probabilities[a]! - stated.probabilities[b]!,
    );
    const mean = (of: Float64Array, some: readonly number[]) =>
      (some.reduce((sum, r) => sum + of[r]!, 0) / some.length).toFixed(3);
    const quarters = [0, 1, 2, 3].map((q) => {
      const some = order.slice((q * populationRows) / 4, ((q + 1) * populationRows) / 4);
      return `${mean(population.probabilities, some)} / ${mean(stated.probabilities, some)}`;
    });
    const { auc, probability } = evaluation.scores!;
    const scores = stated.outputs.map((outputs) => scoreOf(outputs, predictor.link));
    return cells([
      mean(population.probabilities, order),
      mean(stated.probabilities, order),
      quarters.join(", "),
      probability.levelStdDev.toFixed(2),
      areaUnderRoc(scores, [...population.block.labels!]).toFixed(3),
      `${auc.value.toFixed(3)} (${auc.low.toFixed(3)} to ${auc.high.toFixed(3)})`,
    ]);
  } catch (thrown) {
    // A study that cannot stand out of its noise is refused before it runs: one that nobody can start states nothing.
    return cells([(thrown as Error).message.slice(0, 120), "", "", "", "", ""]);
  }
}
