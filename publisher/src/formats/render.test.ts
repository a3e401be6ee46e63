import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import { readSaid } from "@consilium/core/readSaid";
import { type ReleaseContent, releaseContentSchema } from "@consilium/core/release/content";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, it } from "vitest";
import { sampleMap, sampleTrees } from "../../testing/formats/predictors.js";
import { type Cell, rowBytesOf, sampleContent, sampleRows } from "../../testing/release.js";
import { readDatapackage } from "./datapackage.js";
import { renderRelease } from "./render.js";

const root = await mkdtemp(join(tmpdir(), "consilium-render-"));
afterAll(() => rm(root, { recursive: true, force: true }));

async function render(content: ReleaseContent, rows: readonly (readonly Cell[])[], bytes?: Buffer) {
  const folder = await mkdtemp(join(root, "r-"));
  const dataPath = join(folder, "rows.bin");
  await writeFile(dataPath, bytes ?? rowBytesOf(content, rows));
  const release = join(folder, "release");
  const files = await renderRelease({
    content,
    dataPath,
    folder: release,
    scratch: join(folder, "scratch"),
    baseUrl: "https://releases.example.org/releases/sample-0123456789/",
  });
  const text = (name: string) => readFile(join(release, name), "utf8");
  return { files, release, text, json: async (name: string) => JSON.parse(await text(name)) };
}

async function parquetRows(path: string): Promise<{ names: string[]; types: string[]; rows: unknown[][] }> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}')`);
  const [names, types] = [result.columnNames(), result.columnTypes().map(String)];
  const rows = result.getRows();
  connection.closeSync();
  instance.closeSync();
  return { names, types, rows };
}

