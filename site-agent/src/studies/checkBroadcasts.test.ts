import { ConsiliumError } from "@consilium/core/errors";
import type { StageId, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { BroadcastItem } from "@consilium/core/study/broadcast";
import { planStudy } from "@consilium/core/study/plan";
import { parseStudy } from "@consilium/methods/testing/studies";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { checkBroadcasts } from "./checkBroadcasts.js";

const id = "x-0123456789" as StudyId;
const plan = planStudy(
  unwrap(
    parseStudy({
      name: "x",
      table: "visits",
      analysis: "pca",
      variant: "paper",
      parameters: { components: 2 },
      privacy: "none",
      participation: { maxRowsPerSite: 100 },
      features: ["a", "b", "c"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
    }),
  ),
);
const [moments, covariance, projection] = plan.stages as [
  (typeof plan.stages)[0],
  (typeof plan.stages)[0],
  (typeof plan.stages)[0],
];

const item = (stage: string, name: string, length: number, content = "") =>
  ({
    stage: stage as StageId,
    name,
    length,
    sha256: sha256(`${stage} ${name} ${content}`),
  }) satisfies BroadcastItem;
const mean = item("covariance", "mean", 3);
const rows = item("covariance", "rows", 1);
const loadings = item("projection", "loadings", 6);

function outcome(stage: typeof moments, known: BroadcastItem[], listed: BroadcastItem[]): string {
  try {
    return checkBroadcasts(id, plan.stages, stage, known, listed)
      .map(({ name }) => name)
      .join(" ");
  } catch (error) {
    return error instanceof ConsiliumError ? error.code : `foreign error ${String(error)}`;
  }
}

describe("broadcasts", () => {
  it("of the plan are taken, those that are new to be fetched", () => {
    expect(outcome(moments, [], [])).toBe("");
    expect(outcome(covariance, [], [mean, rows])).toBe("mean rows");
    expect(outcome(covariance, [], [rows, mean])).toBe("rows mean");
    expect(outcome(covariance, [mean, rows], [mean, rows])).toBe("");
    expect(outcome(projection, [mean, rows], [mean, rows, loadings])).toBe("loadings");
  });

  it("of a stage that this site has missed come with a later one, whole", () => {
    expect(outcome(projection, [], [mean, rows, loadings])).toBe("mean rows loadings");
    expect(outcome(projection, [], [mean, loadings])).toBe("FIELD_INVALID");
    expect(outcome(projection, [mean], [mean, rows, loadings])).toBe("BROADCAST_CHANGED");
  });

  it.each<[string, typeof moments, BroadcastItem[], BroadcastItem[]]>([
    ["changed", covariance, [mean, rows], [item("covariance", "mean", 3, "other"), rows]],
    ["of another length", covariance, [mean, rows], [{ ...mean, length: 4 }, rows]],
    ["gone", projection, [mean, rows], [rows, loadings]],
    ["all gone", projection, [mean, rows], [loadings]],
    ["listed twice", covariance, [], [mean, rows, item("covariance", "mean", 3, "other")]],
    ["listed twice alike", covariance, [mean, rows], [mean, rows, mean]],
    ["of a stage to come", covariance, [], [mean, rows, loadings]],
  ])("that were shown must stay: %s", (_, stage, known, listed) => {
    expect(outcome(stage, known, listed)).toBe("BROADCAST_CHANGED");
  });

  it.each<[string, typeof moments, BroadcastItem[]]>([
    ["too long", covariance, [{ ...mean, length: 2 ** 27 }, rows]],
    ["too short", covariance, [{ ...mean, length: 2 }, rows]],
    ["missing", covariance, [mean]],
    ["none at all", covariance, []],
    ["one more", covariance, [mean, rows, item("covariance", "more", 1)]],
    ["another in its place", covariance, [mean, item("covariance", "__proto__", 1)]],
    ["of a stage that has none", covariance, [mean, rows, item("moments", "seed", 1)]],
    ["where there are none", moments, [item("moments", "mean", 3)]],
  ])("are the plan's and no others: %s", (_, stage, listed) => {
    expect(outcome(stage, [], listed)).toBe("FIELD_INVALID");
  });
});
