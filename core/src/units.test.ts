import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "./result.js";
import { parseSize } from "./sizes.js";
import { durationSchema, sizeSchema } from "./unitSchemas.js";
import { formatBytes, formatDuration, parseDuration } from "./units.js";

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["10m", 600_000],
    ["1h30m", 5_400_000],
    ["2.5s", 2_500],
    ["1d", 86_400_000],
    ["1m500ms", 60_500],
    ["0s", 0],
    [" 5m ", 300_000],
  ])("reads %s", (text, ms) => expect(unwrap(parseDuration(text))).toBe(ms));

  it.each([
    "",
    "10",
    "m",
    "-5s",
    "5 m",
    "1.5h30m",
    "30m1h",
    "5m5m",
    "1e3s",
    "Infinitys",
    `${"9".repeat(30)}d`,
  ])("refuses %j", (text) => {
    const result = parseDuration(text);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.error.code).toBe("CONFIG_INVALID");
  });

  it("writes two units, rounded down", () => {
    expect([0, 450, 5_400_000, 125_999, 90_061_000].map(formatDuration)).toEqual([
      "0s",
      "450ms",
      "1h30m",
      "2m5s",
      "1d1h",
    ]);
    expect(() => formatDuration(-1)).toThrow(RangeError);
  });

  it("reads back what it writes, to the smaller of the two units", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
        const back = unwrap(parseDuration(formatDuration(ms)));
        const resolution = ms < 60_000 ? 1 : ms < 3_600_000 ? 1_000 : ms < 86_400_000 ? 60_000 : 3_600_000;
        expect(back).toBe(ms - (ms % resolution));
      }),
    );
  });

  it("never throws on any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        parseDuration(text);
        parseSize(text);
      }),
    );
  });
});

describe("sizes", () => {
  it.each([
    ["100B", 100],
    ["1KB", 1000],
    ["512KiB", 524_288],
    ["2 MiB", 2_097_152],
    ["1.5GB", 1_500_000_000],
    ["1tib", 2 ** 40],
  ])("reads %s", (text, bytes) => expect(unwrap(parseSize(text))).toBe(bytes));

  it.each(["", "10", "MiB", "-1B", "1XB", "1iB", "1e9B", "99999999999TiB"])("refuses %j", (text) =>
    expect(parseSize(text).ok).toBe(false),
  );

  it("writes binary units", () => {
    expect([0, 512, 1536, 1_048_575, 2 ** 31].map(formatBytes)).toEqual([
      "0 B",
      "512 B",
      "1.5 KiB",
      "1 MiB",
      "2 GiB",
    ]);
    expect(() => formatBytes(Number.NaN)).toThrow(RangeError);
  });
});

describe("schemas", () => {
  it("turn text into numbers and say how to write it", () => {
    expect(durationSchema.parse("10m")).toBe(600_000);
    expect(sizeSchema.parse("2MiB")).toBe(2_097_152);
    const refused = durationSchema.safeParse("ten minutes");
    expect(refused.success).toBe(false);
    expect(refused.error?.issues[0]?.message).toContain("30s, 10m");
  });
});
