import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { provedPlan, testRun, testSites } from "../../testing/release/statement.js";
import { canonicalJson } from "../canonicalJson.js";
import type { SiteId } from "../ids.js";
import type { SumStage } from "../study/plan.js";
import { maxAttemptsOfStage } from "../study/planFacts.js";
import type { StageAttempt } from "./attempts.js";
import { checkCountersignature, signStatement } from "./countersignature.js";
import {
  checkStatement,
  type OwnRecords,
  type Statement,
  statementHash,
  statementOf,
  statementText,
} from "./statement.js";

const sites = testSites(["a", "b", "c", "d", "e"]);
const plan = provedPlan();
const [first, second] = plan.stages.map((stage) => stage.id) as [never, never];
const all = sites.map((one) => one.site);
const withoutE = all.slice(0, 4);

/** The first stage was given up once, then lost site e; the second had everybody. */
const attempts: StageAttempt[] = [
  { stage: first, attempt: 1, survivors: null },
  { stage: first, attempt: 3, survivors: withoutE },
  { stage: second, attempt: 1, survivors: all },
];
const run = { ...testRun({ sites, plan }), attempts };
const statement = statementOf(run);
const text = statementText(statement);

function own(index: number, overrides: Partial<OwnRecords> = {}): OwnRecords {
  const site = all[index]!;
  return {
    ...run,
    site,
    attempts: attempts
      .filter((one) => one.survivors === null || one.survivors.includes(site))
      .map((one) => ({
        ...one,
        event: plan.stages.find((stage) => stage.id === one.stage)!.disclosure.event,
      })),
    signedBefore: null,
    ...overrides,
  };
}

function faultOf(given: string, records: OwnRecords): string {
  const checked = checkStatement(given, records);
  if (checked.ok) return "none";
  expect(checked.error.code).toBe("STATEMENT_INVALID");
  return checked.error.message;
}

const changed = (change: (copy: Statement) => void): string => {
  const copy = structuredClone(statement);
  change(copy);
  return canonicalJson(copy);
};

