/** An analyst's own tools read a release by its URL, and see the very values that were deposited. */
import { createHash } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { releaseViewSchema, type Snippet } from "@consilium/core/release/views";
import { predictRow } from "@consilium/core/testing/release/predict";
import { sampleTrees } from "@consilium/publisher/testing/formats/predictors";
import { type Cell, rowBytesOf, sampleContent } from "@consilium/publisher/testing/release";
import { addReaderToken } from "@consilium/runtime/release/readerTokens";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requirePython, systemPython } from "../support/python.js";
import { runR } from "../support/r.js";
import { type PublisherProcess, type TestNetwork, testNetwork } from "./network.js";

const levels = ["benign", "", "NA", 'quoted "x", y', "two\r\nlines", "größe"];
const columns = [
  { name: "pc 1", type: "number" as const, description: "first" },
  { name: 'pc "2"', type: "number" as const, description: "second" },
  { name: "label", type: "level" as const, description: "what it was", levels },
];
const rows = Array.from({ length: 4_000 }, (_, row): Cell[] => [
  Math.sin(row) * 10 ** ((row % 620) - 315),
  row === 0 ? -0 : 1 / row,
  levels[row % levels.length]!,
]);
const content = sampleContent({ columns, rows: rows.length });
const closed = sampleContent({ id: "closed-0123456789", columns, rows: rows.length, access: "token" });

/** SHA-256 over each row's float64 bits and its label, as `digestScript` computes it in Python. */
function digestOf(all: readonly (readonly Cell[])[]): string {
  const hash = createHash("sha256");
  for (const [a, b, label] of all) {
    const bits = Buffer.alloc(16);
    bits.writeDoubleLE(Number(a), 0);
    bits.writeDoubleLE(Number(b), 8);
    hash.update(bits).update(String(label)).update("\0");
  }
  return hash.digest("hex");
}

const digestScript = `
import hashlib, struct, sys
def digest(names, rows):
    assert list(names) == ["pc 1", 'pc "2"', "label"], names
    h = hashlib.sha256()
    for a, b, label in rows:
        assert type(label) is str, type(label)
        h.update(struct.pack("<dd", a, b)); h.update(label.encode()); h.update(b"\\0")
    print(h.hexdigest())
`;

const predictor = sampleTrees("logistic", { isXgboost: true });
const model = sampleContent({ id: "model-0123456789", columns: [], rows: 0, predictor });
const closedModel = sampleContent({
  id: "shut-0123456789",
  columns: [],
  rows: 0,
  predictor,
  access: "token",
});
const tables = ["coefficients", "table-one"].map((name, index) => ({
  name,
  title: name,
  description: "a table of results",
  columns: [
    { name: "variable", type: "text" as const, description: "which" },
    { name: "estimate", type: "number" as const, description: "its value" },
  ],
  rows: [
    ["age", 0.1 + index],
    ["NA", null],
  ],
  isShown: index === 0,
}));
const tabled = sampleContent({ id: "tables-0123456789", columns: [], rows: 0, tables });
const closedTables = sampleContent({
  id: "locked-0123456789",
  columns: [],
  rows: 0,
  tables,
  access: "token",
});
/** What each model's example row is: the middle of bounds, the first level that stands for a value. */
const exampleRow = Object.fromEntries(
  predictor.inputs.map((input) => [
    input.name,
    input.type === "numeric"
      ? (input.min + input.max) / 2
      : input.levels.find((_, i) => i !== input.missing)!,
  ]),
);

let network: TestNetwork;
let publisher: PublisherProcess;
let url: string;
let closedUrl: string;
const expected = digestOf(rows);

beforeAll(async () => {
  network = await testNetwork();
  publisher = await network.start(await network.makePublisher());
  const data = rowBytesOf(content, rows);
  url = (await network.deposit(publisher, content, data)).url;
  closedUrl = (await network.deposit(publisher, closed, data)).url;
  await network.deposit(publisher, model, Buffer.alloc(0));
  await network.deposit(publisher, closedModel, Buffer.alloc(0));
  await network.deposit(publisher, tabled, Buffer.alloc(0));
  await network.deposit(publisher, closedTables, Buffer.alloc(0));
});
afterAll(() => network?.close());

it("the digest tells a change of one bit", () => {
  const changed = rows.map((row, index) => (index === 0 ? [row[0]!, 0, row[2]!] : row));
  expect(digestOf(changed)).not.toBe(expected);
});

it("pandas.read_parquet(url)", async (context) => {
  const python = requirePython(context, ["pandas", "pyarrow"]);
  const script = `${digestScript}
import pandas as pd
rows = pd.read_parquet(sys.argv[1])
assert [str(t) for t in rows.dtypes[:2]] == ["float64", "float64"], rows.dtypes
digest(rows.columns, rows.itertuples(index=False, name=None))
`;
  expect((await python.run(script, [`${url}data.parquet`])).trim()).toBe(expected);
});

