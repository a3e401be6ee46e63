import { parseArgs } from "node:util";
import { methodKey } from "@consilium/core/method/method";
import { rowsExpected } from "@consilium/core/study/soundSums";
import { answerOf } from "@consilium/gate/answer";
import {
  caseRows,
  caseStudy,
  type ForecastCase,
  forecastCases,
} from "@consilium/methods/testing/forecast/cases";
import {
  isHeld,
  keyOf,
  type Outcome,
  outcomeOf,
  realised,
} from "@consilium/methods/testing/forecast/realised";
import { dealt, studyOf } from "@consilium/methods/testing/forecast/tables";

/**
 * Forecasts against releases: half widths that releases of public tables come to, over those that were likely before. The table of
 * docs/methods/forecast.md, of tables by which nothing was chosen; with `--chosen` of the others. `--missed` names what does not hold.
 */

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      chosen: { type: "boolean", default: false },
      missed: { type: "boolean", default: false },
    },
  });
  const found = new Map<string, Outcome[]>();
  for (const one of forecastCases) {
    if (one.isHeldOut === values.chosen || !`${one.method} ${one.data}`.includes(values.only)) continue;
    const outcomes = await outcomesOf(one, values.seed);
    found.set(one.method, [...(found.get(one.method) ?? []), ...outcomes.map(({ outcome }) => outcome)]);
    for (const { line, outcome } of outcomes)
      if (values.missed && !isHeld(outcome))
        console.log(
          `${one.method}, ${one.data}, ε ${one.epsilon}: ${keyOf(line)} ${JSON.stringify(outcome)}`,
        );
  }
  console.log(
    "| method | figures | within half and double | less than half | more than double | rightly too imprecise | wrongly told | wrongly too imprecise | held | median ratio |",
  );
  console.log(`| --- |${" ---: |".repeat(9)}`);
  const all = [...found.values()].flat();
  for (const [method, outcomes] of [...found, ["all", all] as const]) console.log(rowOf(method, outcomes));
}

async function outcomesOf(one: ForecastCase, seed: string) {
  const study = studyOf(caseStudy(one));
  const precision = await study[methodKey].precision!();
  const { lines } = await precision(study, { rows: rowsExpected(study), answer: answerOf });
  const came = await realised(study, dealt(study, caseRows(one.data)), `${one.data} ${study.method} ${seed}`);
  return lines.flatMap((line) => {
    const half = came.get(keyOf(line));
    return half === undefined ? [] : [{ line, outcome: outcomeOf(line, half) }];
  });
}

function rowOf(method: string, outcomes: readonly Outcome[]): string {
  const ratios = outcomes.flatMap((one) => (one.kind === "ratio" ? [one.ratio] : [])).sort((a, b) => a - b);
  const middle = ratios[Math.floor(ratios.length / 2)];
  const counts = [
    outcomes.length,
    ratios.filter((ratio) => ratio >= 1 / 2 && ratio <= 2).length,
    ratios.filter((ratio) => ratio < 1 / 2).length,
    ratios.filter((ratio) => ratio > 2).length,
    outcomes.filter(({ kind }) => kind === "imprecise").length,
    outcomes.filter(({ kind }) => kind === "told").length,
    outcomes.filter(({ kind }) => kind === "untold").length,
    `${((100 * outcomes.filter(isHeld).length) / outcomes.length).toFixed(0)}%`,
  ];
  return `| ${[method, ...counts, middle?.toFixed(2) ?? "-"].join(" | ")} |`;
}