describe("a statement", () => {
  it("says who dropped at every attempt, and what the plan is", () => {
    expect(statement.attempts.map(({ dropped }) => dropped)).toEqual([null, ["e"], []]);
    expect(statement.plan.stages[0]).toEqual({
      kind: "sum",
      id: "first",
      broadcasts: [],
      ringBits: 32,
      query: { kind: "vector", parts: 1, length: 6, limit: 1_000_000 },
      scale: 1,
      noise: { shareVariance: 18_000_000, sites: 5, shares: 2 },
    });
  });

  it("holds no sentence", () => {
    const strings = leavesOf(statement).map((path) =>
      path.reduce<unknown>((at, name) => (at as never)[name], statement),
    );
    expect(strings.filter((one) => typeof one === "string" && one.includes(" "))).toEqual([]);
  });

  it("goes without a stage that the plan lets a study do without, and without no other", () => {
    const [one, two] = plan.stages as [(typeof plan.stages)[number], (typeof plan.stages)[number]];
    const given = { ...run, attempts: attempts.slice(0, 2) };
    const optional = { ...plan, stages: [one, { ...two, mayBeSkipped: true as const }] };
    expect(statementOf({ ...given, plan: optional }).attempts).toHaveLength(2);
    const other = { ...plan, stages: [{ ...one, mayBeSkipped: true as const }, two] };
    expect(() => statementOf({ ...given, plan: other })).toThrow(/second has no attempt/);
  });

  it("has at most so many attempts of a stage as are paid for", () => {
    const many = (count: number) => [
      ...Array.from({ length: count - 1 }, (_, index) => ({
        stage: first,
        attempt: index + 1,
        survivors: null,
      })),
      { ...attempts[1]!, attempt: 9_999 },
      attempts[2]!,
    ];
    expect(statementOf({ ...run, attempts: many(maxAttemptsOfStage) }).attempts).toHaveLength(21);
    expect(() => statementOf({ ...run, attempts: many(maxAttemptsOfStage + 1) })).toThrow(
      /more than 20 times/,
    );
  });

  it.each<[string, StageAttempt[], RegExp]>([
    ["no attempt at a stage", attempts.slice(0, 2), /second has no attempt/],
    ["only attempts that were given up", [attempts[0]!, attempts[2]!], /no attempt that succeeded/],
    ["two that succeeded", [attempts[1]!, { ...attempts[1]!, attempt: 4 }, attempts[2]!], /succeeded/],
    ["a number twice", [attempts[0]!, { ...attempts[1]!, attempt: 1 }, attempts[2]!], /out of order/],
    ["stages in another order", [attempts[2]!, ...attempts.slice(0, 2)], /first has no attempt/],
    ["a stage of no plan", [...attempts, { ...attempts[2]!, stage: "third" as never }], /not the plan's/],
    [
      "survivors below the threshold",
      [{ ...attempts[1]!, survivors: all.slice(0, 3) }, attempts[2]!],
      /3 survivors, 4/,
    ],
    [
      "a survivor twice",
      [{ ...attempts[1]!, survivors: ["a", "a", "b", "c"] as SiteId[] }, attempts[2]!],
      /in order, each once/,
    ],
    [
      "a stranger",
      [{ ...attempts[1]!, survivors: [...withoutE, "z" as SiteId] }, attempts[2]!],
      /not on the roster/,
    ],
  ])("is not made of %s", (_what, given, message) => {
    expect(() => statementOf({ ...run, attempts: given })).toThrow(message);
  });
});

describe("a site that is asked to sign", () => {
  it("signs what is true, whether it was in every sum or not", () => {
    for (const index of all.keys()) {
      const checked = checkStatement(text, own(index));
      expect(checked).toEqual({ ok: true, value: { hash: statementHash(text) } });
    }
  });

  it("refuses any single changed value", () => {
    let tried = 0;
    // What it cannot know: the result, of which it signs one.
    for (const path of leavesOf(statement).filter(([name]) => name !== "result")) {
      const altered = changed((copy) => alter(copy as unknown as Record<string, unknown>, path));
      expect(faultOf(altered, own(0)), path.join(".")).not.toBe("none");
      tried++;
    }
    expect(tried).toBeGreaterThan(50);
  });

  it("refuses when an attempt that it was charged for is left out, though the rest is consistent", () => {
    const concealed = statementText(statementOf({ ...run, attempts: attempts.slice(1) }));
    expect(faultOf(concealed, own(0))).toMatch(/leaves out stage first, attempt 1/);
    // The control: a site that was not in that attempt cannot know of it.
    expect(faultOf(concealed, own(0, { attempts: own(0).attempts.slice(1) }))).toBe("none");
  });

  it("allows attempts that it had no part in, not ones that count it", () => {
    expect(faultOf(text, own(4, { attempts: own(4).attempts.slice(1) }))).toBe("none");
    expect(faultOf(text, own(0, { attempts: own(0).attempts.slice(0, 2) }))).toMatch(/sent nothing there/);
  });

  it("refuses other survivors than it agreed to, and leaves a given-up attempt to the aggregator", () => {
    const records = (survivors: readonly SiteId[] | null, at: number) =>
      own(0, { attempts: own(0).attempts.map((one, index) => (index === at ? { ...one, survivors } : one)) });
    expect(faultOf(text, records(all, 1))).toMatch(/other survivors than were agreed/);
    expect(faultOf(text, records(all, 0))).toBe("none");
    // It sent its vector and never heard again: it may have been dropped, or counted.
    expect(faultOf(text, records(null, 1))).toBe("none");
  });

  it("refuses an event that is not what its ledger holds", () => {
    const dearer = own(0).attempts.map((one) => ({
      ...one,
      event: { kind: "no-bound", reason: "none" } as const,
    }));
    expect(faultOf(text, own(0, { attempts: dearer }))).toMatch(/not the event that this site was charged/);
  });

  it("refuses a statement on another roster, study, federation or plan", () => {
    expect(faultOf(text, own(0, { roster: { ...run.roster, hash: sha256("other") } }))).toMatch(/rosterHash/);
    expect(faultOf(text, own(0, { federation: { ...run.federation, name: "other" } }))).toMatch(/federation/);
    expect(faultOf(text, own(0, { federation: { ...run.federation, root: sha256("x") } }))).toMatch(/root/);
    expect(faultOf(text, own(0, { broadcasts: sha256("not all of them") }))).toMatch(/broadcasts/);
    expect(faultOf(text, own(0, { document: { ...run.document, hash: sha256("x") } }))).toMatch(
      /study\.hash/,
    );
    const [one, two] = plan.stages as [SumStage, SumStage];
    const finer = { ...plan, stages: [{ ...one, terms: { ...one.terms!, scale: 2 } }, two] };
    expect(faultOf(text, own(0, { plan: finer }))).toMatch(/plan\.stages\.0\.scale/);
    // What people are told of a plan is agreed with nobody.
    const said = { ...one, disclosure: { ...one.disclosure, what: "otherwise", learns: "otherwise" } };
    expect(faultOf(text, own(0, { plan: { ...plan, stages: [said, two], warnings: ["another"] } }))).toBe(
      "none",
    );
    expect(faultOf(text, own(0, { site: "z" as SiteId, attempts: [] }))).toMatch(/not on its roster/);
  });

  it("signs one statement about a study, and that one again", () => {
    expect(faultOf(text, own(0, { signedBefore: statementHash(text) }))).toBe("none");
    expect(faultOf(text, own(0, { signedBefore: sha256("another") }))).toMatch(/signed another statement/);
    // Another result of the same study is another statement.
    const other = statementText(statementOf({ ...run, result: sha256("another result") }));
    expect(faultOf(other, own(0))).toBe("none");
    expect(faultOf(other, own(0, { signedBefore: statementHash(text) }))).toMatch(/signed another statement/);
  });

  it("refuses whatever is not the one text of a statement", () => {
    for (const given of ["", "{}", "[]", "null", `${text} `, JSON.stringify(statement, null, 1)]) {
      expect(faultOf(given, own(0))).not.toBe("none");
    }
  });
});

describe("a countersignature", () => {
  const { site, privateKey, signingKey } = sites[0]!;
  const said = {
    site,
    ledgerHead: { sequence: 7, hash: sha256("head") },
    ledgerEntries: [sha256("one"), sha256("two")],
    software: "0.1.0",
  };
  const { studyId } = run;
  const signature = signStatement(privateKey, { ...said, studyId, statement: statementHash(text) });
  const whole = { ...said, signature };
  const of = { studyId, statement: text, signingKey };

  it("holds for one site, study, statement, ledger head and list of entries", () => {
    expect(checkCountersignature(whole, of).ok).toBe(true);
    const swapped = [...said.ledgerEntries].reverse();
    const wrong = [
      checkCountersignature({ ...whole, site: all[1]! }, of),
      checkCountersignature({ ...whole, ledgerHead: { ...said.ledgerHead, sequence: 8 } }, of),
      checkCountersignature({ ...whole, ledgerHead: { sequence: 7, hash: sha256("x") } }, of),
      checkCountersignature({ ...whole, software: "0.1.1" }, of),
      checkCountersignature({ ...whole, ledgerEntries: swapped }, of),
      checkCountersignature({ ...whole, ledgerEntries: swapped.slice(1) }, of),
      checkCountersignature(whole, { ...of, studyId: "sample-9999999999" as never }),
      checkCountersignature(whole, { ...of, statement: canonicalJson({ ...statement, federation: "x" }) }),
      checkCountersignature(whole, { ...of, signingKey: sites[1]!.signingKey }),
    ];
    for (const one of wrong)
      expect(one).toMatchObject({ ok: false, error: { code: "COUNTERSIGNATURE_INVALID" } });
  });
});

type Path = (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) {
    // An element may be changed, and one may be taken away.
    const inner = value.flatMap((item, index) => leavesOf(item, [...path, index]));
    return value.length === 0 ? inner : [...inner, [...path, -1]];
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...path, name]));
  }
  return [path];
}

/** Changes one value into another of its kind; the index -1 takes the last element away. */
function alter(root: Record<string, unknown>, path: Path): void {
  const last = path.at(-1)!;
  const parent = path.slice(0, -1).reduce<unknown>((at, name) => (at as never)[name], root) as never;
  if (last === -1) {
    (parent as unknown[]).pop();
    return;
  }
  const value: unknown = parent[last];
  const other = (text: string) =>
    /^[0-9a-f]{64}$/.test(text) ? sha256(text) : `${text.slice(0, -1)}${text.endsWith("q") ? "r" : "q"}`;
  const replaced =
    typeof value === "number"
      ? value + 1
      : typeof value === "string"
        ? other(value)
        : value === null
          ? 1
          : null;
  (parent as Record<string, unknown>)[String(last)] = replaced;
}
