/** An analyst's own tools read a release by its URL, and see the very values that were deposited. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Cell, rowBytesOf, sampleContent } from "@consilium/publisher/testRelease";
import { addReaderToken } from "@consilium/runtime/release/readerTokens";
import { afterAll, beforeAll, expect, it } from "vitest";
import { requirePython } from "../support/python.js";
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
  expect((await python.run(script, [token])).trim()).toBe(expected);
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
  expect((await python.run(script)).trim()).toBe(expected);
});
