/** What is agreed, signed and verified of format 3 holds no sentence: here every sentence of another checkout is another one. */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as plans from "@consilium/core/study/plan";
import * as facts from "@consilium/core/study/planFacts";
import { allMethods } from "@consilium/methods-paper/all";
import type * as folders from "@consilium/runtime/release/verifyFolder";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withOtherSentences } from "../../testing/sentences.js";
import type * as verify from "../verify.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const verifying = await withOtherSentences(
  ["runtime/src/release/verifyFolder.ts", "lib/release/src/verify.ts"],
  () => "x",
);
const planning = await withOtherSentences(
  [
    "methods-paper/all.ts",
    "core/src/study/plan.ts",
    "core/src/study/planFacts.ts",
    "core/src/study/onRoster.ts",
  ],
  (before) => `Anders: ${before.length}`,
);
afterAll(() => {
  for (const { folder } of [verifying, planning]) rmSync(folder, { recursive: true });
});

describe("with an x for every sentence", () => {
  const { verifyCertificate, readShown, checksUnder } = verifying.module as typeof verify & typeof folders;
  const folder = join(root, "test/corpus/certificates/3");
  const checks = checksUnder(readFileSync(join(folder, "root.pem"), "utf8"));

  it("there is none left", () => {
    expect(verifying.replaced).toBeGreaterThan(200);
    expect(readShown(Buffer.from("{"))).toMatchObject({ error: { message: expect.stringMatching(/x$/) } });
  });

  it.each(readdirSync(folder).filter((name) => name !== "root.pem"))(
    "the certificate of %s verifies",
    (name) => {
      const found = verifyCertificate({
        certificate: readFileSync(join(folder, name, "certificate.json")),
        signature: readFileSync(join(folder, name, "certificate.jws")),
        ...checks,
      });
      expect(found.ok ? "ok" : found.error.message).toBe("ok");
    },
  );
});

describe("two checkouts that differ in every sentence", () => {
  const other = planning.module as Pick<typeof plans, "planStudy"> &
    Pick<typeof facts, "planText"> & { readonly allMethods: typeof allMethods };
  const folder = join(root, "examples/studies");

  it("there is none left", () => {
    expect(planning.replaced).toBeGreaterThan(1000);
  });

  it.each(readdirSync(folder).filter((name) => name.endsWith(".yaml")))(
    "plan %s alike, to the byte",
    (name) => {
      const raw = parse(readFileSync(join(folder, name), "utf8"));
      const ours = allMethods.parse(raw);
      const theirs = other.allMethods.parse(raw);
      if (!ours.ok || !theirs.ok) throw new Error(`${name} cannot be read`);
      const [plan, theirPlan] = [plans.planStudy(ours.value), other.planStudy(theirs.value)];
      expect(other.planText(theirs.value, theirPlan)).toBe(facts.planText(ours.value, plan));
    },
  );
});
