import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Outcome {
  readonly ok: boolean;
  readonly studies: readonly {
    readonly analysis: string;
    readonly method: string;
    readonly variant: string;
    readonly sites: number;
    readonly verdict: string;
    readonly epsilon: number;
    readonly accuracy: number | null;
    readonly accuracyWithoutPrivacy: number | null;
    readonly facts: readonly {
      readonly value: number;
      readonly interval: { readonly high: number } | null;
      readonly truth: number;
    }[];
    readonly release: { readonly verified: boolean };
  }[];
}

/** Benign biopsies: what a constant answer would tell right. */
const majority = 0.627;

it("the demo runs every method over the network in both variants, and every release verifies", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "scripts/demo.ts", "--json"],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  const { ok, studies } = JSON.parse(stdout) as Outcome;
  expect(ok).toBe(true);
  expect(studies.map(({ analysis, method, variant }) => [analysis, method, variant])).toEqual([
    ["describe", "counts", "sound"],
    ["describe", "describe", "sound"],
    ["regression", "regression", "sound"],
    ["pca", "dp-pca", "sound"],
    ["pca", "elfed-pca", "paper"],
    ["feature-selection", "felp-a", "sound"],
    ["feature-selection", "felp", "paper"],
    ["boosted-trees", "dp-histboost", "sound"],
    ["boosted-trees", "cart-dps-adaboost", "paper"],
    ["k-anonymous-selection", "dp-ka", "sound"],
    ["k-anonymous-selection", "xgb-ka", "paper"],
    ["correlation-tree", "dp-pcc", "sound"],
    ["correlation-tree", "pearson-tree", "paper"],
    ["survival", "survival", "sound"],
    ["synthetic-table", "synthetic-table", "sound"],
  ]);
  for (const study of studies) {
    expect(study).toMatchObject({ sites: 4, release: { verified: true } });
    expect(study.verdict).toBe(verdictOf(study));
    // What is computed without noise is worth something, and so it is that method and no constant.
    const expected = factsOf(study.method);
    if (expected === 0) {
      expect(study.accuracyWithoutPrivacy).toBeGreaterThan(majority + 0.1);
      continue;
    }
    if (study.method !== "synthetic-table") expect(study.facts).toHaveLength(expected);
    else expect(study.facts.length).toBeGreaterThanOrEqual(expected);
    // Three times an interval of 95 % misses by a chance of 10^-8; means also by their intervals' widths.
    for (const { value, interval, truth } of study.facts) {
      const within = interval === null ? 0.3 * truth : 3 * (interval.high - value) + 0.05 * truth;
      expect(Math.abs(value - truth)).toBeLessThan(within);
    }
  }
});

/** Numbers that are shown of a release that predicts nothing: of each condition, column or arm, or of whichever tree at least. */
function factsOf(method: string): number {
  switch (method) {
    case "counts":
      return 3;
    case "describe":
      return 5;
    case "survival":
      return 2;
    case "synthetic-table":
      return 5;
    default:
      return 0;
  }
}

/** K-anonymity states no ε. */
function verdictOf({ method, variant }: { readonly method: string; readonly variant: string }): string {
  if (variant === "sound") return "proved";
  return method === "xgb-ka" ? "no privacy" : "claimed by the authors, not verified";
}
