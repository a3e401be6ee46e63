import type { NumericKernels } from "@consilium/core/linalg/kernels";
import { unwrap } from "@consilium/core/result";
import { parseStudy } from "@consilium/methods/testing/studies";
import { expect, it } from "vitest";
import { kernelsFor } from "./studyPlans.js";

const study = (sums: boolean) =>
  unwrap(
    parseStudy({
      name: "rows",
      table: "records",
      analysis: "pca",
      method: "dp-pca",
      parameters: { components: 1 },
      privacy: { epsilon: 1, delta: 1e-5 },
      participation: { minimumSites: 3, maxRowsPerSite: 100 },
      features: ["a", "b"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
      release: { sums },
    }),
  );

it("computes a study whose sums are public by kernels that come to the same bits everywhere", () => {
  const portable = {} as NumericKernels;
  const kernels = { portable } as NumericKernels;
  expect(kernelsFor(study(true), kernels)).toBe(portable);
  expect(kernelsFor(study(false), kernels)).toBe(kernels);
  // Where there is no library of the system, the kernels are portable themselves.
  expect(kernelsFor(study(true), portable)).toBe(portable);
});
