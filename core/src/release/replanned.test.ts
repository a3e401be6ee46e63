import { soundMethods } from "@consilium/methods/all";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { testRun, testSites, testStudy } from "../../testing/release/statement.js";
import { namesOf } from "../method/method.js";
import { Methods } from "../method/methods.js";
import { unwrap } from "../result.js";
import { studyOnRoster } from "../study/onRoster.js";
import { planStudy } from "../study/plan.js";
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
const plan = planStudy(studyOnRoster(document.study, sites.length));
const statement = statementOf(testRun({ document, plan, sites }));

const changed = (change: (statement: Statement) => void): Statement => {
  const copy = structuredClone(statement);
  change(copy);
  return copy;
};

describe("planning a released study again", () => {
  it("finds the same, for the roster and for the fewest sites", () => {
    expect(replanned(statement, document.text, methods)).toEqual({ kind: "same" });
    const fewest = statementOf(testRun({ document, sites }));
    expect(fewest.privacy.accounting.events).not.toEqual(statement.privacy.accounting.events);
    expect(replanned(fewest, document.text, methods)).toEqual({ kind: "same" });
  });

  it("finds the same in other words", () => {
    const reworded = changed(({ privacy }) => {
      Object.assign(privacy, { unit: "x", neighbouringRelation: "x", proof: "x" });
      Object.assign(privacy.disclosures[0]!, { what: "x", learns: "x", mechanism: "x" });
    });
    expect(replanned(reworded, document.text, methods)).toEqual({ kind: "same" });
  });

  it("names the first number that differs, with both values", () => {
    const louder = changed(({ privacy }) => {
      Object.assign(privacy.disclosures[0]!, { sensitivity: 1 });
    });
    expect(replanned(louder, document.text, methods)).toEqual({
      kind: "otherwise",
      path: "privacy.disclosures.0.sensitivity",
      stated: 1,
      planned: statement.privacy.disclosures[0]!.sensitivity,
    });
    const quieter = changed(({ privacy }) => {
      Object.assign(privacy.accounting.events[0]!.event, { l2SensitivitySquared: 1 });
    });
    expect(replanned(quieter, document.text, methods)).toMatchObject({
      kind: "otherwise",
      path: "privacy.accounting.events.0.event.l2SensitivitySquared",
      stated: 1,
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
    const run = testRun({ document: trees, plan: planStudy(studyOnRoster(trees.study, 5)), sites });
    const stated = statementOf(run);
    const last = stated.privacy.disclosures.pop()!.stage;
    const place = `privacy.disclosures.${stated.privacy.disclosures.length}`;
    expect(replanned(stated, trees.text, methods)).toEqual({
      kind: "otherwise",
      path: place,
      stated: null,
      planned: { stage: last },
    });
  });

  it("is not tried without the method", () => {
    const none = new Methods(soundMethods.filter((method) => !namesOf(method).includes("dp-pca")));
    expect(replanned(statement, document.text, none)).toEqual({ kind: "not tried" });
    expect(replanned(statement, "{}", methods)).toEqual({ kind: "not tried" });
  });
});
