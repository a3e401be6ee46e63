import { readFileSync } from "node:fs";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { recodingWords } from "@consilium/core/study/recodingWords";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy, readStudyDocument } from "@consilium/methods/testing/studies";
import { english } from "@consilium/runtime/http/spoken";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const example = (path: string): Record<string, unknown> =>
  parse(readFileSync(new URL(`../examples/${path}.yaml`, import.meta.url), "utf8"));
const documentOf = (raw: object) => studyDocument(unwrap(parseStudy(raw)));
const readmission = example("recoding/readmission");

describe("the example of recoding", () => {
  it("is valid, travels, and says in words what it makes of a table", () => {
    const { study, text, hash } = documentOf(readmission);
    expect(unwrap(readStudyDocument(text, hash)).study).toEqual(study);
    expect(recodingWords(study)).toEqual([
      'Only rows for which this is true count: age is at least 18, and admitted is from 2015-01-01 to 2016-12-31, both included, and (discharged_to is not one of "Expired", "Hospice", or discharged_to is missing). All others, and those where a missing value leaves it open, are left out within the sums; their number stays at the hospital.',
      'In the study\'s language: age >= 18 and admitted between 2015-01-01 and 2016-12-31 and (discharged_to not in ("Expired", "Hospice") or discharged_to is missing)',
      "age is the number of completed years from the date birth_date (DD.MM.YYYY) to admitted.",
      "stay is the number of days from admitted to the date discharged (DD.MM.YYYY).",
      "medications is column num_medications.",
      "glycaemic_control is made of column hba1c_percent: below 7 is good, 7 to below 8 is fair, 8 and above is poor.",
      'admission is made of column admission_type: "Emergency", "Urgent" is acute, "Elective" is planned. Every other admission_type counts as one level of its own.',
      'readmitted_30d is made of column readmitted: ">30", "NO" is no, "<30" is yes. Rows with any other readmitted are left out.',
      "Read for this alone, and part of no sum: birth_date, admitted, discharged, discharged_to.",
    ]);
  });

  it("costs the same whatever its condition is, and has another hash for each", () => {
    const conditions = [
      readmission.where,
      "age >= 18 and discharged_to is missing",
      'discharged_to != "Hospice"',
    ];
    const documents = conditions.map((where) => documentOf({ ...readmission, where }));
    expect(new Set(documents.map(({ hash }) => hash)).size).toBe(3);
    const [first, ...others] = documents.map(({ study }) => planStudy(study));
    for (const plan of others) {
      expect(plan.claim).toEqual(first!.claim);
      expect(plan.stages).toEqual(first!.stages);
    }
  });

  it.each([
    [
      { where: "age >= 18 and dischargd_to is missing" },
      'where: line 1, column 15: the study declares no column "dischargd_to": did you mean discharged_to or discharged?',
    ],
    [{ where: `age >= 18${" ".repeat(10_000)}` }, "where: at most 10000 characters"],
    [{ patient: { column: "admitted", maxRows: 4 } }, 'patient.column: column "admitted" is read as'],
    [{ patient: { column: "readmitted", maxRows: 4 } }, 'patient.column: column "readmitted" is read as'],
    [{ label: { ...(readmission.label as object), undeclared: "other" } }, "label.undeclared: "],
  ])("is refused with %j", (change, expected) => {
    const parsed = parseStudy({ ...readmission, ...change });
    expect(parsed.ok ? "" : english(parsed.error.message)).toContain(expected);
  });
});

/** Who asks and is cited stands otherwise in these examples by now, and how survival is described and divided; the rest is as it was. */
function asBefore(study: Record<string, unknown>, creator: string | null): object {
  if (creator === null) return study;
  const { request: _, ...others } = study;
  const release = study.release as { readonly description: string };
  const description = release.description
    .replace(/ Data: .*$/, "")
    .replace(/^Survival of two arms/, "Kaplan-Meier curves of two arms");
  const parameters =
    study.analysis === "survival" ? { parameters: { ...(study.parameters as object), intervals: 20 } } : {};
  return { ...others, ...parameters, release: { ...release, description, creator } };
}

it.each<[path: string, hash: string, creator: string | null]>([
  [
    "studies/trial-survival",
    "d56212ee98b581d292357d3c343bcb7bad621810d8aee6749ba79c4d6489d9cc",
    "Drawn from a formula by examples/trial.mjs",
  ],
  [
    "studies/wdbc-dp-pca",
    "4afc469f7a2e2cc4c330e0d3c878988b55f9127bc887f45c2b3fb11a85c7c432",
    "Wolberg, Mangasarian and Street (data); four hospitals of the demo (reduction)",
  ],
  ["omop/diabetes-heart-failure", "04e5f3b556a41f56b6894346bdf873d6eabf689f20f6d46732226f39a90e437f", null],
])("a study without recoding keeps the hash that it had before there was any: %s", (path, hash, creator) => {
  const { text } = documentOf(asBefore(example(path), creator));
  // Whether sums are public is written in every text by now.
  expect(sha256(text.replace(',"sums":false', ""))).toBe(hash);
});
