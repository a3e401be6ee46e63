import { expect, it } from "vitest";
import { parse } from "yaml";
import { textLike } from "./studyLike";

it("a study like another has its durations as people write them, where that is the same", () => {
  const participation = {
    minimumSites: 3,
    phaseDeadline: "600000ms",
    joinDeadline: "1209600000ms",
    resumableFor: "90061000ms",
  };
  const text = textLike("abc", { name: "vitals", participation });
  expect(text).toMatch(/^# Like abc\.\nname: vitals\n/);
  expect(parse(text)).toEqual({
    name: "vitals",
    participation: {
      ...participation,
      phaseDeadline: "10m",
      joinDeadline: "14d",
      // A day, an hour, a minute and a second: two units would not do.
      resumableFor: "90061000ms",
    },
  });
  expect(parse(textLike("abc", { name: "vitals" }))).toEqual({ name: "vitals" });
});
