import { expect, it } from "vitest";
import { osRandom } from "./random.js";
import { rehearseSum } from "./rehearsal.js";

it("adds up what three made-up sites mask, with a pause before each of their steps", async () => {
  let pauses = 0;
  const pause = async () => void pauses++;
  expect(await rehearseSum(osRandom, pause)).toBe(6);
  expect(pauses).toBe(3 * 4);
});
