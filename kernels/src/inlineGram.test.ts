import { plainKernels } from "@consilium/core/linalg/plain";
import { describe, expect, it } from "vitest";
import { openInlineGram } from "./inlineGram.js";

describe("Gram matrices on the calling thread", () => {
  it.each([1, 7, 40])(
    "are those of the plain kernels, of order %i and more rows than a slot holds",
    async (d) => {
      const rows = 3000;
      const block = Float64Array.from({ length: rows * d }, (_, i) => ((i * 7919) % 2001) - 1000);
      const [one, other] = [openInlineGram().gram(d), plainKernels().gram(d)];
      for (const gram of [one, other]) {
        await gram.add(block, rows);
        await gram.add(block.subarray(d), rows - 1);
      }
      expect(await one.finish()).toEqual(await other.finish());
    },
  );
});