/** An independent reading of RFC 4180, one character at a time. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') field += text[++at]!;
      else quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === ",") {
      row.push(field);
      field = "";
    } else if (character === "\r") {
      expect(text[++at]).toBe("\n");
      rows.push([...row, field]);
      [row, field] = [[], ""];
    } else field += character;
  }
  expect([row, field, quoted]).toEqual([[], "", false]);
  return rows;
}

const awkward = [
  "plain",
  "",
  "NA",
  'a "quoted", text',
  "two\r\nlines",
  " spaced ",
  "=1+1",
  "müde 🫀",
  "a\\b'c",
];

describe("a rendered release", () => {
  it("has the same values in Parquet and CSV, bit by bit, in the deposited order", async () => {
    const content = sampleContent({
      columns: [
        { name: 'x "y", z', type: "number", description: "d" },
        { name: "größe|2", type: "number", description: "d" },
        { name: "level`1`", type: "level", description: "d", levels: awkward },
      ],
      rows: 5_000,
    });
    // Every kind of float64, from a fixed sequence.
    const special = [0, -0, 5e-324, Number.MAX_VALUE, -1e-7, 1 / 3, 2 ** 53 + 2, 1e21, 123456789.12345679];
    const rows = Array.from({ length: content.rows }, (_, row): Cell[] => [
      row < special.length ? special[row]! : Math.sin(row) * 10 ** ((row % 600) - 300),
      -row,
      awkward[row % awkward.length]!,
    ]);
    const { release, text } = await render(content, rows);
    const parquet = await parquetRows(join(release, "data.parquet"));
    expect(parquet.names).toEqual(content.columns.map((column) => column.name));
    expect(parquet.types).toEqual(["DOUBLE", "DOUBLE", "VARCHAR"]);
    const csv = parseCsv(await text("data.csv"));
    expect(csv[0]).toEqual(parquet.names);
    expect(csv.length).toBe(rows.length + 1);
    expect(parquet.rows.length).toBe(rows.length);
    rows.forEach((row, index) => {
      const [a, b, c] = parquet.rows[index]!;
      expect(Object.is(a, row[0]) && Object.is(b, row[1]) && c === row[2], `parquet row ${index}`).toBe(true);
      const [d, e, f] = csv[index + 1]!;
      const same = Object.is(Number(d), row[0]) && Object.is(Number(e), row[1]) && f === row[2];
      expect(same, `csv row ${index}`).toBe(true);
    });
  });

  it("lists every file with its length and SHA-256, and the data's in its metadata", async () => {
    const { files, text, json, release } = await render(sampleContent(), sampleRows);
    expect(files.map((file) => file.name)).toEqual([
      "data.parquet",
      "data.csv",
      "model.json",
      "result.json",
      "CITATION.cff",
      "croissant.json",
      "datapackage.json",
      "ro-crate-metadata.json",
      "DICTIONARY.md",
      "README.md",
    ]);
    for (const file of files) {
      const bytes = await readFile(join(release, file.name));
      expect(file).toMatchObject({ bytes: bytes.length, sha256: sha256(bytes) });
    }
    const data = files.slice(0, 3);
    const croissant = await json("croissant.json");
    expect(croissant.conformsTo).toBe("http://mlcommons.org/croissant/1.0");
    expect(croissant.distribution.map((one: { sha256: string }) => one.sha256)).toEqual(
      data.map((file) => file.sha256),
    );
    expect(croissant.distribution[0].contentUrl).toBe(
      "https://releases.example.org/releases/sample-0123456789/data.parquet",
    );
    const rows = croissant.recordSet.find((one: { name: string }) => one.name === "rows");
    expect(rows.field.map((one: { dataType: string }) => one.dataType)).toEqual([
      "sc:Float",
      "sc:Float",
      "sc:Text",
    ]);
    const datapackage = await json("datapackage.json");
    expect(datapackage.resources.map((one: { hash: string }) => one.hash)).toEqual(
      data.map((file) => `sha256:${file.sha256}`),
    );
    expect(datapackage.resources[1].schema.fields[2].constraints.enum).toEqual(["benign", "malignant"]);
    expect(await json("model.json")).toEqual(sampleContent().model);
    const { model: _model, ...description } = sampleContent();
    expect(readDatapackage(await text("datapackage.json"))).toEqual({
      ok: true,
      value: { description, model: null },
    });
  });

  it("has no data files when it has no columns", async () => {
    const { files, json, text } = await render(sampleContent({ columns: [], rows: 0 }), []);
    expect(files.map((file) => file.name)).toEqual([
      "model.json",
      "result.json",
      "CITATION.cff",
      "croissant.json",
      "datapackage.json",
      "ro-crate-metadata.json",
      "DICTIONARY.md",
      "README.md",
    ]);
    expect((await json("croissant.json")).recordSet).toEqual([]);
    expect(await text("README.md")).not.toContain("data.parquet");
  });

  it("has empty data files when it has columns and no rows", async () => {
    const { release, text } = await render(sampleContent({ rows: 0 }), []);
    expect(await text("data.csv")).toBe("pc1,pc2,diagnosis\r\n");
    const parquet = await parquetRows(join(release, "data.parquet"));
    expect([parquet.names, parquet.rows]).toEqual([["pc1", "pc2", "diagnosis"], []]);
  });

  it("says its privacy first, and how to read it by its URL", async () => {
    const { text } = await render(sampleContent(), sampleRows);
    const [readme, dictionary] = [await text("README.md"), await text("DICTIONARY.md")];
    expect(readme.split("\n")[2]).toBe(`> **Privacy.** ${sampleContent().privacyStatement}`);
    const url = "https://releases.example.org/releases/sample-0123456789/data.parquet";
    expect(readme.indexOf("read.csv(paste0(")).toBeGreaterThan(0);
    expect(readme.indexOf(`read_parquet("${url}")`)).toBeGreaterThan(readme.indexOf("read.csv(paste0("));
    expect(dictionary).toContain(`read_parquet('${url}')`);
    expect(dictionary).toContain("| pc1 | number (float64) | 1 | First component |  |");
    expect(dictionary).toContain("| diagnosis | text |  | What it was | benign, malignant |");
    const closed = await (await render(sampleContent({ access: "token" }), sampleRows)).text("README.md");
    expect(closed).toContain("CONSILIUM_TOKEN");
    expect(closed).not.toContain(`pd.read_parquet("${url}")`);
  });

  it("gives privacy in figures, an ε never without its verdict", async () => {
    const claimed = await (await render(sampleContent(), sampleRows)).text("DICTIONARY.md");
    expect(claimed).toContain("| Verdict | claimed by the authors, not verified |");
    expect(claimed).toContain("| Epsilon | the authors claim 1 at delta 0.01; no bound is proven |");
    expect(claimed).toContain("| Countersigned | by 3 of 3 sites |");
    const privacy = {
      ...sampleContent().privacy,
      verdict: "proved" as const,
      epsilon: 0.98761234,
      neighbouringRelation: "one record added or removed",
      proof: "docs/METHODS.md#x",
      reasons: [],
      countersigned: { by: 4, of: 5 },
    };
    const proved = await (await render(sampleContent({ privacy }), sampleRows)).text("DICTIONARY.md");
    expect(proved).toContain("| Verdict | proved |");
    expect(proved).toContain(
      '| Epsilon | at most 0.9877 (0.98761234) at delta 0.01, recomputed by "consilium release verify"',
    );
    expect(proved).toContain("| Protects | one record of one site (one record added or removed) |");
    expect(proved).toContain("| Countersigned | by 4 of 5 sites |");
  });

  it("shows markup in the content as text", async () => {
    const hostile = "<img src=x onerror=alert(1)> [a](javascript:b) | `c` **d** https://evil.example\n\n# e";
    const content = sampleContent({
      title: hostile,
      description: hostile,
      privacyStatement: hostile,
      privacy: { ...sampleContent().privacy, unit: hostile, neighbouringRelation: hostile, proof: hostile },
      notes: [hostile],
      columns: [{ name: hostile, type: "number", description: hostile, unit: "|" }],
      rows: 1,
    });
    const { text } = await render(content, [[1]]);
    const [readme, dictionary] = [await text("README.md"), await text("DICTIONARY.md")];
    for (const page of [readme.replace("[DICTIONARY.md](DICTIONARY.md)", ""), dictionary]) {
      expect(page).not.toMatch(/(^|[^\\])<img/);
      expect(page).not.toMatch(/(^|[^\\])\]\(/);
      expect(page).not.toMatch(/^# e/m);
      expect(page).not.toContain("https://evil");
    }
    const line = dictionary.split("\n").find((one) => one.includes("number (float64)"))!;
    // Five cells, whatever the content says.
    expect(line.replace(/\\\|/g, "").split("|").length).toBe(7);
  });

  it.each([
    ["NaN", [[1, Number.NaN, "benign"]], /row 1, column "pc2": the value is not a finite number/],
    [
      "infinity",
      [
        [1, 2, "benign"],
        [Number.POSITIVE_INFINITY, 2, "benign"],
      ],
      /row 2, column "pc1"/,
    ],
    [
      "an index beyond the levels",
      [[1, 2, 2]],
      /row 1, column "diagnosis": the value is not one of its levels/,
    ],
  ] as const)("refuses %s", async (_what, rows, message) => {
    const content = sampleContent({ rows: rows.length });
    await expect(render(content, rows)).rejects.toMatchObject({
      code: "DEPOSIT_INVALID",
      message: expect.stringMatching(message),
    });
  });

  it("writes a missing number as an empty cell and as null, in a column that may lack one and in no other", async () => {
    const [first, second, level] = sampleContent().columns;
    const columns = [
      { ...first!, mayBeMissing: true as const },
      second!,
      level!,
    ] as ReleaseContent["columns"];
    const rows = [
      [Number.NaN, 2, "benign"],
      [-0.5, 3, "malignant"],
    ];
    const { release, text, json } = await render(sampleContent({ columns, rows: 2 }), rows);
    expect(parseCsv(await text("data.csv")).slice(1)).toEqual([
      ["", "2", "benign"],
      ["-0.5", "3", "malignant"],
    ]);
    expect((await parquetRows(join(release, "data.parquet"))).rows).toEqual([
      [null, 2, "benign"],
      [-0.5, 3, "malignant"],
    ]);
    expect(await text("DICTIONARY.md")).toContain("number (float64), or empty");
    const { resources } = (await json("datapackage.json")) as {
      resources: { schema?: { missingValues: string[]; fields: { constraints: { required: boolean } }[] } }[];
    };
    const { schema } = resources.find((one) => one.schema !== undefined)!;
    expect(schema!.missingValues).toEqual([""]);
    expect(schema!.fields.map(({ constraints }) => constraints.required)).toEqual([false, true, true]);
    const infinite = [[Number.POSITIVE_INFINITY, 2, "benign"]];
    await expect(render(sampleContent({ columns, rows: 1 }), infinite)).rejects.toMatchObject({
      code: "DEPOSIT_INVALID",
    });
  });

  it("refuses rows that end too early", async () => {
    const content = sampleContent();
    const bytes = rowBytesOf(content, sampleRows).subarray(0, 30);
    await expect(render(content, [], bytes)).rejects.toMatchObject({ code: "DEPOSIT_INVALID" });
  });

  it("writes thousands of columns", async () => {
    const columns = Array.from({ length: 3_000 }, (_, index) => ({
      name: `c${index}`,
      type: "number" as const,
      description: "",
    }));
    const content = sampleContent({ columns, rows: 2 });
    const rows = [columns.map((_, index) => index), columns.map((_, index) => -index)];
    const { release } = await render(content, rows);
    expect((await parquetRows(join(release, "data.parquet"))).rows).toEqual(rows);
  });
});

describe("a release with tables of results", () => {
  const tables: ReleaseContent["tables"] = [
    {
      name: "table-one",
      title: "Table *one*",
      description: "What people print.",
      columns: [
        { name: "variable", type: "text", description: "The column." },
        { name: "ill: yes", type: "text", description: "A group." },
      ],
      rows: [
        ["age, years", "61 (12)"],
        ["sex", null],
      ],
      isShown: true,
    },
    {
      name: "summary",
      title: "Summary",
      description: "With intervals.",
      columns: [
        { name: "variable", type: "text", description: "The column." },
        { name: "low", type: "number", description: "Where its interval begins." },
      ],
      rows: [
        ["age", 0.1],
        ["sex", null],
      ],
      isShown: false,
    },
  ];
  const content = sampleContent({ columns: [], rows: 0, tables });

  it("has each as CSV and as Parquet, with its types and empty cells, and all for its page", async () => {
    const { files, text, json, release } = await render(content, []);
    expect(files.map(({ name }) => name).slice(0, 6)).toEqual([
      "model.json",
      "table-one.csv",
      "table-one.parquet",
      "summary.csv",
      "summary.parquet",
      "tables.json",
    ]);
    expect(await text("table-one.csv")).toBe('variable,ill: yes\r\n"age, years",61 (12)\r\nsex,\r\n');
    expect(await text("summary.csv")).toBe("variable,low\r\nage,0.1\r\nsex,\r\n");
    expect(await parquetRows(join(release, "summary.parquet"))).toMatchObject({
      rows: [
        ["age", 0.1],
        ["sex", null],
      ],
    });
    expect(await parquetRows(join(release, "table-one.parquet"))).toMatchObject({
      rows: [
        ["age, years", "61 (12)"],
        ["sex", null],
      ],
    });
    expect(await json("tables.json")).toEqual({ format: "consilium-tables/1", tables });
    const { resources } = await json("datapackage.json");
    expect(resources.find((one: { path: string }) => one.path === "summary.parquet")).toMatchObject({
      type: "table",
      description: "With intervals.",
      schema: {
        fields: [
          { name: "variable", type: "string" },
          { name: "low", type: "number" },
        ],
      },
    });
    const described = readDatapackage(await text("datapackage.json"));
    expect(described.ok && "tables" in described.value.description).toBe(false);
  });

  it("shows in its README those for people, and describes each column of all in the dictionary", async () => {
    const readme = await (await render(content, [])).text("README.md");
    expect(readme).toContain("## Table \\*one\\*");
    expect(readme).toContain("| age, years | 61 (12) |");
    expect(readme).not.toContain("## Summary");
    const dictionary = await (await render(content, [])).text("DICTIONARY.md");
    expect(dictionary).toContain("## Summary\n\n`summary.csv`, `summary.parquet`");
    expect(dictionary).toMatch(/\| low \| number \| .+ \|/);
  });

  it("rounds an estimate in its README to what its interval bears, and in its files to nothing", async () => {
    const number = (name: string) => ({ name, type: "number" as const, description: name });
    const [, summary] = tables;
    const estimates = {
      ...summary!,
      columns: [
        ...["records", "median", "median_low", "median_high"].map(number),
        ...["coefficient", "std_error", "ci_low", "ci_high"].map(number),
      ],
      rows: [[4908, 17.204391, 16.9182, 17.5031, 0.0512345678, 0.012345678, 0.0270361, 0.0754328]],
      isShown: true,
    };
    const { text } = await render(sampleContent({ columns: [], rows: 0, tables: [estimates] }), []);
    expect(await text("README.md")).toContain(
      "| 4908 | 17.20 | 16.92 | 17.50 | 0.051 | 0.0123 | 0.027 | 0.075 |",
    );
    expect(await text("summary.csv")).toContain("17.204391,16.9182,17.5031,0.0512345678,0.012345678");
  });

  it.each<[string, object]>([
    ["a row without a cell for each column", { rows: [["age"]] }],
    ["a text where a number belongs", { rows: [["age", "much"]] }],
    ["a formula", { rows: [["=1+1", 1]] }],
    ["a name that is taken", { name: "data" }],
  ])("is refused with %s", (_, change) => {
    const parse = (table: object) =>
      releaseContentSchema.safeParse({ ...content, tables: [{ ...tables[1], ...table }] }).success;
    expect(parse(change)).toBe(false);
    expect(parse({})).toBe(true);
  });
});

describe("a release with a model", () => {
  const predictor = sampleTrees("logistic", { isXgboost: true, depth: 3 });
  const point = (x: number) => ({ x, y: x * x, low: x * x - 0.1, high: x * x + 0.1 });
  const figures: ReleaseContent["figures"] = [
    {
      kind: "bars",
      name: "importance",
      title: "Importance",
      valueLabel: "gain",
      bars: [
        { label: 'a <b> & "c"', value: 2, low: 1, high: 3 },
        { label: "negative", value: -1, low: null, high: null },
      ],
    },
    {
      kind: "curves",
      name: "roc",
      title: "ROC",
      xLabel: "x",
      yLabel: "y",
      series: [{ label: "model", style: "line-points", points: [0, 0.5, 1].map(point) }],
    },
    { kind: "tree", name: "first-tree", title: "The first tree", tree: 0 },
  ];
  const card: ReleaseContent["card"] = {
    predicts: "Which of two.",
    trainedOn: "Rows of three sites.",
    evaluation: {
      method: "Measured once.",
      rows: 101.4,
      majority: 0.61,
      measures: [{ name: "accuracy", value: 0.9, low: 0.85, high: 0.94 }],
    },
    limits: ["Not for *this*."],
  };
  const content = sampleContent({ columns: [], rows: 0, predictor, figures, card });

  it("has it as ONNX and as XGBoost's JSON, and its figures in a folder", async () => {
    const { files, json, text } = await render(content, []);
    expect(files.map(({ name }) => name)).toEqual([
      "model.json",
      "model.onnx",
      "model.xgb.json",
      "plots/importance.svg",
      "plots/roc.svg",
      "plots/first-tree.svg",
      "figures.json",
      "result.json",
      "CITATION.cff",
      "croissant.json",
      "datapackage.json",
      "ro-crate-metadata.json",
      "DICTIONARY.md",
      "README.md",
    ]);
    const { resources } = await json("datapackage.json");
    const kinds = resources.map((one: Record<string, string>) => [one.name, one.mediatype, one.encoding]);
    expect(kinds).toEqual([
      ["model-json", "application/json", "utf-8"],
      ["model-onnx", "application/octet-stream", undefined],
      ["model-xgb-json", "application/json", "utf-8"],
      ["plots-importance-svg", "image/svg+xml", "utf-8"],
      ["plots-roc-svg", "image/svg+xml", "utf-8"],
      ["plots-first-tree-svg", "image/svg+xml", "utf-8"],
      ["figures-json", "application/json", "utf-8"],
    ]);
    expect((await json("croissant.json")).distribution).toHaveLength(7);
    expect((await json("model.xgb.json")).learner.objective.name).toBe("binary:logistic");
    const described = readDatapackage(await text("datapackage.json"));
    expect(described.ok && described.value.description.card).toEqual(card);
  });

  it("says in its dictionary what the card says, and how to run the model", async () => {
    const readme = await (await render(content, [])).text("DICTIONARY.md");
    expect(readme).toContain("## Model card");
    expect(readme).toContain("| accuracy | 0.900 | 0.850 to 0.940 |");
    expect(readme).toContain("| always the most frequent class | 0.610 |  |");
    expect(readme).toContain("- Not for \\*this\\*.");
    expect(readme).toContain('session = onnxruntime.InferenceSession("model.onnx")');
    expect(readme).toContain("xgboost.Booster");
    expect(readme).toContain("![ROC](plots/roc.svg)");
  });

  it("has figures that escape what they are told and run nothing", async () => {
    const { text } = await render(content, []);
    for (const { name } of figures) {
      const svg = await text(`plots/${name}.svg`);
      expect(svg).toContain("prefers-color-scheme: dark");
      expect(svg).toMatch(/<title id="title">[^<]+<\/title>\n<desc id="description">[^<]+<\/desc>/);
      expect(svg).not.toMatch(/<script|href|on[a-z]+=|NaN|Infinity|undefined/);
    }
    expect(await text("plots/importance.svg")).toContain("a &lt;b&gt; &amp; &quot;c&quot;");
    expect(await text("plots/first-tree.svg")).toContain(">yes<");
  });

  it("is refused where its parts do not fit together", () => {
    const faults = (change: Partial<ReleaseContent>) => () =>
      sampleContent({ predictor, figures, ...change });
    expect(faults({})).not.toThrow();
    expect(faults({ figures: [...figures, figures[1]!] })).toThrow("two figures have one name");
    expect(faults({ figures: [{ kind: "tree", name: "t", title: "t", tree: 12 }] })).toThrow(
      "a tree that the predictor has not",
    );
    const changed = (nodes: (typeof predictor.trees)[number]["nodes"]) =>
      faults({ predictor: { ...predictor, trees: [{ nodes }] }, figures: [] });
    const leaf = { kind: "leaf" as const, values: [1], cover: 1 };
    const split = { kind: "split" as const, feature: 0, cut: 0, gain: 1, cover: 1, left: 1, right: 2 };
    expect(changed([split, leaf, leaf])).not.toThrow();
    expect(changed([{ ...split, right: 1 }, leaf])).toThrow("two later nodes");
    expect(changed([{ ...split, cut: 5 }, leaf, leaf])).toThrow("no cut");
    // A set of levels is a cut of a category alone: of the third input's three levels.
    const ofLevels = (cut: number[], isXgboost = false) => {
      const nodes = [{ ...split, feature: 2, cut }, leaf, leaf];
      return faults({ predictor: { ...predictor, isXgboost, trees: [{ nodes }] }, figures: [] });
    };
    expect(ofLevels([0, 2])).not.toThrow();
    expect(ofLevels([0, 2], true)).toThrow("no splits by sets of levels");
    for (const wrong of [
      [2, 0],
      [0, 0],
      [0, 3],
      [0, 1, 2],
    ])
      expect(ofLevels(wrong)).toThrow("no cut");
    expect(changed([{ ...split, cut: [0] }, leaf, leaf])).toThrow("no cut");
    expect(changed([split, leaf, leaf, leaf])).toThrow("not one tree");
    expect(changed([{ ...leaf, values: [1, 2] }])).toThrow("another number of values");
    const map = sampleMap("unit");
    expect(faults({ predictor: map, figures: [] })).not.toThrow();
    expect(faults({ predictor: { ...map, matrix: [1] }, figures: [] })).toThrow("matrix is not 3 × 9");
  });
});

describe("a release with curves", () => {
  const around = { low: -0.5, high: 1.5 };
  const figures: ReleaseContent["figures"] = [
    {
      kind: "curves",
      name: "curve-1",
      title: "What age adds",
      xLabel: "age (years)",
      yLabel: "log-odds",
      exponential: { label: "odds ratio" },
      series: [
        {
          label: "curve",
          style: "band",
          points: [0, 40, 40, 90].map((x, i) => ({ x, y: i < 2 ? 0 : 1, ...around })),
        },
        { label: "mean", style: "reference", points: [{ x: 0, y: 0, low: null, high: null }] },
      ],
    },
    {
      kind: "bars",
      name: "curve-2",
      title: "What the ward adds",
      valueLabel: "log-odds",
      exponential: { label: "odds ratio" },
      bars: [{ label: "heart", value: 1, ...around }],
    },
  ];
  const curves: ReleaseContent["curves"] = [
    { feature: "age, in years", bins: [{ from: 0, to: 40, logOdds: -0, stdDev: 0.25 }] },
    { feature: "ward", bins: [{ level: 'so-called "heart"', logOdds: 0.1, stdDev: 0 }] },
  ];
  const content = sampleContent({
    columns: [],
    rows: 0,
    predictor: sampleTrees("logistic"),
    figures,
    curves,
  });

  it("has them as CSV, with their schema in the Data Package", async () => {
    const { files, json, text } = await render(content, []);
    expect(files.map(({ name }) => name)).toContain("curves.csv");
    expect(await text("curves.csv")).toBe(
      'feature,from,to,level,log_odds,std_dev\r\n"age, in years",0,40,,-0.0,0.25\r\nward,,,"so-called ""heart""",0.1,0\r\n',
    );
    const { resources, consilium } = await json("datapackage.json");
    const resource = resources.find(({ path }: { path: string }) => path === "curves.csv");
    expect(resource).toMatchObject({ type: "table", mediatype: "text/csv", dialect: { header: true } });
    expect(resource.schema.fields.map(({ name }: { name: string }) => name)).toEqual([
      "feature",
      "from",
      "to",
      "level",
      "log_odds",
      "std_dev",
    ]);
    expect(consilium.curves).toBeUndefined();
    expect(await text("DICTIONARY.md")).toContain("curves.csv");
  });

  it("draws each with its band, the odds ratio beside the log-odds, and says it all in words", async () => {
    const { text } = await render(content, []);
    const curve = await text("plots/curve-1.svg");
    expect(curve.match(/<polygon class="band f0"/g)).toHaveLength(1);
    expect(curve).toContain(">odds ratio<");
    // e^1.5 on the right of 1.5.
    expect(curve).toContain(">1.5<");
    expect(curve).toContain(">4.48<");
    expect(curve).toContain("(0, 0, from -0.5 to 1.5) (40, 0, from -0.5 to 1.5) (40, 1, from -0.5 to 1.5)");
    expect(curve).toContain("On the right, their exponentials: odds ratio.");
    const bars = await text("plots/curve-2.svg");
    expect(bars).toContain(">odds ratio<");
    expect(bars).toContain(">4.48<");
    for (const svg of [curve, bars]) expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("parts whose files cannot be written", () => {
  const named = (part: string) => ({
    code: "result.lacks",
    params: {
      part: { code: `result.part.${part}`, params: {} },
      reason: { code: "result.reason.unwritten", params: {} },
    },
  });

  it("are named together, and nothing is rendered without them", async () => {
    const content = {
      ...sampleContent(),
      predictor: { ...sampleTrees("logistic"), trees: [{ nodes: null }] },
      figures: [{ kind: "unknown", name: "odd", title: "Odd" }],
    } as unknown as ReleaseContent;
    const refusal = await render(content, sampleRows).catch((thrown: unknown) => thrown as ConsiliumError);
    expect(refusal).toMatchObject({ code: "RESULT_INCOMPLETE" });
    expect(readSaid((refusal as ConsiliumError).message)).toEqual({
      code: "result.unwritten",
      params: { missing: [named("predictor"), named("figures")] },
    });
  });

  it("are said in the README of a release that was accepted without them", async () => {
    const missing = [
      { part: "test", reason: "fault" },
      { part: "figures", reason: "unwritten" },
    ];
    const content = releaseContentSchema.parse({ ...sampleContent(), missing });
    const { text } = await render(content, sampleRows);
    expect(await text("README.md")).toContain(
      "> **Missing.** This release lacks a part of what the study asked for: the statistical test (its computation failed) and the figures (its files could not be written).",
    );
  });
});
