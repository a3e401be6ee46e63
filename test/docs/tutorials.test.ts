import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { tellIsolated } from "../../scripts/tutorials/isolated.js";
import { python, requirePython } from "../support/python.js";

/** Every command of every tutorial, by four people at once, on a federation of their own. */
it("tutorials show what their commands print", async (context) => {
  const modules = ["pandas", "pyarrow", "fsspec", "aiohttp", "duckdb", "onnxruntime"];
  const env = { ...process.env };
  if (env.CONSILIUM_FORBID_SKIPS === "1") requirePython(context, modules);
  else if (python(modules) === null) {
    process.stderr.write("\nSKIPPED: the analyst's blocks of Python, because its modules are missing\n");
    delete env.CONSILIUM_PYTHON;
  }
  const child = tellIsolated([], { stdio: ["ignore", "pipe", "pipe"], env });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [faults, report, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  expect(faults).toBe("");
  expect(code, report).toBe(0);
});
