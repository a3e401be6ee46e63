import type { Words } from "../said.js";
import type { ResultSays } from "../says/results.js";

const kept = "The sums are kept, and nothing is charged again";
const before = (again: number, software: string) =>
  again === 0 ? "" : `. The same version (${software}) came to it before`;

export const results: Words<ResultSays> = {
  "result.incomplete": ({ missing, again, software }, { list }) =>
    `a part of the result could not be computed: ${list(missing)}. The rest stands. ${kept}${before(again, software)}`,
  "result.failed": ({ again, software }) =>
    `the result could not be computed. ${kept}${before(again, software)}`,
  "result.accept-or-resume": () =>
    "report it with the aggregator's log; install a version that mends it and run `consilium study resume`, or release the rest with `consilium study accept`",
  "result.resume": () =>
    "report it with the aggregator's log; install a version that mends it, and run `consilium study resume`",
  "result.nothing-to-accept": () => "no part of a result waits for being accepted",
  "result.missing": ({ missing }, { list }) =>
    `This release lacks a part of what the study asked for: ${list(missing)}. The federation accepted it without. Everything else is complete.`,
  "result.lacks": ({ part, reason }, { say }) => `${say(part)} (${say(reason)})`,
  "result.not-as-signed": ({ file }) =>
    `the publisher's ${file} is not what the hospitals signed; nothing was signed for it`,
  "result.unwritten": ({ missing }, { list }) => `files could not be written: ${list(missing)}`,
  "result.part.test": () => "the statistical test",
  "result.part.evaluation": () => "the evaluation on held-out records",
  "result.part.predictor": () => "the model in forms that other programs run",
  "result.part.curves": () => "the table of curves",
  "result.part.tables": () => "the tables",
  "result.part.figures": () => "the figures",
  "result.part.card": () => "the model card",
  "result.reason.fault": () => "its computation failed",
  "result.reason.unfit": () => "a release cannot hold what was computed",
  "result.reason.unwritten": () => "its files could not be written",
};
