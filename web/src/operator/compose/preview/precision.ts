import type { Chosen } from "../questions/questions";

/** What precision to expect, in words: what the plan computes from the draft's declarations. */

interface PlannedPrecision {
  readonly warnings: readonly string[];
  readonly stages: readonly { readonly disclosure: { readonly what: string } }[];
}

/** How a plan's stages end that sum counts. */
const ofCounts =
  /\(each count is within ±([\d.]+)(?: to ±([\d.]+), depending on the table)? of the true one at 95 %\)/;
/** How the stage of a survival study ends. */
const ofCurve =
  /\(where half of (\d+) rows( in each of \d+ groups)? survive, noise puts a curve within ±([\d.]+) at 95 %\)/;
const ofCoefficients = /at most (\d+) of (\d+) coefficients can have an interval of use/;

/** Of each kind of outcome of a regression, the widest interval that the plan calls of use. */
const usefulIntervals: Readonly<Record<string, string>> = {
  logistic: "an odds ratio to a factor of 4",
  linear: "a difference to a quarter of the outcome's range",
  poisson: "a rate ratio to a factor of 4",
  cox: "a hazard ratio to a factor of 4",
};

/** Sentences; none where the plan says nothing of precision. */
export function precisionOf(plan: PlannedPrecision, { choice }: Chosen): string[] {
  const { stages, warnings } = plan;
  // A later sum is what is released; an earlier one chooses what it asks.
  const what = stages.map(({ disclosure }) => disclosure.what).reverse();
  const counts = firstMatch(what, ofCounts);
  if (counts !== null) return countSentences(counts);
  const curve = firstMatch(what, ofCurve);
  if (curve !== null)
    return [
      `Width of an interval: where half of ${curve[1]} rows${curve[2] ?? ""} survive, noise puts a curve within ±${points(curve[3]!)} percentage points, at 95 %. Chance among the records, and censoring, add to it.`,
    ];
  const useful = usefulIntervals[choice.sets.family ?? ""];
  if (useful === undefined) return [];
  const few = firstMatch(warnings, ofCoefficients);
  return [
    few === null
      ? `Width of an interval: with columns that vary evenly, every coefficient can be told well enough to be of use: ${useful} over the column's whole range, at 95 %.`
      : `Width of an interval: only ${few[1]} of ${few[2]} coefficients can be told well enough to be of use: ${useful} over the column's whole range, at 95 %.`,
  ];
}

function countSentences([, least, most]: RegExpExecArray): string[] {
  const widest = Number(most ?? least);
  const range = most === undefined ? `±${least}` : `±${least} to ±${most}, depending on the table,`;
  return [
    `Width of an interval: each count is within ${range} of the true one, at 95 %.`,
    `Smallest group that shows: more than ${Math.ceil(widest)}. A smaller one cannot be told from none.`,
  ];
}

const points = (share: string) => String(Number((100 * Number(share)).toPrecision(2)));

function firstMatch(texts: readonly string[], pattern: RegExp): RegExpExecArray | null {
  for (const text of texts) {
    const match = pattern.exec(text);
    if (match !== null) return match;
  }
  return null;
}
