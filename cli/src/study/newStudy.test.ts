import { mkdtemp, readFile, rm } from "node:fs/promises";
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