it("pandas.read_csv(url), with the same values as the Parquet file", async (context) => {
  const python = requirePython(context, ["pandas"]);
  const script = `${digestScript}
import pandas as pd
rows = pd.read_csv(sys.argv[1], keep_default_na=False, float_precision="round_trip")
digest(rows.columns, rows.itertuples(index=False, name=None))
`;
  expect((await python.run(script, [`${url}data.csv`])).trim()).toBe(expected);
});

it("pyarrow reads it over HTTP, in ranges", async (context) => {
  const python = requirePython(context, ["pyarrow", "fsspec", "aiohttp"]);
  const script = `${digestScript}
import fsspec, pyarrow.parquet as pq
with fsspec.open(sys.argv[1], "rb", block_size=4096) as f:
    assert f.size > 0 and f.seekable()
    table = pq.read_table(f)
assert [str(t) for t in table.schema.types] == ["double", "double", "string"], table.schema
digest(table.column_names, zip(*[c.to_pylist() for c in table.columns]))
`;
  expect((await python.run(script, [`${url}data.parquet`])).trim()).toBe(expected);
});

it("DuckDB's Python client reads the downloaded file", async (context) => {
  const python = requirePython(context, ["duckdb"]);
  const path = join(network.folder, "downloaded.parquet");
  await writeFile(path, Buffer.from(await (await fetch(`${url}data.parquet`)).arrayBuffer()));
  const script = `${digestScript}
import duckdb
r = duckdb.sql(f"SELECT * FROM read_parquet('{sys.argv[1]}')")
digest(r.columns, r.fetchall())
`;
  expect((await python.run(script, [path])).trim()).toBe(expected);
});

/** Of what was printed: the code itself prints first. */
const lastLine = (printed: string): string => printed.trim().split("\n").at(-1)!;

it("the README's code for a release that needs a token works as it stands", async (context) => {
  const python = requirePython(context, ["pandas", "pyarrow"]);
  const { token } = await addReaderToken(publisher.state, {
    release: closed.id,
    label: "analyst",
    now: Date.now(),
  });
  const headers = { authorization: `Bearer ${token}` };
  const readme = await (await fetch(`${closedUrl}README.md`, { headers })).text();
  const code = /```python\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  expect(code).toContain("CONSILIUM_TOKEN");
  const script = `
import os, sys
os.environ["CONSILIUM_TOKEN"] = sys.argv[1]
${code}
${digestScript}
digest(rows.columns, rows.itertuples(index=False, name=None))
`;
  expect(lastLine(await python.run(script, [token]))).toBe(expected);
  await expect(python.run(script, ["wrong"])).rejects.toThrow(/401/);
});

it("the README's code for an open release works as it stands", async (context) => {
  const python = requirePython(context, ["pandas", "pyarrow"]);
  const readme = await (await fetch(`${url}README.md`)).text();
  const code = /```python\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const script = `${code}
${digestScript}
digest(rows.columns, rows.itertuples(index=False, name=None))
`;
  expect(lastLine(await python.run(script))).toBe(expected);
});

