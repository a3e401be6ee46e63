import { parseStudy } from "@consilium/methods/testing/studies";
import { sayEnglish } from "@consilium/words/english";
import { sayGerman } from "@consilium/words/german";
import { describe, expect, it } from "vitest";
import { readSaid } from "../readSaid.js";
import { ok, unwrap } from "../result.js";
import { sayLines } from "../sayLines.js";
import { planStudy } from "../study/plan.js";
import { studyDocument } from "../study/study.js";
import { explainedStudyView } from "./explainedStudy.js";
import { type ExplainedStudy, explainStudy } from "./explanation.js";
import type { ChargedUnit, StudyFacts } from "./studyFacts.js";

const study = unwrap(
  parseStudy({
    name: "vitals",
    table: "visits",
    analysis: "pca",
    method: "elfed-pca",
    variant: "paper",
    parameters: { components: 2 },
    privacy: { epsilon: 0.5, delta: 1e-5 },
    participation: { maxRowsPerSite: 1000, minimumSites: 4, tolerateColluding: 2 },
    features: [
      { name: "age", type: "numeric", min: 0, max: 120, unit: "years" },
      { name: "bmi", type: "numeric", min: 10, max: 60 },
      { name: "ward", type: "categorical", levels: ["a", "b", "c"] },
    ],
    label: { name: "died", levels: ["no", "yes"] },
    patient: { column: "person", maxRows: 3 },
    release: { title: "Vital signs", access: "token" },
  }),
);
const claimed: ExplainedStudy = {
  study,
  plan: planStudy(study),
  population: { name: "inpatients", budget: { epsilon: 4, delta: 1e-6 } },
  chargedUnit: null,
  spent: { unit: "patient", spentEpsilon: 1.25, remainingEpsilon: 2.75, unproved: 0, notes: ["A note."] },
  maxEpsilon: 0.75,
  pinned: 0,
  isCharged: false,
  found: null,
};
const proved: ExplainedStudy = {
  ...claimed,
  plan: {
    ...claimed.plan,
    masking: "pairwise",
    claim: {
      ...claimed.plan.claim,
      verdict: "proved",
      proof: "METHODS.md",
      unit: "one patient",
      reasons: [],
    },
  },
};

/** As a file has it. */
const source = ({ participation, ...rest }: Omit<typeof study, "patient">) => ({
  ...rest,
  participation: { ...participation, phaseDeadline: "10m" },
});

const textOf = (explained: ExplainedStudy) =>
  Object.fromEntries(
    explainStudy(explained).map(({ title, paragraphs }) => [title, paragraphs.join("\n")]),
  ) as Record<string, string>;

