import type { Words } from "@consilium/words/said";
import type { FelpASays } from "../says.js";

export const en: Words<FelpASays> = {
  "felp-a.prototypes": ({ label, columns, length }) =>
    `for each level of ${label}, the number of rows and the sums of their ${columns} columns, mapped to 0 to 1 by the declared bounds, centred by public numbers and clipped to length ${Number(length).toPrecision(4)}`,
  "felp-a.margins": ({ features, length, weighed }) =>
    `how much farther rows lie, in each of the ${features} features, from the nearest broadcast prototype of another class than from that of their own, clipped to length ${length}${weighed === 0 ? "" : ", each row weighed by how badly the broadcast weights tell its class"}`,
  "felp-a.few-rows": ({ subject, needed, units, expected }, { say }) =>
    `${say(subject)} only with far more than ${needed} ${say(units)} in all; ${say(expected)} the selection is mostly chance: raise epsilon, declare fewer features, or invite more sites`,
  "felp-a.features": ({ selected, of }) => `${selected} of ${of} features stand out of the noise`,
  "felp-a.classes": ({ classes, columns }) =>
    `the prototypes of ${classes} classes in ${columns} columns stand out of the noise`,
  "felp-a.centre-length": ({ numbers, columns }) =>
    `${numbers} numbers for ${columns} design columns; give one number, or ${columns}`,
  "felp-a.long-stage": ({ numbers, max }) =>
    `a stage of ${numbers} numbers is over the limit of ${max}; declare fewer features or levels`,
  "felp-a.broadcast": ({ what }, { say }) => `the broadcast for felp-a: ${say(what)}`,
  "felp-a.length": ({ name, length }) => `"${name}" does not hold ${length} numbers`,
  "felp-a.prototype-values": () => "prototypes that are not multiples of 2^-24 within the declared ranges",
  "felp-a.presence": () => "classes that are neither present nor absent",
  "felp-a.weight-values": () => "weights that are not multiples of 2^-24 within their bounds",
};
