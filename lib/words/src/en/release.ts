import type { Words } from "../said.js";
import type { ReleaseSays } from "../says/release.js";

export const release: Words<ReleaseSays> = {
  "release.unlike-text": ({ file, at }) => `${file}: ${at} is not what the study's text says`,
  "release.unlike-rest": ({ file, at }) => `${file}: ${at} is not what follows from the rest`,
  "release.unlike-attempt": ({ file, at, stage }) =>
    `${file}: ${at} is another event than that of the last attempt at stage ${stage}`,
  "release.more-shares": ({ file, stage, shares, sites }, { count }) =>
    `${file}: stage ${stage} counts ${count(shares, "share")} of noise among ${count(sites, "site")}, which the roster and its threshold do not allow`,
  "release.below-events": ({ file, at, stated, least }) =>
    `${file}: ${at} is ${stated}, its event costs ${least}`,
  "release.too-many-entries": ({ file }) =>
    `${file}: privacy.epsilon rests on more entries than are computed anew`,
  "release.planned-same": () => "this version plans the study as the certificate states",
  "release.planned-otherwise": ({ at, stated, planned }) =>
    `this version plans the study otherwise: ${at} is ${stated} in the certificate, ${planned} here. The release is verified; ask the federation which of its versions ran it`,
  "release.not-planned": () => "this version has no plan for the study; the release is verified without one",
  "release.no-sums": () => "the release does not hold the sums of its study",
  "release.ask-for-sums": () => "a study makes its sums public with `release: { sums: true }`",
  "release.file-changed": ({ file }) => `${file}: it has changed since it was verified`,
  "release.no-sum": ({ stage }) =>
    `the method asks for a sum of stage ${stage}, which the release does not have there`,
  "release.sum-unused": ({ stage }) => `the method does not ask for the sum of stage ${stage}`,
  "release.sum-refused": ({ stage, reason }) =>
    `the method does not take the sum of stage ${stage}: ${reason}`,
  "release.no-draw": ({ draw }) => `the method draws ${draw}, which draws.json does not have`,
  "release.draw-unused": ({ draw }) => `the method does not draw ${draw}, which draws.json has`,
  "release.broadcast-otherwise": ({ stages }, { list }) =>
    `what was broadcast is not what the hospitals signed: the draws, or the sum of ${stages.length === 1 ? "stage" : "one of the stages"} ${list(stages)}, are not those that the study ran with`,
  "release.result-otherwise": ({ at, stated, computed, stages }, { list }) =>
    `result.json: ${at} is ${stated} there and ${computed} from the sums; no broadcast depends on the ${stages.length === 1 ? "sum of stage" : "sums of stages"} ${list(stages)}`,
  "release.row-otherwise": ({ file, row, column, stages }, { list, number }) =>
    `${file}: ${column} of row ${number(row)} is another number than that from the sums; no broadcast depends on the ${stages.length === 1 ? "sum of stage" : "sums of stages"} ${list(stages)}`,
  "release.replayed": ({ sums, software }, { count }) =>
    `the result follows from the release's ${count(sums, "sum")} to the byte, by version ${software}, which it names, and so does what the hospitals were told`,
  "release.replayed-numbers": ({ sums, software }, { count }) =>
    `every number of the result follows from the release's ${count(sums, "sum")} to 1e-12, and what the hospitals were told to the byte; the result names version ${software}, which this is not`,
  "release.sums-whose-word": ({ stages }, { list }) =>
    `that a sum is the hospitals' is signed by them only as far as a later broadcast depends on it; none does on ${stages.length === 1 ? "that of stage" : "those of stages"} ${list(stages)}, so that there it is the aggregator's word`,
  "release.no-folder": ({ folder }) => `no release folder at ${folder}`,
  "release.check-path": () => "check the path; `consilium release get` creates such a folder",
  "release.foreign-file": ({ file }) => `${file}: not a regular file of a release`,
  "release.file-missing": ({ file }) => `${file}: the file is missing`,
  "release.file-too-long": ({ file, max }) => `${file}: exceeds its limit of ${max} bytes`,
};
