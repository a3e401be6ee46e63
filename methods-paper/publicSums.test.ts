import { readdirSync, readFileSync } from "node:fs";
import { readSaid } from "@consilium/core/readSaid";
import { planStudy } from "@consilium/core/study/plan";
import { planFacts } from "@consilium/core/study/planFacts";
import { type Study, studyDocument, sumsFault } from "@consilium/core/study/study";
import { english } from "@consilium/runtime/http/spoken";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { allMethods } from "./all.js";

type Raw = Readonly<Record<string, unknown>>;
const folder = new URL("../examples/studies/", import.meta.url);
const examples = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml"))
  .map((file): [string, Raw] => [file, parse(readFileSync(new URL(file, folder), "utf8")) as Raw]);
const withSums = (raw: Raw): Raw => ({ ...raw, release: { ...(raw.release as object), sums: true } });
const isProven = ({ variant = "sound", privacy }: Raw) => variant === "sound" && privacy !== "none";
const read = (raw: Raw) => {
  const found = allMethods.parse(raw);
  return found.ok
    ? found.value
    : found.error.issues.map(({ path, message }) => `${path}: ${english(message)}`);
};

it.each(examples)("the sums of %s are public only where noise protects every one", (_, raw) => {
  const found = read(withSums(raw));
  if (!isProven(raw)) {
    expect(found).toEqual([
      expect.stringMatching(/^release\.sums: false (?:where privacy is none|for variant paper): /),
    ]);
    return;
  }
  const [study, without] = [found, read(raw)] as [Study, Study];
  const said = (of: Study) =>
    planStudy(of).warnings.filter((line) => readSaid(line)?.code === "plan.sums-public");
  expect([said(study).length, said(without).length]).toEqual([1, 0]);
  // Nothing that anybody sends, or is charged for, rests on it.
  expect(planFacts(study, planStudy(study))).toEqual(planFacts(without, planStudy(without)));
});

it("refuses a study of which one stage is no proven sum", () => {
  const [, raw] = examples.find(([, one]) => isProven(one))!;
  const study = read(withSums(raw)) as Study;
  const { stages } = planStudy(study);
  expect(sumsFault(study, () => stages)).toBeNull();
  const [first, ...others] = stages;
  for (const open of [
    { ...first!, noise: null },
    { ...first!, terms: undefined },
    { ...first!, kind: "rows" },
  ])
    expect(sumsFault(study, () => [...others, open as never])).toEqual({
      code: "fault.sums-stage",
      params: { stage: first!.id },
    });
});

it("takes a text that lacks the key for one whose sums stay with the aggregator, and leaves it as it is", () => {
  const [, raw] = examples.find(([, one]) => isProven(one))!;
  const { text } = studyDocument(read(raw) as Study);
  const older = text.replace(',"sums":false', "");
  expect(older).not.toBe(text);
  const found = allMethods.read(older, sha256(older));
  expect(found.ok && found.value.text).toBe(older);
  expect(found.ok && found.value.study.release.sums).toBe(false);
});
