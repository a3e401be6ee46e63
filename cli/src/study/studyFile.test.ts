import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { allMethods } from "@consilium/methods-paper/all";
import { offsetOf } from "@consilium/runtime/yaml/places";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { describeFaults, loadStudy, readStudy } from "./studyFile.js";

const valid = `name: wdbc
analysis: pca
variant: paper
table: biopsies
features:
  - { name: radius, type: numeric, min: 0, max: 30 }
  - name: texture
    type: numeric
    min: 0
    max: 40
parameters:
  components: 2
privacy: { epsilon: 1, delta: 1.0e-5 }
participation:
  minimumSites: 3
  maxRowsPerSite: 500
`;

function faultsOf(yaml: string) {
  const reading = readStudy(yaml, allMethods);
  if (reading.kind === "valid") throw new Error("the study is valid");
  return reading.faults.map((fault) => `${fault.line}:${fault.column} ${fault.path}`);
}

describe("a study file", () => {
  it("is read when it is valid", () => {
    const reading = readStudy(valid, allMethods);
    expect(reading.kind).toBe("valid");
    if (reading.kind === "valid") expect(reading.study.features).toHaveLength(2);
  });

  it("has a wrong value's fault at the value", () => {
    expect(faultsOf(valid.replace("max: 40", "max: -1"))).toEqual(["10:10 features[1].max"]);
    expect(faultsOf(valid.replace("max: 30", "max: -3"))).toEqual(["6:49 features[0].max"]);
    expect(faultsOf(valid.replace("minimumSites: 3", "minimumSites: 2"))).toContain(
      "15:17 participation.minimumSites",
    );
    expect(faultsOf(valid.replace("components: 2", "components: 3"))).toEqual([
      "12:15 parameters.components",
    ]);
  });

  it("says once of a list of levels that they are to be quoted", () => {
    const yaml = valid.replace("type: numeric, min: 0, max: 30", "type: categorical, levels: [1, 2, true]");
    const reading = readStudy(yaml, allMethods);
    expect(reading.kind === "invalid" && reading.faults).toMatchObject([
      { path: "features[0].levels", message: "fault.levels-unquoted {}", line: 6 },
    ]);
  });

  it("has a missing key's fault at the key around it, and at the first line at the top", () => {
    expect(faultsOf(valid.replace("  maxRowsPerSite: 500\n", ""))).toEqual([
      "14:1 participation.maxRowsPerSite",
    ]);
    expect(faultsOf(valid.replace("table: biopsies\n", ""))).toEqual(["1:1 table"]);
  });

  it("has an unknown key's fault at the key, even one with dots and brackets in its name", () => {
    expect(faultsOf(`${valid}colour: red\n`)).toEqual(["17:1 colour"]);
    expect(faultsOf(valid.replace("  components: 2", '  components: 2\n  "a.b[0]": 1'))).toEqual([
      "13:3 parameters.a.b[0]",
    ]);
  });

  it("lists every fault, in the file's order", () => {
    const faulty = valid
      .replace("max: 40", "max: -1")
      .replace("epsilon: 1", "epsilon: 0")
      .replace("wdbc", "W D");
    expect(faultsOf(faulty)).toEqual(["1:7 name", "10:10 features[1].max", "13:21 privacy.epsilon"]);
  });

  it("has faults of the syntax at their line: a tab, a doubled key, no document at all", () => {
    expect(faultsOf(valid.replace("  minimumSites", "\tminimumSites"))[0]).toMatch(/^15:\d+ yaml$/);
    expect(faultsOf(`${valid}name: again\n`)).toEqual(["17:1 yaml"]);
    expect(faultsOf("")).toEqual(["1:1 study"]);
    expect(faultsOf("just a text")).toEqual(["1:1 study"]);
  });

  it.each([
    ["name: x\nroster: [a, b\ntable: y\n", 2, "this [ is not closed"],
    ['name: x # "\ntable: "stays\nanalysis: pca\n', 2, 'this " is not closed'],
    ["name: x\n  table: y\nanalysis: pca\n", 2, "indented further than the one above"],
    ["name: x\ntable y\nanalysis: pca\n", 2, "a colon is missing"],
    ["name: a: b\n", 1, "a second colon"],
    ["a:\n  b: 1\n c: 2\n", 3, "indent this line"],
    ["name: @x\n", 1, "needs quotes"],
    ["name: 'it's'\n", 1, "unexpected here"],
    ["name: x\nname: y\n", 2, "name is there twice"],
    ["name: x\n--- \nname: y\n", 2, "one study"],
  ])("says in words, and at its line, why %j is not YAML", (yaml, line, message) => {
    const reading = readStudy(yaml, allMethods);
    expect(reading.kind === "invalid" && reading.faults).toMatchObject([
      { path: "yaml", line, message: expect.stringContaining(message) },
    ]);
  });

  it("counts lines that end with CR LF", () => {
    expect(faultsOf(valid.replace("max: 40", "max: -1").replaceAll("\n", "\r\n"))).toEqual([
      "10:10 features[1].max",
    ]);
  });

  it("follows anchors to where the value stands, and refuses thousands of them", () => {
    const anchored = valid.replace("max: 30", "max: &top 30").replace("max: 40", "max: *top");
    expect(readStudy(anchored, allMethods).kind).toBe("valid");
    let bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (let depth = 1; depth < 9; depth++) {
      bomb += `a${depth}: &a${depth} [${`*a${depth - 1},`.repeat(10)}]\n`;
    }
    const reading = readStudy(bomb, allMethods);
    expect(reading.kind === "invalid" && reading.faults[0]?.message).toMatch(/aliases/);
  });
});

