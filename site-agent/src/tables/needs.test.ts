import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../testing/data/writeTable.js";
import { tableConfigSchema } from "../data/tableConfig.js";
import { needsOf } from "./needs.js";

const root = temporaryFolder();
const folder = join(root, "state");
for (const name of ["state", "elsewhere"]) mkdirSync(join(root, name));
symlinkSync(folder, join(root, "linked"));

const needs = (paths: readonly string[], from = folder) => {
  const tables = paths.map((path, i) =>
    tableConfigSchema.parse({ name: `t${i}`, unit: "rows", format: "csv", path, engine: "none" }),
  );
  return needsOf({ tables, engines: {} }, join(from, "config.yaml"), 1);
};

describe("tables beside the agent's keys", () => {
  it.each([
    ["the folder itself", ["."], folder],
    ["two files that begin alike, and as a key does", ["state", "state2.csv"], join(folder, "state*")],
    [
      "a file whose name begins the configuration's, and one more",
      ["c", "identit", "id"],
      join(folder, "id*"),
    ],
    ["two beside the state folder", ["../st", "../sta"], join(root, "st*")],
    [
      "two through a link",
      [join(root, "linked/state"), join(root, "linked/state2.csv")],
      join(folder, "state*"),
    ],
  ])("are refused: %s", async (_, paths, place) => {
    await expect(needs(paths)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: `table.beside-keys {"folder":${JSON.stringify(place)}}`,
    });
  });

  it("are refused where the files themselves lie elsewhere, and Node is given a pattern in the state folder", async () => {
    for (const name of ["state", "state2"]) symlinkSync(join(root, "elsewhere", name), join(folder, name));
    await expect(needs(["state", "state2"])).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("are read where no pattern permits a key", async () => {
    const { reads } = await needs(["own.csv", "own2.csv", "stat.csv", "../elsewhere"]);
    expect(reads).toContain(join(folder, "own.csv"));
  });
});
