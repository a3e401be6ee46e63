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
};