describe("the code on a release's page works as it stands", () => {
  const readerToken = async () => {
    const asked = { release: "*", label: "analyst of code", now: Date.now() };
    return (await addReaderToken(publisher.state, asked)).token;
  };

  async function snippetOf(release: string, id: Snippet["id"], token?: string): Promise<string> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await fetch(`${publisher.http}/api/releases/${release}`, { headers });
    const found = releaseViewSchema.parse(await answer.json()).snippets.find((one) => one.id === id);
    return found?.code ?? "";
  }

  /** Runs code in an empty folder of its own. */
  const script = (code: string, shown: string) =>
    `import os, sys, tempfile\nos.chdir(tempfile.mkdtemp())\nos.environ["CONSILIUM_TOKEN"] = sys.argv[1]\n${code}\n${shown}`;

  it("pandas, open and with a token", async (context) => {
    const python = requirePython(context, ["pandas", "pyarrow"]);
    const token = await readerToken();
    const shown = `${digestScript}\ndigest(rows.columns, rows.itertuples(index=False, name=None))`;
    for (const [release, given] of [
      [content.id, undefined],
      [closed.id, token],
    ] as const) {
      const code = await snippetOf(release, "pandas", given);
      expect(lastLine(await python.run(script(code, shown), [token]))).toBe(expected);
    }
  });

  it("pandas, tables of results, open and with a token", async (context) => {
    const python = requirePython(context, ["pandas", "pyarrow"]);
    const token = await readerToken();
    const shown = [
      "import json",
      "found = {n: t.where(t.notna(), None).values.tolist() for n, t in tables.items()}",
      'print("found " + json.dumps(found))',
    ].join("\n");
    for (const [release, given] of [
      [tabled.id, undefined],
      [closedTables.id, token],
    ] as const) {
      const code = await snippetOf(release, "pandas", given);
      const printed = await python.run(script(code, shown), [token]);
      const found = JSON.parse(/^found (.*)$/m.exec(printed)![1]!.replaceAll("NaN", "null"));
      expect(found).toEqual(Object.fromEntries(tables.map((table) => [table.name, table.rows])));
    }
  });

  it("DuckDB, tables of results from the downloaded files", async (context) => {
    const python = requirePython(context, ["duckdb"]);
    const code = await snippetOf(tabled.id, "duckdb");
    const local = code.split("-- From the downloaded files:\n")[1]!.split("\n");
    expect(local).toHaveLength(tables.length);
    const base = `${publisher.http}/releases/${tabled.id}/`;
    const shown = [
      "import urllib.request, duckdb",
      ...tables.map(({ name }) => `urllib.request.urlretrieve("${base}${name}.parquet", "${name}.parquet")`),
      ...local.map((query) => `print(duckdb.sql(${JSON.stringify(query)}).fetchall())`),
    ].join("\n");
    expect((await python.run(script("", shown), [""])).trim().split("\n")).toEqual([
      "[('age', 0.1), ('NA', None)]",
      "[('age', 1.1), ('NA', None)]",
    ]);
  });

  it("DuckDB, from the downloaded file", async (context) => {
    const python = requirePython(context, ["duckdb"]);
    const code = await snippetOf(content.id, "duckdb");
    const [remote, local] = code.split("-- From the downloaded files:\n");
    expect(remote).toContain(`read_parquet('${url}data.parquet')`);
    const shown = [
      "import urllib.request, duckdb",
      `urllib.request.urlretrieve("${url}data.parquet", "data.parquet")`,
      digestScript,
      `r = duckdb.sql(${JSON.stringify(local)})`,
      "digest(r.columns, r.fetchall())",
    ].join("\n");
    expect((await python.run(script("", shown), [""])).trim()).toBe(expected);
  });

  it("ONNX Runtime, open and with a token", async (context) => {
    const python = requirePython(context, ["onnxruntime", "pandas"]);
    const token = await readerToken();
    const ours = predictRow(predictor, exampleRow);
    for (const [release, given] of [
      [model.id, undefined],
      [closedModel.id, token],
    ] as const) {
      const code = await snippetOf(release, "onnxruntime", given);
      const printed = await python.run(script(code, "print(labels[0][0], probabilities[0][1])"), [token]);
      const [label, probability] = lastLine(printed).split(" ");
      expect(label).toBe(predictor.label.levels[ours.predicted]);
      expect(Number(probability)).toBeCloseTo(ours.probabilities[1]!, 6);
    }
  });

  it("XGBoost", async () => {
    const code = await snippetOf(model.id, "xgboost");
    expect(code).toContain(`${publisher.http}/releases/${model.id}/model.xgb.json`);
    // Where the system has no XGBoost, that its file is right another test says.
    const python = systemPython(["xgboost", "numpy"]);
    if (python === null) return;
    const printed = await python.run(script(code, "print(probabilities[0])"), [""]);
    const probability = Number(lastLine(printed));
    expect(probability).toBeCloseTo(predictRow(predictor, exampleRow).probabilities[1]!, 5);
  });

  it("base R, open and with a token, every value to fifteen digits and every text", async (context) => {
    const token = await readerToken();
    const shown = [
      'stopifnot(identical(names(rows), c("pc 1", "pc \\"2\\"", "label")))',
      'cat("found\\n")',
      'cat(sprintf("%.15g|%.15g|%s", rows[[1]], rows[[2]], gsub("[\r\n]+", "/", rows[[3]])), sep = "\\n")',
    ].join("\n");
    for (const [release, given] of [
      [content.id, undefined],
      [closed.id, token],
    ] as const) {
      const folder = await mkdtemp(join(network.folder, "r-"));
      const code = await snippetOf(release, "r", given);
      const printed = await runR(context, `${code}\n${shown}`, {
        folder,
        variables: { CONSILIUM_TOKEN: token },
      });
      const found = printed.split("found\n")[1]!.trimEnd().split("\n");
      expect(found).toHaveLength(rows.length);
      found.forEach((line, index) => {
        const [a, b, text] = line.split("|");
        const [x, y, label] = rows[index]!;
        for (const [read, value] of [
          [Number(a), Number(x)],
          [Number(b), Number(y)],
        ] as const)
          expect(Math.abs(read - value), `row ${index}`).toBeLessThanOrEqual(1e-13 * Math.abs(value));
        expect(text, `row ${index}`).toBe(String(label).replace(/[\r\n]+/g, "/"));
      });
    }
  });

  it("base R, tables of results, open and with a token", async (context) => {
    const token = await readerToken();
    for (const [release, given] of [
      [tabled.id, undefined],
      [closedTables.id, token],
    ] as const) {
      const folder = await mkdtemp(join(network.folder, "r-"));
      const code = await snippetOf(release, "r", given);
      const shown = 'for (table in tables) cat("found", table$variable, table$estimate, "\\n")';
      const printed = await runR(context, `${code}\n${shown}`, {
        folder,
        variables: { CONSILIUM_TOKEN: token },
      });
      expect(printed.split("\n").filter((line) => line.startsWith("found"))).toEqual([
        "found age NA 0.1 NA ",
        "found age NA 1.1 NA ",
      ]);
    }
  });
});
