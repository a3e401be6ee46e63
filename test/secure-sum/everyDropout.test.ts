/** Every way in which sites can drop out above the threshold; up to five sites are tested beside the machines. */

import { it } from "vitest";
import { expectExactForEveryPattern } from "../../secure-sum/testing/dropouts.js";

it.each([6, 7])(
  "a sum of %i sites is exact for every dropout pattern above the threshold",
  (sites) => {
    expectExactForEveryPattern(sites);
  },
  300_000,
);
