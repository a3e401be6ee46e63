import { ConsiliumError } from "@consilium/core/errors";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf, codeOf, countOf, exactBytes, listOf, present, sha256Of, textOf } from "./fields.js";

const codeFrom = (run: () => unknown) => {
  try {
    run();
    return "accepted";
  } catch (error) {
    return error instanceof ConsiliumError ? error.code : "foreign error";
  }
};

describe("field checks", () => {
  it("accept what is in range and refuse what is not", () => {
    expect(countOf(7, "n")).toBe(7);
    expect(codeFrom(() => countOf(-1, "n"))).toBe("FIELD_INVALID");
    expect(codeFrom(() => countOf(1.5, "n"))).toBe("FIELD_INVALID");
    expect(codeFrom(() => countOf(2 ** 53, "n"))).toBe("FIELD_INVALID");
    expect(codeFrom(() => present(null, "p"))).toBe("FIELD_INVALID");
    expect(codeFrom(() => textOf("ab", "t", 1))).toBe("FIELD_INVALID");
    expect(codeFrom(() => codeOf("NO_SUCH_CODE", "c"))).toBe("FIELD_INVALID");
    expect(codeOf("INTERNAL", "c")).toBe("INTERNAL");
    expect(codeFrom(() => listOf([1, 2, 3], "l", 2, (x) => x))).toBe("FIELD_INVALID");
    expect(sha256Of(new Uint8Array(32), "h")).toBe("0".repeat(64));
  });

  it("measure bytes exactly, whatever they hold", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(64), (bytes, count) => {
        expect(codeFrom(() => exactBytes(bytes, "b", count))).toBe(
          bytes.length === count ? "accepted" : "FIELD_INVALID",
        );
        expect(codeFrom(() => bytesOf(bytes, "b", { max: count }))).toBe(
          bytes.length <= count ? "accepted" : "FIELD_INVALID",
        );
      }),
    );
  });

  it("name the field and never the value", () => {
    try {
      codeOf("987654.321", "decision.refusal_code");
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message).toContain("decision.refusal_code");
      expect((error as Error).message).not.toContain("987654.321");
    }
  });
});
