import { SumError } from "@consilium/secure-sum/errors";
import { err, ok } from "@consilium/secure-sum/result";
import { describe, expect, it } from "vitest";
import { ConsiliumError, errorTable, toConsiliumError, unwrapSum } from "./errors.js";

describe("a refusal of the secure sum", () => {
  it("keeps code and message, and has the table's remedy where it has none of its own", () => {
    const plain = toConsiliumError(new SumError("SUM_THRESHOLD", "2 sites shared, 3 are the threshold"));
    expect(plain).toBeInstanceOf(ConsiliumError);
    expect(plain).toMatchObject({
      code: "SUM_THRESHOLD",
      message: "2 sites shared, 3 are the threshold",
      remedy: errorTable.SUM_THRESHOLD.remedy,
    });
    const advised = toConsiliumError(new SumError("STUDY_INVALID", "no graph", { remedy: "lower it" }));
    expect(advised.remedy).toBe("lower it");
  });

  it("is thrown where its result is unwrapped, and a value comes back", () => {
    expect(unwrapSum(ok(7))).toBe(7);
    const refused = err(new SumError("SEAL_BROKEN", "a sealed message does not open"));
    expect(() => unwrapSum(refused)).toThrow(ConsiliumError);
  });

  it("is told from an unknown fault, which is INTERNAL with its cause", () => {
    const cause = new RangeError("x");
    expect(toConsiliumError(cause)).toMatchObject({ code: "INTERNAL", cause });
  });
});
