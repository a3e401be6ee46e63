import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { planText } from "@consilium/core/study/planFacts";
import { studyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { english } from "@consilium/runtime/http/spoken";
import { describe, expect, it } from "vitest";
import { testLedger } from "../../testing/ledger/ledger.js";
import type { TableConfig } from "../data/tableConfig.js";
import { unresolvedTables } from "../data/tableSources.js";
import { policySchema } from "../policy/policy.js";
import type { SiteStudy } from "../studies/records.js";
import { plannedOn, type StudyView } from "../studies/studyView.js";
import { Anchors } from "./anchors.js";
import { ledgerCharges } from "./charges.js";
import { epsilonOf } from "./epsilon.js";
import { spentUnder } from "./spending.js";

const usual = { epsilon: 1, delta: 1e-5 };

/** Two sums with noise, for which the hospital has as much budget as they cost together. */
function charged(
  unit: TableConfig["unit"] = "rows",
  epsilon = 1,
  privacy: "none" | object = usual,
  rules: { readonly perStudy?: object; readonly approval?: unknown; readonly isApproved?: boolean } = {},
) {
  const document = studyDocument(
    unwrap(
      parseStudy({
        name: "tight",
        table: "records",
        analysis: "pca",
        method: "dp-pca",
        privacy,
        parameters: { components: 2, form: "two-round" },
        participation: { minimumSites: 3, maxRowsPerSite: 1000 },
        features: ["a", "b", "c"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
      }),
    ),
  );
  const plan = planStudy(document.study);
  const record = {
    id: "tight-1",
    text: document.text,
    hash: document.hash,
    roster: null,
    planHash: null,
    planText: null,
  } as SiteStudy;
  const view = { record, document, plan } as StudyView;
  const { ledger, store } = testLedger();
  const budget = { epsilon, delta: 1e-5 };
  const { isApproved = true, ...keys } = rules;
  const policy = policySchema.parse({ ...keys, populations: { default: budget } });
  const tables = unresolvedTables([{ name: "records", unit }]);
  const charges = ledgerCharges({
    ledger,
    anchors: new Anchors("/nowhere"),
    policy: () => policy,
    methods: allMethods,
    tables,
    isApproved: () => isApproved,
  });
  const reserved = () => ledger.reserved(record.id).map((one) => `${one.stage} ${one.attempt}`);
  const [first, second] = plan.stages;
  return { ledger, charges, record, view, store, reserved, first: first!, second: second! };
}

describe("a study whose roster has become known", () => {
  it("is reserved anew, with the noise that its sums have now, within the same budget", () => {
    const { ledger, charges, record, view, first, second } = charged();
    const events = () => ledger.reserved(record.id).map(({ event }) => event);
    const eventsOf = ({ stages }: StudyView["plan"]) => stages.map(({ disclosure }) => disclosure.event);
    charges.reserveStudy(record);
    expect(events()).toEqual(eventsOf(view.plan));

    const known = { ...view, ...plannedOn(record, 12, allMethods) };
    expect(eventsOf(known.plan)).not.toEqual(eventsOf(view.plan));
    charges.reserveRunning(known);
    expect(events()).toEqual(eventsOf(known.plan));
    const { length } = ledger.entries();
    charges.reserveRunning(known);
    charges.reserveAttempt(known, known.plan.stages[0]!, 1);
    expect(ledger.entries()).toHaveLength(length);
    expect(events()).toEqual(eventsOf(known.plan));
    charges.reserveAttempt(known, known.plan.stages[1]!, 1);
    expect(events()).toEqual(eventsOf(known.plan));
    charges.commit(known, first, 1);
    charges.commit(known, second, 1);
    expect(charges.committed(record.id).map(({ event }) => event)).toEqual(eventsOf(known.plan));
  });

  it("is reserved so from the start where it continues after a failure", () => {
    const { ledger, charges, record } = charged();
    charges.reserveStudy({ ...record, roster: JSON.stringify(Array.from({ length: 12 }, () => ({}))) });
    const { plan } = plannedOn(record, 12, allMethods);
    expect(ledger.reserved(record.id).map(({ event }) => event)).toEqual(
      plan.stages.map(({ disclosure }) => disclosure.event),
    );
  });
});

describe("a plan that differs from the one that a study is charged by", () => {
  const differs = expect.objectContaining({ code: "PLAN_DIFFERS" });

  it("takes nothing's place once the study runs", () => {
    const { ledger, charges, record, view } = charged();
    charges.reserveStudy(record);
    charges.reserveRunning({ ...view, ...plannedOn(record, 12, allMethods) });
    const kept = ledger.reserved(record.id);
    const other = { ...view, ...plannedOn(record, 9, allMethods) };
    expect(() => charges.reserveAttempt(other, other.plan.stages[0]!, 1)).toThrow(differs);
    expect(ledger.reserved(record.id)).toEqual(kept);
  });

  it("is not reserved after a stage was charged, nor when the study is resumed", () => {
    const { ledger, charges, record, view, first } = charged();
    const roster = JSON.stringify(Array.from({ length: 12 }, () => ({})));
    const began = plannedOn(record, 12, allMethods);
    const running = { ...record, roster, planHash: began.planHash };
    charges.reserveStudy(running);
    charges.commit(view, first, 1);
    charges.release(record.id);
    const { length } = ledger.entries();
    const other = { ...view, ...plannedOn(record, 9, allMethods) };
    expect(() => charges.reserveRunning(other)).toThrow(differs);
    const resumed = { ...running, roster: JSON.stringify(Array.from({ length: 9 }, () => ({}))) };
    expect(inEnglish(() => charges.reserveStudy(resumed))).toThrow(differs);
    const known = { ...resumed, planText: planText(began.document.study, began.plan) };
    expect(inEnglish(() => charges.reserveStudy(known))).toThrow(
      /than the software that it began with, first at stages\.0\.noise\.\w+$/,
    );
    expect(ledger.entries()).toHaveLength(length);
    charges.reserveStudy(running);
    expect(ledger.reserved(record.id)).toHaveLength(1);
  });
});

describe("a study without privacy that earlier software has reserved, with a sentence for a reason", () => {
  it("is charged as it was set aside, and its statement is the same", () => {
    const { ledger, charges, record, view, first, second } = charged("rows", 1, "none");
    const early = { kind: "no-bound", reason: "the study asks for no privacy" } as const;
    expect(first.disclosure.event).toEqual({ kind: "no-bound", reason: "none" });
    ledger.reserve({
      study: record.id,
      population: "default",
      limit: null,
      stages: [first, second].map(({ id }) => ({ stage: id, attempt: 1, event: early, claimed: null })),
    });
    const { length } = ledger.entries();
    charges.reserveRunning(view);
    charges.reserveAttempt(view, first, 1);
    expect(ledger.entries()).toHaveLength(length);
    charges.commit(view, first, 1);
    charges.commit(view, second, 1);
    expect(charges.committed(record.id).map(({ event }) => event)).toEqual([early, early]);
    expect(ledger.verify().ok).toBe(true);
  });
});

describe("a further attempt", () => {
  it("takes the place of one that was not charged, within the same budget", () => {
    const { charges, record, view, reserved, first, second } = charged();
    charges.reserveStudy(record);
    charges.reserveAttempt(view, first, 2);
    expect(reserved().sort()).toEqual([`${second.id} 1`, `${first.id} 2`].sort());
    charges.commit(view, first, 2);
    charges.reserveAttempt(view, second, 2);
    expect(reserved()).toEqual([`${second.id} 2`]);
    charges.commit(view, second, 2);
    expect(reserved()).toEqual([]);
  });

  it("is reserved anew after the study failed, and was given back", () => {
    const { charges, record, view, reserved, first, second } = charged();
    charges.reserveStudy(record);
    charges.release(record.id);
    expect(reserved()).toEqual([]);
    charges.reserveStudy(record);
    charges.reserveAttempt(view, first, 2);
    expect(reserved()).toHaveLength(2);
    charges.commit(view, first, 2);
    charges.release(record.id);
    // What is charged needs no place any more, whatever its attempt.
    charges.reserveStudy(record);
    expect(reserved()).toEqual([`${second.id} 1`]);
  });

  it("is refused where what was charged has used the budget up, and nothing is given back by that", () => {
    const { charges, record, view, store, reserved, first, second } = charged();
    charges.reserveStudy(record);
    charges.commit(view, first, 1);
    const again = () => store.transaction(() => charges.reserveAttempt(view, first, 2));
    expect(again).toThrow(expect.objectContaining({ code: "BUDGET_EXHAUSTED" }));
    expect(reserved()).toEqual([`${second.id} 1`]);
  });
});

describe("all attempts of a study together", () => {
  type Charged = ReturnType<typeof charged>;
  /** Runs both stages at attempts 1, 2, … until the ledger refuses. @returns ε that was spent, and by which code it ended */
  const attempted = ({ ledger, charges, record, view, first, second, store }: Charged) => {
    let code: unknown = null;
    for (let attempt = 1; code === null; attempt++) {
      try {
        charges.release(record.id);
        charges.reserveStudy(record);
        for (const stage of [first, second])
          store.transaction(() => {
            charges.reserveAttempt(view, stage, attempt);
            charges.commit(view, stage, attempt);
          });
      } catch (thrown) {
        code = (thrown as { readonly code?: unknown }).code ?? thrown;
      }
    }
    const spent = spentUnder("default", ledger.totals.bookings());
    expect(ledger.verify().ok).toBe(true);
    return [epsilonOf(spent, 1e-5), code] as const;
  };
  const automatic = { automatic: { maxEpsilon: 1.3, maxDelta: 1e-5 } };

  it.each<[string, Parameters<typeof charged>[3], number, number]>([
    // Twice the plan's ρ, which is ε 1.5 for ε 1 and no more.
    ["twice what a person saw", {}, 1.4, 1.5],
    ["perStudy, although a person approved", { perStudy: { epsilon: 1.3, delta: 1e-5 } }, 1, 1.3],
    ["the automatic limit", { approval: automatic, isApproved: false }, 1, 1.3],
    [
      "perStudy, where a rule joins",
      { approval: "automatic", perStudy: { epsilon: 1.8, delta: 1e-5 }, isApproved: false },
      1.5,
      1.8,
    ],
    ["its plan, where that is the limit", { perStudy: { epsilon: 1, delta: 1e-5 } }, 0.9, 1],
  ])("cost no more than %s", (_, rules, least, most) => {
    const [epsilon, code] = attempted(charged("rows", 50, usual, rules));
    expect(code).toBe("CEILING_REACHED");
    expect(epsilon).toBeGreaterThan(least);
    expect(epsilon).toBeLessThanOrEqual(most + 1e-6);
  });

  it("cost the plan once more for each person who lets them, within perStudy", () => {
    const of = charged("rows", 50, usual, { perStudy: { epsilon: 1.7, delta: 1e-5 } });
    const [before] = attempted(of);
    of.charges.raiseCeiling(of.record);
    const [after, code] = attempted(of);
    expect([after > before, after <= 1.7, code]).toEqual([true, true, "CEILING_REACHED"]);
    expect(() => of.charges.raiseCeiling(of.record)).toThrow(
      expect.objectContaining({ code: "POLICY_EPSILON" }),
    );
    expect(of.ledger.entries().filter(({ entry }) => entry.kind === "ceiling")).toHaveLength(1);
  });

  it("are counted where nothing is proven, and for a study that an earlier ledger has begun", () => {
    const none = charged("rows", 50, "none");
    expect(attempted(none)).toEqual([0, "CEILING_REACHED"]);
    expect(none.ledger.committed(none.record.id)).toHaveLength(4);

    const early = charged("rows", 50);
    const { first, second, ledger, record, charges } = early;
    const stages = [first, second].map(({ id: stage, disclosure: { event, cost } }) => ({
      stage,
      attempt: 1,
      event,
      claimed: cost,
    }));
    ledger.reserve({ study: record.id, population: "default", limit: null, stages });
    charges.commit(early.view, first, 1);
    const [epsilon, code] = attempted(early);
    expect([epsilon > 1.4, epsilon <= 1.5, code]).toEqual([true, true, "CEILING_REACHED"]);
  });
});

describe("a study of rows where the hospital counts patients", () => {
  const unit = { patient: { column: "person", maxRows: 4 } };

  it("is charged 16 times, and the statement still has the plan's own events", () => {
    const rows = charged();
    const patients = charged(unit, 20);
    for (const { charges, record, view, first, second } of [rows, patients]) {
      charges.reserveStudy(record);
      charges.commit(view, first, 1);
      charges.commit(view, second, 1);
    }
    const spent = spentUnder("default", rows.ledger.totals.bookings()).rho;
    const charge = spentUnder("default", patients.ledger.totals.bookings()).rho;
    expect(charge).toBeGreaterThanOrEqual(16 * spent);
    expect(charge).toBeLessThan(16 * spent * (1 + 1e-12));
    expect(patients.ledger.verify().ok).toBe(true);
    expect(patients.charges.committed(patients.record.id)).toEqual(rows.charges.committed(rows.record.id));
    const units = patients.ledger.entries().map(({ entry }) => ("unit" in entry ? entry.unit : null));
    expect(units).toEqual([null, "patient", "patient", "patient"]);
  });

  it("is refused where the budget has room for rows alone, in the hospital's unit", () => {
    const { charges, record } = charged(unit);
    const error = (() => {
      try {
        charges.reserveStudy(record);
      } catch (thrown) {
        return thrown as Error;
      }
      return null;
    })();
    expect(error).toMatchObject({ code: "BUDGET_EXHAUSTED" });
    expect(english(error!.message)).toContain("per patient");
  });
});
