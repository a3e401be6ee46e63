import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";
import { studyTemplates } from "./generated/templates.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-new-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(...args: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: folder }, workingFolder: folder });
  const code = await runCli(["study", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe("study new", () => {
  it.each(Object.keys(studyTemplates))(
    "of %s is a study that validates, plans, and says how",
    async (method) => {
      const { code, out } = await run("new", method, "--to", "-");
      expect(code).toBe(0);
      const study = unwrap(parseStudy(parse(out)));
      expect(study).toMatchObject({ name: method, method, table: "patients" });
      expect(planStudy(study).stages.length).toBeGreaterThan(0);
      for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(120);
    },
  );

  it("writes a file that the next commands take, and never over another", async () => {
    const written = await run("new", "dp-pca", "--name", "vitals", "--table", "visits");
    expect(written.out).toContain("consilium study validate vitals.yaml");
    expect((await run("validate", "vitals.yaml")).code).toBe(0);
    expect((await run("plan", "vitals.yaml")).code).toBe(0);
    const before = await readFile(join(folder, "vitals.yaml"), "utf8");
    const again = await run("new", "dp-ka", "--name", "vitals");
    expect([again.code, again.err.slice(0, 16)]).toEqual([1, "[CONFIG_INVALID]"]);
    expect(await readFile(join(folder, "vitals.yaml"), "utf8")).toBe(before);
  });

  it("refuses names that no study or table has, and invalid methods", async () => {
    expect((await run("new", "dp-pca", "--name", "Not A Name")).code).toBe(2);
    expect((await run("new", "dp-pca", "--table", "a b")).code).toBe(2);
    const unknown = await run("new", "dp-pac");
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("Allowed choices are")]);
  });
});

describe("study new --dictionary", () => {
  const dictionary = (text: string) => writeFile(join(folder, "d.csv"), text);
  const good = [
    "name,type,unit,min,max,levels,description,source",
    'age,integer,years,0,110,,"age, at admission",EHR',
    "ward,categorical,,,,surgery | heart,,EHR",
    'readmitted,category,,,,no|yes,"within 30 ""days""",EHR',
    "",
  ].join("\r\n");

  it("makes features and the label of its lines, with no other bounds than those", async () => {
    await dictionary(good);
    const { code, out } = await run(
      "new",
      "dp-additive",
      "--dictionary",
      "d.csv",
      "--label",
      "readmitted",
      "--to",
      "-",
    );
    expect(code).toBe(0);
    const { features, label } = unwrap(parseStudy(parse(out)));
    expect(features).toMatchObject([
      { name: "age", type: "numeric", min: 0, max: 110, unit: "years", description: "age, at admission" },
      { name: "ward", type: "categorical", levels: ["surgery", "heart"] },
    ]);
    expect(label).toMatchObject({
      name: "readmitted",
      levels: ["no", "yes"],
      description: 'within 30 "days"',
    });
  });

  it("takes what spreadsheets write, and a study without an outcome", async () => {
    await dictionary(
      "\ufeffName;Type;Min;Max\nage;numeric;0;110\nbmi;number;10;70.5\nweight;number;1;300\nheight;number;30;250",
    );
    const { out } = await run("new", "dp-pca", "--dictionary", "d.csv", "--to", "-");
    const { features, label } = unwrap(parseStudy(parse(out)));
    expect(features.map(({ name }) => name)).toEqual(["age", "bmi", "weight", "height"]);
    expect(features[1]).toMatchObject({ min: 10, max: 70.5 });
    expect(label).toBeUndefined();
  });

  it("lists every fault with its line, and writes nothing", async () => {
    await dictionary(
      "name,type,min,max,levels\nage,integer,0,\nage,integer,5,1\nward,category,,,one\nx,date,,,\n,numeric,0,1",
    );
    const { code, err } = await run("new", "dp-pca", "--dictionary", "d.csv", "--name", "s");
    expect([code, err.includes("[CONFIG_INVALID]")]).toEqual([1, true]);
    for (const fault of [
      "line 2: max:",
      "line 3: max: max must be greater than min",
      'line 3: a line above has the name "age"',
      "line 4: levels: declare at least two levels",
      'line 5: type "date"',
      "line 6: name:",
    ])
      expect(err).toContain(fault);
    await expect(readFile(join(folder, "s.yaml"))).rejects.toThrow();
  });

  it.each([
    ["age,numeric\n", [], "the header has no column name"],
    ["name,type,min,max\n", [], "no line names a feature"],
    [good, ["--label", "outcome"], 'no line has the name "outcome"'],
    [good, ["--label", "age"], "levels: declare at least two levels"],
  ])("%j with %j is refused", async (text, more, fault) => {
    await dictionary(text);
    const { code, err } = await run("new", "dp-pca", "--dictionary", "d.csv", ...more);
    expect([code, err.includes(fault)]).toEqual([1, true]);
  });

  it("refuses a label without a dictionary, and a dictionary that is not there", async () => {
    expect((await run("new", "dp-pca", "--label", "x")).code).toBe(2);
    expect((await run("new", "dp-pca", "--dictionary", "none.csv")).err).toContain("no such file");
  });
});
