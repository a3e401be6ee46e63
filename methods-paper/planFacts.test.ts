import { readdirSync, readFileSync } from "node:fs";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { readSaid } from "@consilium/core/readSaid";
import { unwrap } from "@consilium/core/result";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { planStudy } from "@consilium/core/study/plan";
import { type PlanFacts, planText } from "@consilium/core/study/planFacts";
import type { Study } from "@consilium/core/study/study";
import { parseWritten } from "@consilium/core/study/writtenStudy";
import { readEvent, rhoOf } from "@consilium/gate/cost";
import { planSchema } from "@consilium/release/v3/schema";
import { entriesOf, eventOf } from "@consilium/release/v3/terms";
import { englishWith } from "@consilium/words/english";
import { germanWith } from "@consilium/words/german";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { allMethods } from "./all.js";
import { english } from "./english.js";
import { german } from "./german.js";

const folder = new URL("../examples/studies/", import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ""));
const textOf = (name: string): object => parse(readFileSync(new URL(`${name}.yaml`, folder), "utf8"));
const studyOf = (name: string) => unwrap(allMethods.parse(textOf(name)));
const factsOf = (study: Study): PlanFacts => JSON.parse(planText(study, planStudy(study))) as PlanFacts;

/** Every string in a value. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(stringsIn)];
}

describe.each(names)("the facts of %s", (name) => {
  const study = studyOf(name);
  const sites = study.participation.sites?.length ?? 6;
  const both: Study[] = [study, studyOnRoster(study, sites)];

  it("are what everything that is charged follows from, before there is a roster and on it", () => {
    for (const sized of both) {
      const plan = planStudy(sized);
      const facts = planSchema.parse(factsOf(sized));
      const { planned, read: events } = charges(sized);
      if (sized.variant === "sound" && sized.privacy !== "none") expect(events).toEqual(planned);
      else expect(planned.map(({ kind }) => kind)).toEqual(events.map(() => "no-bound"));
      expect(events.every((event) => readEvent(event) !== null)).toBe(true);
      const loss = plan.claim.lossDistribution;
      if (loss !== undefined) expect(entriesOf(facts)).toEqual(loss.entries);
      else expect(facts.accounting).not.toContain("pld/1");
    }
  });

  it("have no sentence", () => {
    for (const sized of both) expect(stringsIn(factsOf(sized)).filter((one) => /\s/.test(one))).toEqual([]);
  });

  it("stand beside codes alone, which both languages say", () => {
    const { warnings, claim, stages } = planStudy(study);
    const sent = stages.flatMap(({ disclosure: { what, learns, mechanism } }) => [what, learns, mechanism]);
    for (const text of new Set([...warnings, ...claim.reasons, ...sent])) {
      const said = readSaid(text);
      expect(said, text).not.toBeNull();
      for (const say of [englishWith(english), germanWith(german)]) expect(say(said!), text).toMatch(/\S/);
    }
  });

  it("are all there is to a plan: with other sentences it is the same text", () => {
    const plan = planStudy(study);
    const said = {
      ...plan,
      warnings: ["x"],
      claim: { ...plan.claim, unit: "x", neighbouringRelation: "x", proof: "x", reasons: ["x"] },
      stages: plan.stages.map((stage) => ({
        ...stage,
        disclosure: { ...stage.disclosure, what: "x", learns: "x", mechanism: "x" },
      })),
    };
    expect(planText(study, said)).toBe(planText(study, plan));
  });
});

/** Charges of a plan's stages, and those that a certificate's readers find by its facts alone. */
function charges(study: Study) {
  const facts = planSchema.parse(factsOf(study));
  return {
    planned: planStudy(study).stages.map(({ disclosure }) => disclosure.event),
    read: facts.stages.map((stage) => eventOf(stage, facts.unit)),
  };
}

it.each(["patients", "rows"])(
  "cost in a new study of patients what it is charged, where %s weigh alike",
  (weighting) => {
    const patient = { column: "who", maxRows: 4, weighting };
    const study = unwrap(parseWritten(allMethods, { ...textOf("wdbc-dp-pca"), patient }));
    const { planned, read } = charges(study);
    expect(planStudy(study).stages.map(({ id }) => id)).toEqual(["flow", "class-moments"]);
    expect(read).toEqual(planned);
  },
);

it("a number that sizes one stage otherwise is another plan, and costs otherwise", () => {
  const facts = factsOf(studyOf("wdbc-dp-pca"));
  const [stage] = facts.stages as [Extract<PlanFacts["stages"][number], { query: unknown }>];
  const noise = { ...stage.noise!, shareVariance: 4 * stage.noise!.shareVariance };
  const other = { ...facts, stages: [{ ...stage, noise }, ...facts.stages.slice(1)] };
  expect(canonicalJson(other)).not.toBe(canonicalJson(facts));
  const rho = (plan: PlanFacts) => {
    const read = planSchema.parse(plan);
    return rhoOf(eventOf(read.stages[0]!, read.unit));
  };
  expect(rho(other) / rho(facts)).toBeCloseTo(1 / 4, 3);
});
