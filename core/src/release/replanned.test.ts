import { soundMethods } from "@consilium/methods/all";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { testRun, testSites, testStudy } from "../../testing/release/statement.js";
import { namesOf } from "../method/method.js";
import { Methods } from "../method/methods.js";
import { unwrap } from "../result.js";
import { documentOnRoster } from "../study/onRoster.js";
import { studyDocument } from "../study/study.js";
import { replanned } from "./replanned.js";
import { type Statement, statementOf } from "./statement.js";

const methods = new Methods(soundMethods);
const sites = testSites(["a", "b", "c", "d", "e"]);
const study = {
  method: "dp-pca",
  variant: "sound",
  privacy: { epsilon: 1, delta: 1e-5 },
  participation: { minimumSites: 3 },
};
const document = testStudy(study);
const onRoster = documentOnRoster(document, sites.length);
const statement = statementOf(testRun({ document: onRoster, sites }));

const changed = (change: (statement: Statement) => unknown): Statement => {
  const copy = structuredClone(statement);
  change(copy);
  return copy;
};

describe("planning a released study again", () => {
  it("finds the same on the roster", () => {
    expect(replanned(statement, document.text, methods)).toEqual({ kind: "same" });
  });

  it("names the first number that differs, with both values", () => {
    const [stage] = statement.plan.stages as unknown as [{ scale: number }];
    const louder = changed(({ plan }) => Object.assign(plan.stages[0]!, { scale: 2 * stage.scale }));
    expect(replanned(louder, document.text, methods)).toEqual({
      kind: "otherwise",
      path: "stages.0.scale",
      stated: 2 * stage.scale,
      planned: stage.scale,
    });
    const fewest = statementOf(testRun({ document, sites }));
    expect(replanned(fewest, document.text, methods)).toMatchObject({
      kind: "otherwise",
      path: "stages.0.noise.shareVariance",
    });
  });

  it("names the first stage that differs", () => {
    const trees = studyDocument(
      unwrap(
        parseStudy({
          name: "sample",
          analysis: "boosted-trees",
          table: "sample",
          features: [{ name: "age", type: "numeric", min: 0, max: 100 }],
          label: { name: "sick", levels: ["no", "yes"] },
          privacy: { epsilon: 1, delta: 1e-5 },
          participation: { maxRowsPerSite: 1000 },
          parameters: { trees: 2, depth: 1 },
        }),
      ),
    );
    const run = testRun({ document: documentOnRoster(trees, 5), sites });
    const stated = statementOf(run);
    const stages = stated.plan.stages.slice(0, -1);
    const shorter = { ...stated, plan: { ...stated.plan, stages } };
    expect(replanned(shorter, trees.text, methods)).toMatchObject({
      kind: "otherwise",
      path: `stages.${stages.length}`,
      stated: null,
      planned: { kind: "sum" },
    });
  });

  it("is not tried without the method, or of a certificate without a plan", () => {
    const none = new Methods(soundMethods.filter((method) => !namesOf(method).includes("dp-pca")));
    expect(replanned(statement, document.text, none)).toEqual({ kind: "not tried" });
    expect(replanned(null, document.text, methods)).toEqual({ kind: "not tried" });
    expect(replanned(statement, "{}", methods)).toEqual({ kind: "not tried" });
  });
});
