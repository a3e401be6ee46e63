import { expect, test } from "vitest";
import { distinguisherLines } from "./distinguisher.js";
import { exampleStudy, fullBlocks } from "./studies.js";
import { firstRowsOfBlock } from "./twin.js";

/** A small version of the distinguisher: one method, and what it must catch. */

async function lines(options: Omit<Parameters<typeof distinguisherLines>[0], "effort" | "seed">) {
  const found = [];
  for await (const line of distinguisherLines({ ...options, effort: "gate", seed: "gate" })) found.push(line);
  return found;
}

test("neighbours of the largest step are told apart no better than is charged; a share too few and the twin are caught", async () => {
  const found = await lines({ studies: [exampleStudy("wdbc-counts")] });
  expect(found.map(({ method, variant, verdict }) => [method, variant, verdict])).toEqual([
    ["counts", "sound", "proved: holds"],
    ["counts", "control", "caught, as it must be"],
    ["dp-pcc-s, full blocks", "control", "caught, as it must be"],
  ]);
  const [own, fewer, twin] = found.map(({ distinguisher }) => distinguisher!);
  expect(own!.stepOverCharged).toBe(1);
  expect(Math.abs(own!.rho - own!.charged)).toBeLessThan(6 * own!.standardError);
  // Two shares of three: half as much again.
  expect(Math.abs(fewer!.rho - 1.5 * fewer!.charged)).toBeLessThan(6 * fewer!.standardError);
  expect(twin!.stepOverCharged).toBeGreaterThan(1.2);
});

test("a fold that lets one record move two answers is a violation, and it alone", async () => {
  const found = await lines({ studies: [fullBlocks()], fold: firstRowsOfBlock });
  expect(
    found.filter(({ asExpected }) => !asExpected).map(({ variant, subject }) => [variant, subject]),
  ).toEqual([["sound", "level-2"]]);
  expect(found.find(({ subject }) => subject === "level-2")!.verdict).toMatch(
    /^proved: VIOLATED \(measured 1\.\d/,
  );
});
