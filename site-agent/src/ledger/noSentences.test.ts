import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unwrap } from "@consilium/core/result";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { allMethods } from "@consilium/methods-paper/all";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { testLedger } from "../../testing/ledger/ledger.js";
import { unresolvedTables } from "../data/tableSources.js";
import { policySchema } from "../policy/policy.js";
import { termsOf } from "../studies/terms.js";

const folder = fileURLToPath(new URL("../../../examples/studies/", import.meta.url));
const examples = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...stringsIn(member)]);
}

/** As the examples are, and without privacy where a method has that. */
function studiesOf(example: string) {
  const raw = parse(readFileSync(folder + example, "utf8")) as object;
  return [raw, { ...raw, privacy: "none" }].flatMap((one) => {
    const read = allMethods.parse(one);
    return read.ok ? [studyDocument(read.value)] : [];
  });
}

describe.each(examples)("what is charged and approved of %s", (example) => {
  it("has no sentence in it", () => {
    for (const document of studiesOf(example)) {
      const { study, hash } = document;
      const onRoster = planStudy(documentOnRoster(document, study.participation.sites?.length ?? 7).study);
      for (const { stages } of [planStudy(study), onRoster] satisfies Plan[]) {
        const { ledger } = testLedger();
        ledger.reserve({
          study: "a-study",
          population: "default",
          limit: null,
          stages: stages.map(({ id, disclosure: { event, cost } }) => ({
            stage: id,
            attempt: 1,
            event,
            claimed: cost,
          })),
        });
        for (const { id } of stages.slice(0, 1)) ledger.commit("a-study", id, 1);
        ledger.release("a-study");
        expect(unwrap(ledger.verify())).toBeDefined();
        const terms = stages.map((stage) => (stage.kind === "sum" ? [stage.terms, stage.noise] : []));
        const written = ledger.entries().map(({ entry }) => entry);
        expect(stringsIn([terms, written]).filter((text) => text.includes(" "))).toEqual([]);
      }
      const policy = { policy: policySchema.parse({}), written: null, text: null };
      const tables = unresolvedTables([{ name: study.table, unit: "rows" }]);
      const approved = termsOf({ study, hash, plan: planStudy(study), policy, tables }, hash);
      expect(stringsIn(approved).filter((text) => text.includes(" "))).toEqual([]);
    }
  });
});
