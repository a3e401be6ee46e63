import { ConsiliumError } from "@consilium/core/errors";
import { describe, expect, it } from "vitest";
import { asLines } from "../../../web/src/shared/said.js";
import { english, spoken, spokenError } from "./spoken.js";

const line = "study.ask-undecided {}";
const said = { code: "study.ask-undecided", params: {} };
const text = english(line);

describe("a service's answer", () => {
  const views = [
    { failure: { code: "ROSTER_TOO_SMALL", message: "2 of 3 sites", remedy: line } },
    {
      items: [{ remedy: line }, { remedy: "wait" }],
      reasons: ["a person's own words", line],
      at: null,
      count: 3,
    },
    { reason: `[ROSTER_TOO_SMALL] 2 of 3 sites. ${line}.` },
    [line, { deep: { deeper: [[line]] } }],
  ];

  it("is in English, with the sentence's code beside it", () => {
    expect(text).toMatch(/^ask the sites/);
    expect(spoken(views[0])).toEqual({
      failure: { code: "ROSTER_TOO_SMALL", message: "2 of 3 sites", remedy: text, said: { remedy: said } },
    });
    expect(spoken(views[1])).toEqual({
      items: [{ remedy: text, said: { remedy: said } }, { remedy: "wait" }],
      reasons: ["a person's own words", text],
      at: null,
      count: 3,
      said: { reasons: { 1: said } },
    });
    expect(spoken(views[2])).toMatchObject({
      reason: expect.stringMatching(/^\[ROSTER_TOO_SMALL\] 2 of 3 sites\. Ask the sites .*time\.$/),
    });
  });

  it("is read back by a page as it was", () => {
    for (const view of views.slice(0, 3))
      expect(asLines(JSON.parse(JSON.stringify(spoken(view))))).toEqual(view);
  });

  it("is the same value where no sentence has a code", () => {
    const view = { a: ["x", { b: "y" }], c: new Date(0) };
    expect(spoken(view)).toBe(view);
  });

  it("leaves a newer program's code as it is", () => {
    expect(spoken({ message: 'newer.code {"n":1}' })).toEqual({ message: 'newer.code {"n":1}' });
  });
});

it("says an error's message and remedy", () => {
  const error = spokenError(new ConsiliumError("ROSTER_TOO_SMALL", line, { remedy: line }));
  expect(error).toMatchObject({ code: "ROSTER_TOO_SMALL", message: text, remedy: text });
});
