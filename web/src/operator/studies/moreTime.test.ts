import { describe, expect, it } from "vitest";
import { moreTime } from "./moreTime";

const study = { createdAt: "2026-03-01T12:00:00.000Z", deadlineAt: "2026-03-08T12:00:00.000Z" };

describe("more time for a study's sites", () => {
  it("is whole days up to 30 after the invitation", () => {
    expect(moreTime("7", study)).toEqual({ daysMost: 23, until: "2026-03-15T12:00:00.000Z", fault: null });
    expect(moreTime(" 23 ", study).until).toBe("2026-03-31T12:00:00.000Z");
  });

  it("names the range for anything else, however large", () => {
    for (const days of ["24", "999999999999", "1e400", "0", "-3", "1.5", "", "soon"])
      expect(moreTime(days, study)).toEqual({
        daysMost: 23,
        until: null,
        fault: "Enter a whole number of days from 1 to 23.",
      });
  });

  it("loses no day by the moment in which sites were invited", () => {
    const week = { ...study, deadlineAt: "2026-03-30T12:00:00.250Z" };
    expect(moreTime("1", week).until).toBe("2026-03-31T12:00:00.250Z");
    expect(moreTime("2", week).fault).toBe("Enter 1: the deadline can be moved by one day at most.");
  });

  it("says where no day is left", () => {
    const last = { ...study, deadlineAt: "2026-03-30T18:00:00.000Z" };
    expect(moreTime("1", last).fault).toMatch(/cannot be moved by a day/);
  });
});
