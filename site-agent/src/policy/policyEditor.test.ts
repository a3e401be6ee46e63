import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { policySuggestion } from "@consilium/core/hospital/policySuggestion";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unresolvedTables } from "../data/tableSources.js";
import { defaultPolicy } from "./policy.js";
import { checkPolicy, PolicyEditor } from "./policyEditor.js";

let folder: string;
let path: string;
let now: number;
const tables = unresolvedTables([
  { name: "visits", unit: "rows" },
  { name: "stays", unit: { patient: { column: "person", maxRows: 3 } } },
]);
const editor = () => new PolicyEditor({ path, stateFolder: folder, now: () => now, tables });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "consilium-policy-"));
  path = join(folder, "policy.yaml");
  now = Date.parse("2026-05-06T07:08:09.010Z");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const apart = "populations: {visits: {tables: [visits], epsilon: 1}, stays: {tables: [stays], epsilon: 1}}\n";
const first = `# ours\nvariants: [sound]   # nothing else\n${apart}`;
const second = `# ours\nvariants: [sound, paper]\n${apart}`;

describe("saving a policy", () => {
  it("writes the text as it is, and keeps the version before it with who replaced it and when", async () => {
    await editor().save({ text: first, version: null, by: "anna" });
    expect(readFileSync(path, "utf8")).toBe(first);
    expect(await editor().history()).toEqual([]);
    const { version } = (await editor().read())!;
    await editor().save({ text: second, version, by: "b o/b" });
    expect(readFileSync(path, "utf8")).toBe(second);
    const [kept, ...older] = await editor().history();
    expect(older).toEqual([]);
    expect(kept).toMatchObject({
      replacedAt: "2026-05-06T07:08:09.010Z",
      replacedBy: "b-o-b",
      sha256: version,
    });
    expect((await editor().kept(kept!.id)).text).toBe(first);
  });

  it("refuses a text with faults, and leaves the file", async () => {
    writeFileSync(path, first);
    const { version } = (await editor().read())!;
    const saved = editor().save({ text: "variants: [all]\n", version, by: "anna" });
    await expect(saved).rejects.toMatchObject({ code: "POLICY_INVALID" });
    expect(readFileSync(path, "utf8")).toBe(first);
  });

  it("refuses when the file is another one than was edited, or is there by now, or gone", async () => {
    writeFileSync(path, first);
    const { version } = (await editor().read())!;
    writeFileSync(path, second);
    for (const edited of [version, null]) {
      const saved = editor().save({ text: first, version: edited, by: "anna" });
      await expect(saved).rejects.toMatchObject({ code: "POLICY_CHANGED" });
    }
    rmSync(path);
    const saved = editor().save({ text: first, version, by: "anna" });
    await expect(saved).rejects.toMatchObject({ code: "POLICY_CHANGED" });
  });

  it("lets one of two that save at once win", async () => {
    writeFileSync(path, first);
    const one = editor();
    const { version } = (await one.read())!;
    const outcomes = await Promise.allSettled([
      one.save({ text: second, version, by: "anna" }),
      one.save({ text: `${first}minimumSites: 4\n`, version, by: "bert" }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(readFileSync(path, "utf8")).toBe(second);
  });

  it("can repair a file that has faults", async () => {
    writeFileSync(path, "variants: [all]\n");
    const { version } = (await editor().read())!;
    await editor().save({ text: first, version, by: "anna" });
    expect(readFileSync(path, "utf8")).toBe(first);
  });

  it("leaves no other file, and the file's permissions as they were", async () => {
    writeFileSync(path, first);
    chmodSync(path, 0o640);
    const { version } = (await editor().read())!;
    await editor().save({ text: second, version, by: "anna" });
    expect(readdirSync(folder).sort()).toEqual(["policy-history", "policy.yaml"]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it("reads no file but kept versions", async () => {
    writeFileSync(join(folder, "secret.yaml"), "hush");
    await expect(editor().kept("../secret")).rejects.toMatchObject({ code: "ADDRESS_UNKNOWN" });
    await fc.assert(
      fc.asyncProperty(fc.string(), async (id) => {
        await expect(editor().kept(id)).rejects.toMatchObject({ code: "ADDRESS_UNKNOWN" });
      }),
      { numRuns: 50 },
    );
  });
});

describe("a policy that is edited", () => {
  it("is held against the tables: rows and patients are not counted together", async () => {
    const together = "populations: {all: {tables: [visits, stays], epsilon: 1}}\n";
    const [fault] = checkPolicy(together, tables).faults;
    expect(fault?.message).toMatch(/table visits by row and table stays by patient/);
    const saved = editor().save({ text: together, version: null, by: "anna" });
    await expect(saved).rejects.toMatchObject({ code: "POLICY_INVALID" });
    expect(checkPolicy(apart, tables).faults).toEqual([]);
  });

  it("shows every fault at its line", () => {
    const { policy, faults } = checkPolicy("minimumSite: 4\n\nvariants: [all]\n", tables);
    expect(policy).toBeNull();
    expect(faults).toEqual([
      { line: 1, message: "minimumSite is not a key here; did you mean minimumSites?" },
      { line: 3, message: "variants[0]: a variant is one of: sound, paper" },
    ]);
    expect(checkPolicy("a: [\n", tables).faults).toMatchObject([{ line: 2 }]);
    expect(checkPolicy(" \n", tables).faults).toMatchObject([{ line: null }]);
  });

  it("begins with what holds without a file", () => {
    const { policy } = checkPolicy(policySuggestion, unresolvedTables([]));
    expect(policy).toEqual({
      ...defaultPolicy,
      populations: { default: { tables: [], epsilon: 3, delta: 1e-6 } },
    });
  });
});
