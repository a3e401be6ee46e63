import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { sayLines } from "@consilium/core/sayLines";
import { planStudy } from "@consilium/core/study/plan";
import { planView } from "@consilium/core/study/planView";
import { parseStudy } from "@consilium/methods/testing/studies";
import { sayEnglish } from "@consilium/words/english";
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

/** What a study needs beside its columns to be valid. */
const described = ["--title", "Vital signs: a first look", "--creator", 'The "vitals" group'];

async function run(...args: string[]) {
  const io = capturedIo({ environment: { CONSILIUM_HOME: folder }, workingFolder: folder });
  const code = await runCli(["study", ...args], io);
  return { code, out: io.out(), err: io.err() };
}

describe("study new", () => {
  it.each(Object.keys(studyTemplates))(
    "of %s is a study that validates, plans, and says how",
    async (method) => {
      const { code, out } = await run("new", method, "--to", "-", ...described);
      expect(code).toBe(0);
      const study = unwrap(parseStudy(parse(out)));
      expect(study).toMatchObject({ name: method, method, table: "patients" });
      const view = planView(study);
      expect(view.stages.length).toBeGreaterThan(0);
      // A hospital with the policy that `site enroll` writes can take part.
      expect(view.warnings.join()).not.toContain("plan.beyond-budget");
      for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(120);
    },
  );

  it("is beyond the budget that hospitals begin with at a greater epsilon, which its plan says", async () => {
    const { out } = await run("new", "regression", "--to", "-", ...described);
    const costly = unwrap(parseStudy(parse(out.replace("epsilon: 1,", "epsilon: 4,"))));
    expect(planView(costly).warnings.map((one) => sayLines(one, sayEnglish))).toContainEqual(
      expect.stringMatching(
        /proposes \(epsilon 3 at .*\) cannot take part: the study needs epsilon 3\.6\d+ there/,
      ),
    );
  });

  it("writes a file that the next commands take, and never over another", async () => {
    const written = await run("new", "dp-pca", "--name", "vitals", "--table", "visits", ...described);
    expect(written.err).toMatch(/the study has made-up ones: operator token .*no such file/);
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

describe("rows of all hospitals together", () => {
  const participationOf = async (...args: string[]) => {
    const { out } = await run("new", "regression", "--to", "-", ...described, ...args);
    return unwrap(parseStudy(parse(out))).participation;
  };

  it("make both limits, of which plans are made", async () => {
    expect(await participationOf("--rows", "3000")).toMatchObject({
      maxRowsPerSite: 3000,
      expectedRows: 3000,
    });
    expect((await participationOf()).expectedRows).toBeUndefined();
    expect((await run("new", "dp-pca", "--rows", "many")).code).toBe(2);
  });

  it("are asked for on a terminal", async () => {
    const io = capturedIo({
      environment: { CONSILIUM_HOME: folder },
      workingFolder: folder,
      answers: ["4200"],
    });
    await runCli(["study", "new", "dp-pca"], io);
    expect(await readFile(join(folder, "dp-pca.yaml"), "utf8")).toMatch(/^ {2}expectedRows: 4200$/m);
  });
});

describe("what only a person knows", () => {
  it("is marked, and refused by what reads the study until it is written", async () => {
    await run("new", "dp-pca");
    const { code, err } = await run("validate", "dp-pca.yaml");
    expect(code).toBe(1);
    expect(err).toContain("release.title: still a placeholder");
    expect(err).toContain("release.creator: still a placeholder");
    const file = join(folder, "dp-pca.yaml");
    const written = (await readFile(file, "utf8")).replace(/"TODO: .*"/g, "Vital signs");
    await writeFile(file, written);
    expect((await run("validate", "dp-pca.yaml")).code).toBe(0);
  });
});

describe("the schema of study files", () => {
  it("is printed, and says which keys each method has", async () => {
    const { code, out } = await run("schema");
    const schema = JSON.parse(out);
    expect([code, schema.$id]).toEqual([0, "urn:consilium:study-schema"]);
    expect(out).toContain('"tolerateColluding"');
    expect(schema.oneOf.length).toBeGreaterThan(5);
  });

  it("is next to a new study, which names it to editors, and takes no other file's place", async () => {
    await run("new", "dp-pca");
    const study = await readFile(join(folder, "dp-pca.yaml"), "utf8");
    expect(study.split("\n")[0]).toBe("# yaml-language-server: $schema=study.schema.json");
    const file = join(folder, "study.schema.json");
    const schema = await readFile(file, "utf8");
    expect(schema).toBe((await run("schema")).out);
    await writeFile(file, '{"$id":"urn:consilium:study-schema","of":"an earlier version"}');
    expect((await run("new", "counts")).err).toBe("");
    expect(await readFile(file, "utf8")).toBe(schema);
    await writeFile(file, "{}");
    expect((await run("new", "describe")).err).toContain("study.schema.json in that folder is another file");
    expect(await readFile(file, "utf8")).toBe("{}");
    expect((await run("new", "dp-ka", "--to", "-")).out).not.toContain("yaml-language-server");
  });
});

describe("study new --table", () => {
  const table = (columns: object[]) => ({ name: "stays", sites: ["a", "b"], withoutColumns: [], columns });
  const column = (name: string, types: string[], missingAt: string[] = []) => ({ name, types, missingAt });
  let answer: { status: number; body: unknown };
  let server: Server;
  beforeEach(async () => {
    server = createServer((request, response) => {
      const isAsked = request.url === "/api/tables/stays";
      response
        .writeHead(isAsked ? answer.status : 404, { "content-type": "application/json" })
        .end(JSON.stringify(isAsked ? answer.body : {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await mkdir(join(folder, "aggregator"));
    await writeFile(join(folder, "aggregator", "operator-token"), "token\n");
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const fromSites = (...more: string[]) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return run("new", "dp-additive", "--table", "stays", "--aggregator", url, "--to", "s.yaml", ...more);
  };
  const columns = [
    column("age", ["number"]),
    column("ward", ["text"]),
    column("lab", ["any", "number"]),
    column("nodes", ["text", "number"]),
    column("patient_id", ["number"]),
    column("__index_level_0__", ["number"]),
    column("free", ["any"]),
    column("readmitted", ["boolean"]),
    column('odd: "name"\n# x', ["number"]),
    column("weight", ["number"], ["b"]),
    column("scan", ["binary"]),
  ];

  it("has the columns that all sites share, with types and without bounds", async () => {
    answer = { status: 200, body: table(columns) };
    const { code, out, err } = await fromSites("--label", "readmitted", ...described);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Declare the bounds and levels marked TODO");
    const text = await readFile(join(folder, "s.yaml"), "utf8");
    const study = parse(text);
    expect(study.label).toEqual({ name: "readmitted", levels: ["TODO"] });
    const numeric = { type: "numeric", min: "TODO", max: "TODO" };
    expect(study.features).toEqual([
      { name: "age", ...numeric },
      { name: "ward", type: "categorical", levels: ["TODO"] },
      { name: "lab", ...numeric },
      { name: "nodes", ...numeric },
      { name: "free", type: "TODO" },
      { name: 'odd: "name"\n# x', ...numeric },
    ]);
    expect(text).toContain("# not at every site: weight (missing at b)");
    expect(text).toMatch(/name: nodes.* # text at some hospitals, read as numbers/);
    expect(text).toContain("# left out: patient_id (by its name an identifier");
    expect(text).toContain("# left out: __index_level_0__ (by its name the number of a row)");
    // No number but those of the method's own example comes from anywhere.
    expect(text).not.toMatch(/(?:min|max): [0-9]/);
  });

  it("is refused until every bound is declared, with what belongs there", async () => {
    answer = { status: 200, body: table(columns.slice(0, 2)) };
    await fromSites(...described);
    const refused = await run("validate", "s.yaml", "--json");
    const faults: { path: string; message: string }[] = JSON.parse(refused.out).error.faults;
    expect(refused.code).toBe(1);
    for (const path of ["features[0].min", "features[0].max", "features[1].levels"])
      expect(
        faults.filter((fault) => fault.path === path && /never read from records/.test(fault.message)),
      ).toHaveLength(1);
    const file = join(folder, "s.yaml");
    const text = (await readFile(file, "utf8"))
      .replace("min: TODO, max: TODO", "min: 0, max: 110")
      .replace("# label: { name: outcome, levels: [TODO] }", "label: { name: outcome, levels: [c, d] }")
      .replace("levels: [TODO]", "levels: [a, b]");
    await writeFile(file, text);
    expect((await run("validate", "s.yaml")).code).toBe(0);
  });

  it("names the nearest column for a misspelt label", async () => {
    answer = { status: 200, body: table(columns) };
    const { code, err } = await fromSites("--label", "readmited");
    expect([code, err]).toEqual([2, expect.stringContaining("Did you mean readmitted?")]);
  });

  it("has made-up columns, and says so, where sites share none", async () => {
    answer = { status: 200, body: { ...table([]), withoutColumns: ["a", "b"] } };
    expect((await fromSites()).err).toContain("share no columns");
    answer = { status: 404, body: { code: "TABLE_UNKNOWN", message: "no site shares it", remedy: "x" } };
    const unknown = await fromSites("--to", "t.yaml");
    expect([unknown.code, unknown.err]).toEqual([0, expect.stringContaining("no site shares it")]);
    answer = { status: 401, body: { code: "UNAUTHENTICATED", message: "wrong token", remedy: "x" } };
    expect((await fromSites("--to", "u.yaml")).code).toBe(1);
  });
});

describe("study new --dictionary", () => {
  const dictionary = (text: string) => writeFile(join(folder, "d.csv"), text);
  it("makes a study of a method whose example names columns of its own valid without an edit", async () => {
    await dictionary("name,type,min,max\ndays,number,0,30\nvisits,number,0,9\n");
    for (const method of ["describe", "counts"]) {
      const { out } = await run("new", method, "--dictionary", "d.csv", "--to", "-", ...described);
      expect(planStudy(unwrap(parseStudy(parse(out)))).stages.length, method).toBeGreaterThan(0);
    }
  });

  const good = [
    "name,type,unit,min,max,levels,description,source",
    'age,integer,years,0,110,,"age, at admission",EHR',
    "ward,categorical,,,,surgery | heart,,EHR",
    'readmitted,category,,,,no|yes,"within 30 ""days""",EHR',
    "",
  ].join("\r\n");

  it("proposes the step of each number's coefficient in a regression alone", async () => {
    await dictionary(good);
    const features = async (method: string) => {
      const { out } = await run(
        "new",
        method,
        "--dictionary",
        "d.csv",
        "--label",
        "readmitted",
        "--to",
        "-",
        ...described,
      );
      return (parse(out) as { features: object[] }).features;
    };
    expect((await features("regression"))[0]).toMatchObject({ name: "age", per: 10 });
    expect((await features("dp-additive"))[0]).not.toHaveProperty("per");
  });

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
      ...described,
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
    const { out } = await run("new", "dp-pca", "--dictionary", "d.csv", "--to", "-", ...described);
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

  it("refuses a label without a dictionary or a table, and a dictionary that is not there", async () => {
    expect((await run("new", "dp-pca", "--label", "x")).code).toBe(2);
    expect((await run("new", "dp-pca", "--dictionary", "none.csv")).err).toContain("no such file");
  });
});