describe("offsetOf", () => {
  it("gives the nearest place of what is not there", () => {
    const document = parseDocument("a:\n  b: 1\n");
    expect(offsetOf(document, "a.b")).toBe(8);
    expect(offsetOf(document, "a.c.d")).toBe(0);
    expect(offsetOf(document, "a[3]")).toBe(0);
    expect(offsetOf(document, "study")).toBe(0);
  });
});

describe("a file that is not text", () => {
  it("is refused, and no control character of a line reaches the terminal", async () => {
    const folder = await mkdtemp(join(tmpdir(), "consilium-study-"));
    const path = join(folder, "binary.yaml");
    await writeFile(path, "\u0000\u001b[31mname: a");
    const refused = await loadStudy(path, "binary.yaml").catch((thrown: unknown) => thrown as Error);
    expect(refused).toMatchObject({ code: "CONFIG_INVALID" });
    expect(String(refused)).toContain("is not a text file");
    await rm(folder, { recursive: true });
    const fault = { path: "name", message: "wrong", line: 1, column: 1 };
    expect(describeFaults("a.yaml", "name: \u001b[31m", [fault])).not.toContain("\u001b");
  });
});

describe("a study that rests on what is retired", () => {
  it("is refused by its code, though the file has no fault", async () => {
    const folder = await mkdtemp(join(tmpdir(), "consilium-study-"));
    const path = join(folder, "wdbc.yaml");
    await writeFile(path, valid);
    const entry = { method: "elfed-pca", edition: 1, why: "its noise was too small" };
    const read = (edition: number) =>
      loadStudy(path, "wdbc.yaml", [{ ...entry, edition }]).then(
        ({ study }) => study.name,
        (thrown: unknown) =>
          thrown instanceof ConsiliumError ? `${thrown.code}: ${thrown.message}` : thrown,
      );
    expect(await read(1)).toBe("STUDY_RETIRED: elfed-pca, edition 1 is retired: its noise was too small");
    expect(await read(2)).toBe("wdbc");
    await rm(folder, { recursive: true });
  });
});

describe("what a file is refused for", () => {
  it("is said in words, whose codes are inside", async () => {
    const folder = await mkdtemp(join(tmpdir(), "consilium-study-"));
    const path = join(folder, "wdbc.yaml");
    await writeFile(path, valid.replace("max: 40", "max: -1"));
    await expect(loadStudy(path, "wdbc.yaml")).rejects.toMatchObject({
      code: "STUDY_INVALID",
      message: "wdbc.yaml has 1 error, at line 10: features[1].max: max must be greater than min",
      listing: expect.stringMatching(/^wdbc\.yaml:10:10 {2}features\[1\]\.max: max must be greater/),
      details: { faults: [{ message: "max must be greater than min" }] },
    });
    await rm(folder, { recursive: true });
  });
});

describe("describeFaults", () => {
  it("shows the line and a mark below the place", () => {
    const yaml = valid.replace("max: 40", "max: -1");
    const reading = readStudy(yaml, allMethods);
    if (reading.kind === "valid") throw new Error("the study is valid");
    expect(describeFaults("pca.yaml", yaml, reading.faults)).toBe(
      [
        "pca.yaml:10:10  features[1].max: fault.max-min {}",
        "    10 |     max: -1",
        "       |          ^",
      ].join("\n"),
    );
  });
});
