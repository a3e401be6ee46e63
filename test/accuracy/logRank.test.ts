import { existsSync, readFileSync } from "node:fs";
import { Root } from "@consilium/methods/shared/counts/root";
import type { GroupCounts } from "@consilium/methods/survival/counts";
import { logRankTest } from "@consilium/methods/survival/logRank";
import { describe, expect, it } from "vitest";
import { datasetFolder } from "./tables.js";

/** The log-rank test of several groups against R's `survdiff` (survival 3.5-3). */

/** R continues where a group has nobody left at risk; the test here ends there. Of these tables only one has such a tail. */
const tail = "relapse_logrank_size";
const comparisons = [
  { oracle: "colon_logrank_arm", file: "colon.csv", group: "arm", time: "death_days", status: "death" },
  { oracle: tail, file: "relapse.csv", group: "size", time: "years", status: "relapse" },
  {
    oracle: "relapse_logrank_hormon",
    file: "relapse.csv",
    group: "hormon",
    time: "years",
    status: "relapse",
  },
] as const;

const folder = datasetFolder("survival-tables");
const oracles = oraclesOfR();

describe.skipIf(folder === null || oracles === null)("the log-rank test and R's survdiff", () => {
  it.each(comparisons)("agree on $oracle", ({ oracle, file, ...columns }) => {
    const expected = oracles![oracle]!;
    const groups = groupsOf(readFileSync(`${folder}/${file}`, "utf8"), columns);
    const { halfInterval, degreesOfFreedom } = logRankTest(
      groups,
      new Root(groups[0]!.events.length + 1, 8),
      0,
    )!;
    const { statistic, pValue } = halfInterval;
    process.stdout.write(`${oracle}: χ² ${statistic}, R ${expected.chisq}\n`);
    expect(degreesOfFreedom).toBe(expected.df);
    expect(statistic / expected.chisq - 1).toBeCloseTo(0, oracle === tail ? 2 : 9);
    expect(pValue).toBeCloseTo(expected.p, 9);
  });
});

/** Of each distinct time one interval for its events and one for its censorings, so that R's order within ties is kept. */
function groupsOf(
  csv: string,
  columns: { readonly group: string; readonly time: string; readonly status: string },
): GroupCounts[] {
  const [header, ...rows] = csv
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const of = (name: string) => header!.indexOf(name);
  const [group, time, status] = [of(columns.group), of(columns.time), of(columns.status)];
  const times = [...new Set(rows.map((row) => Number(row[time])))].sort((a, b) => a - b);
  const places = new Map(times.map((one, i) => [one, 2 * i]));
  const empty = () => ({
    events: new Float64Array(2 * times.length),
    censored: new Float64Array(2 * times.length),
    competing: [],
    beyond: 0,
  });
  const groups = new Map<string, ReturnType<typeof empty>>();
  for (const row of rows) {
    const name = row[group]!;
    const own = groups.get(name) ?? empty();
    groups.set(name, own);
    const place = places.get(Number(row[time]))!;
    if (row[status] === "1") own.events[place]!++;
    else own.censored[place + 1]!++;
  }
  return [...groups.values()];
}

function oraclesOfR(): Record<
  string,
  { readonly chisq: number; readonly df: number; readonly p: number }
> | null {
  const path = `${process.env.CONSILIUM_ORACLES ?? ""}/r_survival.json`;
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8"));
  if (process.env.CONSILIUM_FORBID_SKIPS === "1")
    throw new Error("CONSILIUM_ORACLES has no r_survival.json; CONSILIUM_FORBID_SKIPS=1 forbids to skip it");
  process.stderr.write("\nSKIPPED: R's log-rank tests, because CONSILIUM_ORACLES does not lead to them\n");
  return null;
}