describe("a study in plain words", () => {
  it("tells what a decision tells, and the hospital alone what was found in its table", () => {
    expect(textOf(claimed)["What a decision reveals"]).toContain("PREFLIGHT_FAILED");
    expect(textOf(claimed)["Before you approve"]).toContain("must not change");
    const sound = { ...proved.study, variant: "sound" } as ExplainedStudy["study"];
    const found = { rows: 120, used: 100, malformed: 0, faults: 1, outside: 0, overBound: 0, unsampled: 12 };
    const text = textOf({ ...proved, study: sound, found });
    expect(text["What a decision reveals"]).not.toContain("PREFLIGHT_FAILED");
    expect(text["Before you approve"]).not.toContain("must not change");
    expect(text["Data check"]).toBe(
      "The last pass read 120 rows and used 100. These counts stay at the hospital.\n1 cell holds an undeclared value; 12 rows were left out by sampling. The sums leave such rows out; `consilium site profile` shows where they are.",
    );
    expect(textOf(proved)).not.toHaveProperty("Data check");
  });

  it("names the columns that are read, and what is made of them", () => {
    const raw = {
      ...source(study),
      features: [
        {
          name: "age",
          type: "numeric",
          from: "born",
          as: { "age-at": "admitted" },
          min: 0,
          max: 120,
          unit: "years",
        },
        {
          name: "los",
          type: "numeric",
          from: "discharged",
          as: { "days-since": "admitted" },
          min: 0,
          max: 60,
        },
        { name: "bmi", type: "numeric", min: 10, max: 60 },
      ],
      columns: ["born", "admitted", "discharged"].map((name) => ({ name, type: "date" })),
    };
    const document = studyDocument(unwrap(parseStudy(raw)));
    const facts = {
      text: document.text,
      hash: document.hash,
      status: "joined",
      ...claimed,
    } as unknown as StudyFacts;
    const { request } = explainedStudyView(facts, {
      read: () => ok({ study: unwrap(parseStudy(raw)) }),
    } as never);
    expect(request.columns).toEqual(["died", "person", "born", "discharged", "bmi", "admitted"]);
    expect(request.makes).toEqual(["age", "los"]);
    const asked = textOf({ ...claimed, study: unwrap(parseStudy(raw)) }).Request!;
    const words = asked.split("\n").map((one) => sayLines(one, sayEnglish));
    expect(words).toContain(
      "It reads the table's columns born, discharged, bmi, died and admitted, and makes age and los of them.",
    );
    expect(textOf(claimed).Request).toContain("It reads age (0 to 120 years), bmi");
  });

  it("names the hospitals whose own figures a sound study shows, in the language of who approves", () => {
    const { patient: _, ...own } = study;
    const features = [{ name: "ward", type: "categorical", levels: ["ST-ANNA", "others"] }];
    const participation = { maxRowsPerSite: 100, sites: ["bern", "cuno", "dora", "st-anna"] };
    const sound = { method: "dp-pca", variant: "sound", parameters: { components: 1 } };
    const shown = (change: object) => {
      const raw = { ...source(own), ...sound, features, participation, ...change };
      const read = unwrap(parseStudy(raw));
      const explained = { ...proved, study: read, plan: planStudy(read) };
      return textOf(explained)
        ["Before you approve"]!.split("\n")
        .filter((one) => one.includes("plan.per-hospital"));
    };
    const [line, ...more] = shown({});
    expect(more).toEqual([]);
    const said = { at: ["ward"], hospitals: ["st-anna"], least: 3, more: 0 };
    const warning = { code: "plan.per-hospital", params: said };
    expect(readSaid(line!)).toEqual({ code: "study.plan-warns", params: { warning } });
    expect(sayLines(line!, sayEnglish)).toMatch(
      /^The plan warns: ward tells st-anna apart from the other hospitals: .*[^.]\.$/,
    );
    expect(sayLines(line!, sayGerman)).toMatch(
      /^Der Plan warnt: ward trennt st-anna von den anderen Krankenhäusern: .*[^.]\.$/,
    );
    expect(shown({ features: [{ ...features[0], levels: ["surgery", "others"] }] })).toEqual([]);
    expect(shown({ method: "elfed-pca", variant: "paper" })).toEqual([]);
  });

  it("says who wants it, as its text states it, and its hash covers that", () => {
    const request = { investigator: "Dr. Ada", ethicsVote: "EC 7/2026" };
    const parsed = (change: object) => unwrap(parseStudy({ ...source(study), ...change }));
    expect(textOf({ ...claimed, study: parsed({ request }) }).Request).toContain(
      "Investigator: Dr. Ada\nEthics vote: EC 7/2026\n",
    );
    expect(textOf(claimed).Request).not.toContain("Investigator");
    const without = studyDocument(parsed({}));
    expect(without.text).not.toContain('"request"');
    const hashes = [
      without,
      studyDocument(parsed({ request })),
      studyDocument(parsed({ request: { ...request, contact: "x" } })),
    ];
    expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(3);
  });

  it("names every column that is read, with its declared bounds, and the patient's", () => {
    const { Request: asked } = textOf(claimed);
    for (const part of [
      "Vital signs",
      "age (0 to 120 years)",
      "bmi (10 to 60)",
      "ward (3 levels)",
      "died",
      "person",
      "at most 3 rows",
    ])
      expect(asked).toContain(part);
  });

  it("says how several rows of a patient count", () => {
    const patient = { column: "person", maxRows: 3, weighting: "patients" } as const;
    const weighing = { ...claimed, study: { ...claimed.study, patient } };
    expect(textOf(weighing).Request).toContain("each weighing 1 / (number of rows of the patient)");
    expect(textOf(claimed).Request).not.toContain("weighing");
  });

  it("states for each stage the data sent, their form and noise", () => {
    for (const explained of [claimed, proved]) {
      const { "Data sent from this hospital": leaving, "Who learns what": learning } = textOf(explained);
      for (const stage of explained.plan.stages) {
        expect(leaving).toContain(`${stage.id}: ${stage.disclosure.what}`);
        expect(leaving).toContain(stage.disclosure.mechanism);
        expect(learning).toContain(stage.disclosure.learns);
      }
      expect(leaving).toContain("in the clear");
    }
  });

  it("does not promise of dealt masks what only pairwise ones keep", () => {
    expect(textOf(proved)["Data sent from this hospital"]).toContain(
      "only the sum over at least 4 hospitals can be read, even by an aggregator that works together with 2 of them",
    );
    const dealt = textOf(claimed)["Data sent from this hospital"]!;
    expect(dealt).toContain("one hospital deals all masks");
    expect(dealt).not.toContain("even by an aggregator");
  });

  it("never gives a claimed cost without saying that it is not verified", () => {
    expect(textOf(claimed)["Privacy cost"]).toContain("It is not verified");
    for (const reason of claimed.plan.claim.reasons)
      expect(textOf(claimed)["Privacy cost"]).toContain(reason);
    const cost = textOf(proved)["Privacy cost"]!;
    expect(cost).toContain("Epsilon 0.5 at delta 1e-5, proven. It protects one patient.");
    // (e^0.5 + 1e-5) / (1 + e^0.5) = 0.62246…, rounded up
    expect(cost).toContain("at most 62.3 times.");
    expect(cost).not.toContain("not verified");
    const { claim } = proved.plan;
    for (const [epsilon, shown] of [
      [0.9999999999999691, "1"],
      [0.12345611, "0.123457"],
      [2.5, "2.5"],
    ] as const) {
      const asked = { ...proved, plan: { ...proved.plan, claim: { ...claim, epsilon } } };
      expect(textOf(asked)["Privacy cost"]).toContain(`Epsilon ${shown} at delta`);
    }
  });

  it("tells what all attempts may cost, where a person is asked", () => {
    expect(textOf(proved)["Privacy cost"]).toContain('study.attempts {"epsilon":0.75}');
    expect(textOf({ ...proved, maxEpsilon: null })["Privacy cost"]).not.toContain("study.attempts");
  });

  it("tells what remains, rounded as the ledger gives it, and when a total has no bound", () => {
    const { "Remaining budget": rest } = textOf(proved);
    expect(rest).toContain("the population inpatients, which may spend epsilon 4 at delta 1e-6");
    expect(rest).toContain("Epsilon 1.25 per patient is spent or reserved, 2.75 remains, before this study.");
    expect(rest).toContain("A note.");
    expect(rest).toContain("an attempt that is repeated after a failure costs again");
    expect(textOf(claimed)["Remaining budget"]).toContain("no proven bound any more");
    const unlimited = { ...proved, population: { name: "open", budget: null }, spent: null };
    expect(textOf(unlimited)["Remaining budget"]).toContain("sets no limit");
    const unproved = { ...proved, spent: { ...proved.spent!, unproved: 2 } };
    expect(textOf(unproved)["Remaining budget"]).toContain("2 earlier releases have no proven bound");
  });

  it("says in the hospital's own unit what its ledger enters", () => {
    const { patient, ...unnamed } = study;
    const parsed = unwrap(
      parseStudy({
        ...source(unnamed),
        method: "dp-pca",
        variant: "sound",
        parameters: { components: 2 },
        privacy: { epsilon: 0.5, delta: 1e-6 },
      }),
    );
    const plan = planStudy(parsed);
    const costIn = (chargedUnit: ChargedUnit) =>
      textOf({ ...proved, study: parsed, plan, chargedUnit })["Privacy cost"]!;
    const inRows = {
      epsilon: 0.4999996,
      delta: 1e-6,
      unit: "row",
      factor: 1,
      isDeclared: true,
      rowsOfEach: null,
    } as const;
    expect(costIn(inRows)).toContain("enters epsilon 0.5 per row at the population's delta 1e-6");
    expect(costIn({ ...inRows, isDeclared: false })).toContain("does not say whether a row is a patient");
    const inPatients = costIn({ ...inRows, epsilon: 1.6, unit: "patient", factor: 9, rowsOfEach: 3 });
    expect(inPatients).toContain("enters epsilon 1.6 per patient");
    expect(inPatients).toContain("at most 3 rows of each patient by its own column, and charges 9 times");
  });

  it("warns that rosters differing across studies reveal differences, where no noise protects the sums", () => {
    const warning = "Rosters differing across studies reveal differences";
    expect(textOf(claimed)["Before you approve"]).toContain(warning);
    expect(textOf(proved)["Before you approve"]).not.toContain(warning);
    const none = { ...claimed, plan: planStudy({ ...study, privacy: "none" }) };
    expect(textOf(none)["Before you approve"]).toContain(warning);
    expect(textOf(none)["Privacy cost"]).toContain("for public data only");
  });

  it("begins what the plan warns of as a sentence", () => {
    const plan = { ...claimed.plan, warnings: ["plan.hospitals-pooled {}"] };
    const notes = explainStudy({ ...claimed, plan })
      .at(-1)!
      .paragraphs.map((note) => sayLines(note, sayEnglish));
    expect(notes.find((note) => note.startsWith("The plan warns: "))).toMatch(
      /^The plan warns: [a-z].*[^.]\.$/,
    );
    expect(notes.every((note) => /^[A-Z]/.test(note))).toBe(true);
  });

  it("says whom the hospital trusts", () => {
    expect(textOf(claimed)["Who learns what"]).toContain("pins no members");
    expect(textOf({ ...claimed, pinned: 5 })["Who learns what"]).toContain(
      "as many of the study's hospitals as a sum has at least, 4 or more, must be among them",
    );
  });
});
