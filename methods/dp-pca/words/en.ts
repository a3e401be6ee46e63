import type { Words } from "@consilium/words/said";
import type { DpPcaSays } from "../says.js";

export const en: Words<DpPcaSays> = {
  "dp-pca.rectangle": ({ columns, directions, rows }, { say }) =>
    `products of the ${columns} columns with ${directions} broadcast directions, with the mean and the number of rows, added up over all sites; of ${say(rows)}`,
  "dp-pca.square": ({ columns, label, rows }, { say }) =>
    `the ${columns} × ${columns} products of columns, with their sums and the number of rows, added up over all sites${label === null ? "" : `, separately for each value of ${label}`}; of ${say(rows)}`,
  "dp-pca.reduced": ({ directions, label, rows }, { say }) =>
    `the ${directions} × ${directions} products of the reduced rows' coordinates, with their sums and the number of rows, added up over all sites${label === null ? "" : `, separately for each value of ${label}`}; of ${say(rows)} and projected on ${directions} broadcast directions`,
  "dp-pca.rows": ({ chosen }) =>
    `rows of the table, mapped to 0 to 1 by the declared bounds, ${chosen === 0 ? "centred by public numbers" : "centred by the chosen centre, divided by the chosen radius"}, clipped to length 1`,
  "dp-pca.declared": ({ what, reason }, { say }) =>
    `${say(what)}. Centre and radius are the declared ones (ball: auto): ${say(reason)}`,
  "dp-pca.noise": ({ deviation, exponent }) =>
    `discrete Gaussian noise, a share of it from every site: standard deviation at least ${Number(deviation).toPrecision(4)} on the diagonal in the sum of the fewest sites without the colluding ones; each row cut to multiples of 2^-${exponent} and its length checked in whole numbers`,
  "dp-pca.centre": ({ columns, reason, rows }, { say }) =>
    `for the choice of a centre and a radius${reason === null ? "" : ` (ball: auto has them chosen: ${say(reason)})`}, the sums of the ${columns} columns and the number of rows; of ${say(rows)}`,
  "dp-pca.radius": ({ ranges }) =>
    `for the choice of a radius, how many rows of the table lie in each of ${ranges} ranges of distance from the broadcast centre`,
  "dp-pca.ball-no-noise": () => "without noise a smaller ball gains nothing",
  "dp-pca.ball-category": () =>
    "the 0/1 columns of a category fill their ranges, and a smaller ball would gain little",
  "dp-pca.ball-rows-unknown": () =>
    "participation.expectedRows does not say whether there are rows enough to choose others",
  "dp-pca.ball-rows": ({ rows, needed }) =>
    `${rows} expected rows are ${rows < needed ? "fewer than" : "at least"} the ${needed} that a choice needs`,
  "dp-pca.few-rows": ({ components, needed, units, expected }, { say }) =>
    `${components} components stand out of the noise only with far more than ${needed} ${say(units)} in all; ${say(expected)} expect directions of noise: raise epsilon, ask fewer components or columns, or invite more sites`,
  "dp-pca.ball-noise": ({ expected, needed, units, patients }, { say }) =>
    `${say(expected)} noise chooses centre and radius more than the ${say(units)} do: that takes ${needed} ${say(units)}; use ball: declared, raise epsilon or ballShare${patients === 0 ? "" : ", lower patient.maxRows"}, declare fewer columns, or invite more sites`,
  "dp-pca.centre-length": ({ numbers, columns }) =>
    `${numbers} numbers for ${columns} columns; give one number, or ${columns}`,
  "dp-pca.iterations": () => "only with form: iteration",
  "dp-pca.long-stage": ({ numbers, max }) =>
    `a stage of ${numbers} numbers is over the limit of ${max}; use form: auto or iteration`,
  "dp-pca.ball-share": () => "only with ball: private or auto; ask for one of them, or remove it",
  "dp-pca.ball-invalid": ({ what }, { say }) => `the broadcast ball: ${say(what)}`,
  "dp-pca.ball-length": ({ numbers, columns }) => `${numbers} numbers of a centre instead of ${columns}`,
  "dp-pca.ball-centre": ({ exponent }) => `a centre that is no multiple of 2^-${exponent} from 0 to 1`,
  "dp-pca.ball-radius": ({ radii }) => `a radius outside the ${radii} allowed ones`,
  "dp-pca.directions-invalid": ({ what }, { say }) => `the broadcast directions: ${say(what)}`,
  "dp-pca.directions-length": ({ numbers, expected }) => `${numbers} numbers instead of ${expected}`,
  "dp-pca.directions-values": ({ exponent }) => `not multiples of 2^-${exponent} from -1 to 1`,
  "dp-pca.not-orthonormal": ({ first, second }) => `${first} and ${second} are not orthonormal`,
};
