import { ConsiliumError } from "@consilium/core/errors";
import { describe, expect, it } from "vitest";
import { toServiceError } from "./serviceError.js";
import { fromServiceError } from "./status.js";

const travelled = (error: unknown) => fromServiceError(toServiceError(error));

describe("an error over gRPC", () => {
  it("keeps its code and message", () => {
    const there = travelled(new ConsiliumError("STUDY_UNKNOWN", "no study has the id a"));
    expect([there.code, there.message]).toEqual(["STUDY_UNKNOWN", "no study has the id a"]);
  });

  it.each([
    new ConsiliumError("DISK_FULL", "/var/lib/consilium/aggregator: disk full, 0 B are free"),
    new ConsiliumError("INTERNAL", "/var/lib/consilium/aggregator: a fault"),
    new RangeError("/var/lib/consilium/aggregator: a bug"),
  ])("leaves its message at home where that names this process's folders", (error) => {
    const there = travelled(error);
    expect(there.code).toBe(error instanceof ConsiliumError ? error.code : "INTERNAL");
    expect(there.message).not.toContain("/var/lib");
  });
});
