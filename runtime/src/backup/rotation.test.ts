import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backupName, backupPrefix, expiredBackups, parseRotation } from "./rotation.js";

const prefix = backupPrefix("site", "st-mary");
const at = (text: string) => backupName(prefix, Date.parse(text), false);

describe("the rotation of backups", () => {
  it("names a backup for its role, its site and its moment in UTC", () => {
    expect(backupName("aggregator", Date.UTC(2026, 0, 2, 3, 4, 5, 678), true)).toBe(
      "aggregator-20260102T030405Z.tar.age",
    );
    expect(at("2026-01-02T03:04:05Z")).toBe("site-st-mary-20260102T030405Z.tar");
  });

  it("keeps the newest of each day, week and month", () => {
    const names = [
      at("2026-03-03T22:00:00Z"), // the newest, Tuesday
      at("2026-03-03T10:00:00Z"), // the same day
      at("2026-03-02T22:00:00Z"), // Monday of the same week
      at("2026-03-01T22:00:00Z"), // Sunday of the week before
      at("2026-02-28T22:00:00Z"), // the newest of February
      at("2026-02-10T22:00:00Z"),
      at("2026-01-31T22:00:00Z"),
    ];
    const rotation = parseRotation("daily=2,weekly=2,monthly=2");
    expect(expiredBackups(names, prefix, rotation)).toEqual([names[1], names[5], names[6]]);
    expect(expiredBackups(names, prefix, parseRotation("monthly=3"))).toEqual(
      names.filter((_, index) => ![0, 4, 6].includes(index)),
    );
  });

  it("never removes the newest, another site's, or a file that it did not name", () => {
    const others = [
      "site-st-mary-2-20200101T000000Z.tar",
      "site-st-20200101T000000Z.tar",
      "site-st-mary-20200101T000000Z.tar.old",
      "site-st-mary-20209901T000000Z.tar",
      "notes",
    ];
    const newest = at("2026-01-01T00:00:00Z");
    expect(expiredBackups([...others, newest], prefix, parseRotation("daily=1"))).toEqual([]);
    const older = at("2025-12-31T00:00:00Z");
    expect(expiredBackups([...others, older, newest], prefix, parseRotation("daily=1"))).toEqual([older]);
  });

  it("keeps at most as many as it says, whatever there is, and what one run keeps the next one keeps", () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, fc.nat(5), fc.nat(5), (hours, daily, weekly) => {
        fc.pre(daily + weekly > 0);
        const rotation = { daily, weekly, monthly: 0 };
        const names = hours.map((hour) => backupName(prefix, hour * 3_600_000, false));
        const expired = new Set(expiredBackups(names, prefix, rotation));
        const kept = names.filter((name) => !expired.has(name));
        expect(kept.length).toBeGreaterThanOrEqual(1);
        expect(kept.length).toBeLessThanOrEqual(daily + weekly);
        expect(expiredBackups(kept, prefix, rotation)).toEqual([]);
      }),
    );
  });

  it.each(["", "daily=0", "daily=7,daily=8", "yearly=1", "daily=-1", "daily=1001"])(
    "refuses %j",
    (written) => {
      expect(() => parseRotation(written)).toThrow(expect.objectContaining({ code: "USAGE" }));
    },
  );
});
