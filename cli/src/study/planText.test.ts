import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { PlanView } from "@consilium/core/operator/views";
import { describe, expect, it } from "vitest";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));

const plan = (...argv: string[]) => planOf("four-hospitals.yaml", ...argv);

async function planOf(study: string, ...argv: string[]) {
  const io = capturedIo();
  expect(await runCli(["study", "plan", fixture(study), ...argv], io)).toBe(0);
  expect(io.err()).toBe("");
  return io.out();
}

describe("consilium study plan", () => {
  it("prints stages, disclosures, bytes, cost with its verdict, and warnings", async () => {
    expect(await plan()).toBe(await readFile(fixture("four-hospitals.plan.txt"), "utf8"));
  });

  it("prints a proven cost with its mechanism, unit and proof", async () => {
    const text = await planOf("four-hospitals-private.yaml");
    expect(text).toBe(await readFile(fixture("four-hospitals-private.plan.txt"), "utf8"));
    expect(text).toContain("proven");
  });

  it("gives programs what the aggregator's API gives", async () => {
    const view = JSON.parse(await plan("--json")) as PlanView;
    expect(view.stages.map((stage) => [stage.id, stage.kind, stage.length, stage.uploadBytes])).toEqual([
      ["moments", "sum", 4, 32],
      ["covariance", "sum", 6, 48],
      // Two float64 and a 16-bit label for each of at most 500 rows.
      ["projection", "rows", null, 500 * (2 * 8 + 2)],
    ]);
    expect(view.claim).toMatchObject({
      verdict: "claimed by the authors, not verified",
      epsilon: 0.5,
      delta: 1e-5,
    });
    expect(view.claim.reasons.length).toBeGreaterThan(0);
    expect(view.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(view.uploadBytesPerSite).toBeGreaterThanOrEqual(32 + 48 + 9000);
  });

  it("never prints an epsilon without its verdict", async () => {
    for (const line of (await plan()).split("\n")) {
      if (/epsilon/.test(line) && !/CLAIMED|covariance|rows/.test(line))
        expect(line).toContain("not verified");
    }
  });
});
