import { expect, it } from "vitest";
import { numbersFrom } from "./fields";

it("reads numbers between commas, or between semicolons with commas for their decimals", () => {
  expect(numbersFrom("10, 12.5,20")).toEqual([10, 12.5, 20]);
  expect(numbersFrom("10; 12,5; 20")).toEqual([10, 12.5, 20]);
  expect(numbersFrom("-3")).toBe(-3);
  for (const text of ["", "10,", "ten", "1e999", "10; x", "10 20"]) expect(numbersFrom(text)).toBeUndefined();
});
