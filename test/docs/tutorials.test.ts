import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { tellIsolated } from "../../scripts/tutorials/isolated.js";
import { requirePython } from "../support/python.js";

/** Every command of every tutorial, by four people at once, on a federation of their own. */
it("tutorials show what their commands print", { timeout: 400_000 }, async (context) => {
  requirePython(context, ["pandas", "pyarrow", "fsspec", "aiohttp", "duckdb", "onnxruntime"]);
  const child = tellIsolated([], ["ignore", "pipe", "pipe"]);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [faults, report, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  expect(faults).toBe("");
  expect(code, report).toBe(0);
});
