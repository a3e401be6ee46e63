import { unwrap } from "@consilium/core/result";
import { patientUnit, unitOfStudy, weighsPatients } from "@consilium/core/study/patientWeights";
import { planStudy } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { parseStudy, readStudyDocument, type Study } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";

const raw = (own: object, patient: object) => ({
  name: "visits",
  table: "visits",
  features: [
    { name: "a", type: "numeric", min: 0, max: 1 },
    { name: "b", type: "numeric", min: 0, max: 1 },
    { name: "c", type: "numeric", min: 0, max: 1 },
  ],
  label: { name: "ill", levels: ["no", "yes"] },
  privacy: { epsilon: 1, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: 10_000 },
  patient: { column: "who", ...patient },
  ...own,
});
const parsed = (own: object, patient: object): Study => unwrap(parseStudy(raw(own, patient)));

const thatWeigh: readonly object[] = [
  { analysis: "boosted-trees" },
  { analysis: "boosted-trees", method: "dp-additive" },
  { analysis: "k-anonymous-selection", method: "dp-ka", parameters: { k: 5 } },
  { analysis: "correlation-tree", method: "dp-pcc" },
  { analysis: "pca", parameters: { components: 1 } },
  { analysis: "feature-selection", method: "felp-a" },
];
const thatCannot: readonly object[] = [
  { analysis: "correlation-tree", method: "dp-pcc-s" },
  { analysis: "feature-selection", method: "felp-s" },
  { analysis: "pca", variant: "paper", parameters: { components: 1 } },
];

describe("U", () => {
  it("is the least that all counts divide, and a power of two for large bounds", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(patientUnit)).toEqual([1, 2, 6, 12, 60, 60, 420, 840]);
    expect([9, 16, 17, 1024, 1025, 10_000].map(patientUnit)).toEqual([1024, 1024, 2048, 65536, 65536, 65536]);
  });
});

describe("a new study of several rows a patient", () => {
  it.each(thatWeigh)("of %j weighs patients unless it asks for rows", (own) => {
    const study = parsed(own, { maxRows: 5 });
    expect(study.patient).toEqual({ column: "who", maxRows: 5, weighting: "patients" });
    expect([weighsPatients(study), unitOfStudy(study)]).toEqual([true, 60]);
    for (const { disclosure } of planStudy(study).stages)
      expect(disclosure.event.kind).toBe("distributed-discrete-gaussian");
    const rows = parsed(own, { maxRows: 5, weighting: "rows" });
    expect([weighsPatients(rows), unitOfStudy(rows)]).toEqual([false, 1]);
    for (const { disclosure } of planStudy(rows).stages)
      expect(disclosure.event).toMatchObject({ kind: "group", records: 5 });
  });

  it.each(thatCannot)("of %j counts rows, and is told so where it asks for more", (own) => {
    const study = parsed(own, { maxRows: 5 });
    expect(study.patient).toEqual({ column: "who", maxRows: 5 });
    expect(weighsPatients(study)).toBe(false);
    const refused = inEnglish(parseStudy(raw(own, { maxRows: 5, weighting: "patients" })));
    expect(refused).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/patient\.weighting: .+ cannot weigh rows by patient; write/) },
    });
  });

  it("means in an earlier text what it meant then", () => {
    const { weighting: _, ...patient } = parsed(thatWeigh[0]!, { maxRows: 5 }).patient!;
    const earlier = { ...parsed(thatWeigh[0]!, { maxRows: 5 }), patient };
    const { text, hash } = studyDocument(earlier);
    const { study } = unwrap(readStudyDocument(text, hash));
    expect(study.patient).toEqual(patient);
    expect(planStudy(study).stages[0]!.disclosure.event.kind).toBe("group");
  });

  it("travels with its weights", () => {
    const { text, hash } = studyDocument(parsed(thatWeigh[0]!, { maxRows: 5 }));
    expect(unwrap(readStudyDocument(text, hash)).study.patient?.weighting).toBe("patients");
  });
});
