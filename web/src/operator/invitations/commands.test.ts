import { parseSiteId } from "@consilium/core/ids";
import { describe, expect, it } from "vitest";
import { expelCommand, messageTo, siteIdFault, waysToEnrol } from "./commands";

describe("waysToEnrol", () => {
  const ways = waysToEnrol("st-mary", "TOKEN");

  it("has two commands for each way", () => {
    expect(ways.map(({ steps }) => steps.length)).toEqual([2, 2]);
  });

  it("never puts the token into an argument, where other users of the machine could see it", () => {
    for (const { command } of ways.flatMap(({ steps }) => steps)) expect(command).not.toMatch(/--token[= ]/);
  });
});

it("says all that a hospital needs in one message", () => {
  for (const way of waysToEnrol("st-mary", "TOKEN")) {
    const message = messageTo("st-mary", way, "27 Nov 2026, 08:00 UTC");
    for (const part of [
      "st-mary",
      "TOKEN",
      "27 Nov 2026, 08:00 UTC",
      ...way.steps.map(({ command }) => command),
    ])
      expect(message).toContain(part);
  }
});

describe("siteIdFault", () => {
  it.each(["st-mary", "a", "a1-b2", "St-Mary", "a--b", "-a", "a b", "x".repeat(41)])(
    "judges %s as core does",
    (id) => {
      expect(siteIdFault(id) === null).toBe(parseSiteId(id).ok);
    },
  );
});

it("names the site to expel", () => {
  expect(expelCommand("st-mary")).toMatch(/^consilium expel st-mary /);
});
