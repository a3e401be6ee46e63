import { expect, it } from "vitest";
import { osRandom } from "./random.js";

it("gives the asked number of bytes, different each time, as a plain Uint8Array", () => {
  const first = osRandom.bytes(32);
  expect(first.constructor).toBe(Uint8Array);
  expect(first.length).toBe(32);
  expect(osRandom.bytes(32)).not.toEqual(first);
  expect(osRandom.bytes(0).length).toBe(0);
});
