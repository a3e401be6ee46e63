import { readdirSync, readFileSync } from "node:fs";
import type { SiteId, StageId } from "@consilium/core/ids";
import { maxStatementBytes } from "@consilium/core/limits";
import { readSaid } from "@consilium/core/readSaid";
import type { StageAttempt } from "@consilium/core/release/attempts";
import { checkCountersignature } from "@consilium/core/release/countersignature";
import {
  certificateFault,
  certificateIssue,
  demandCertificate,
} from "@consilium/core/release/largestStatement";
import {
  checkStatement,
  type StatementInput,
  statementOf,
  statementText,
} from "@consilium/core/release/statement";
import { unwrap } from "@consilium/core/result";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { planStudy } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { studyDocument } from "@consilium/core/study/study";
import { parseWritten } from "@consilium/core/study/writtenStudy";
import { countersignaturesOf, testSites } from "@consilium/core/testing/release/statement";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { thresholdFor } from "@consilium/secure-sum/parameters";
import { sayEnglish } from "@consilium/words/english";
import { sayGerman } from "@consilium/words/german";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { allMethods } from "./all.js";

const folder = new URL("../examples/studies/", import.meta.url);
const written = (name: string) =>
  parse(readFileSync(new URL(`${name}.yaml`, folder), "utf8")) as Record<string, Record<string, unknown>>;
const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ""));

/** dp-histboost with so many trees: 5 stages each at the usual depth, and one more. */
function trees(count: number, more: Record<string, unknown> = {}) {
  const { parameters, participation, ...rest } = written("wdbc-dp-histboost");
  const { sites: _, ...others } = participation as Record<string, unknown>;
  return { ...rest, parameters: { ...parameters, depth: 4, trees: count, ...more }, participation: others };
}

const siteNames = (count: number) =>
  Array.from({ length: count }, (_, at) => `hospital-${String(at).padStart(4, "0")}`);
const fakeSites = (ids: readonly string[]) =>
  [...ids].sort().map((site, at) => ({ site: site as SiteId, signingKey: new Uint8Array(32).fill(at) }));

/** A study as it would run on these sites. */
function planned(study: Study, members: StatementInput["roster"]["members"]) {
  const document = documentOnRoster(studyDocument(study), members.length);
  return {
    federation: { name: "test-federation", root: sha256("root") },
    studyId: `${study.name}-0123456789` as StatementInput["studyId"],
    document,
    plan: planStudy(document.study),
    roster: { hash: document.hash, members },
  };
}

const onSites = (raw: unknown, count: number) =>
  planned(unwrap(allMethods.parse(raw)), fakeSites(siteNames(count)));
/** Of what is known when a study has run. */
const hashes = { result: sha256("result"), broadcasts: sha256("broadcasts") };
const codeOf = (line: string | null) => (line === null ? null : readSaid(line)!.code);

describe("a study with a thousand stages and one", () => {
  it("is certified in the end", () => {
    const sites = testSites(["a", "b", "c", "d"]);
    const study = unwrap(allMethods.parse(trees(200)));
    const run = planned(study, sites);
    expect(run.plan.stages).toHaveLength(1001);
    expect(certificateFault(run)).toBeNull();
    const survivors = sites.map(({ site }) => site);
    const attempts = run.plan.stages.map(({ id }) => ({ stage: id, attempt: 1, survivors }));
    const text = statementText(statementOf({ ...run, ...hashes, attempts }));
    for (const { site } of sites) {
      const own = attempts.map((one, at) => ({ ...one, event: run.plan.stages[at]!.disclosure.event }));
      expect(
        checkStatement(text, { ...run, ...hashes, site, attempts: own, signedBefore: null }),
      ).toMatchObject({
        ok: true,
      });
    }
    const signatures = countersignaturesOf(text, run.studyId, sites);
    for (const [at, one] of signatures.entries()) {
      const of = { studyId: run.studyId, statement: text, signingKey: sites[at]!.signingKey };
      expect(checkCountersignature(one, of)).toEqual({ ok: true, value: null });
    }
  });
});

describe("a study whose statement would be longer than its readers take", () => {
  it.each([
    [199, 250],
    [100, 600],
    [50, 1000],
  ])("with %i trees is refused on a roster of %i sites, with how many it has room for", (count, sites) => {
    const raw = trees(count);
    expect(parseWritten(allMethods, raw).ok).toBe(true);
    const fault = readSaid(certificateFault(onSites(raw, sites))!)!;
    expect(fault).toMatchObject({ code: "study.statement-too-large", params: { sites, max: 1_500_000 } });
    const { fits } = fault.params as { fits: number };
    expect(fits).toBeLessThan(sites);
    expect(certificateFault(onSites(raw, fits - 1))).toBeNull();
    expect(codeOf(certificateFault(onSites(raw, fits + 2)))).toBe("study.statement-too-large");
    expect(sayEnglish(fault)).toContain(`room for ${fits} sites`);
    expect(() => demandCertificate(onSites(raw, sites))).toThrow(
      /^\[?(?:STUDY_INVALID)?.*study\.statement-too-large/,
    );
  });

  it("is refused when it is written, where it names its sites", () => {
    const raw = trees(199);
    const named = (sites: number) => ({
      ...raw,
      participation: { ...raw.participation, sites: siteNames(sites) },
    });
    const refused = parseWritten(allMethods, named(400));
    const issues = refused.ok ? [] : refused.error.issues;
    expect(issues.map((issue) => [issue.path, codeOf(issue.message)])).toEqual([
      ["participation.sites", "study.statement-too-large"],
    ]);
    expect(parseWritten(allMethods, named(20)).ok).toBe(true);
  });
});

describe("given-up attempts", () => {
  it("are refused before the one that nobody pays for", () => {
    const run = onSites(written("wdbc-dp-pca"), 60);
    const first: StageId = run.plan.stages[0]!.id;
    const asked = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ stage: first, attempt: at + 1 }));
    expect(certificateFault({ ...run, attempts: asked(20) })).toBeNull();
    const fault = readSaid(certificateFault({ ...run, attempts: asked(21) })!)!;
    expect(fault).toEqual({ code: "study.too-many-attempts", params: { stage: first, max: 20 } });
    expect(sayEnglish(fault)).toContain("attempted 20 times");
    expect(sayGerman(fault)).toContain("20-mal");
  });
});

describe("whatever is accepted", () => {
  it.each(names)(
    "of %s on any roster has a statement that its readers take, however the study goes",
    (name) => {
      const study = unwrap(allMethods.parse(written(name)));
      const { minimumSites, tolerateColluding } = study.participation;
      const { sites: _, ...participation } = study.participation;
      const open = { ...study, participation } as Study;
      expect(certificateIssue(open)).toBeNull();
      fc.assert(
        fc.property(
          fc.integer({ min: minimumSites, max: 1000 }),
          fc.infiniteStream(fc.nat()),
          (count, choices) => {
            const next = (below: number) => choices.next().value! % below;
            const run = planned(open, fakeSites(siteNames(count)));
            const everybody = run.roster.members.map(({ site }) => site);
            const needed =
              run.plan.masking === "dealer"
                ? count
                : thresholdFor({ sites: count, minimumSites, tolerateColluding });
            const attempts: StageAttempt[] = [];
            for (const { id, mayBeSkipped } of run.plan.stages) {
              if (mayBeSkipped && next(3) === 0) continue;
              const number = 1 + next(999_000);
              for (let given = next(4); given > 0; given--) {
                const one = { stage: id, attempt: number + 5 - given };
                if (certificateFault({ ...run, attempts: [...attempts, one] }) === null)
                  attempts.push({ ...one, survivors: null });
              }
              const from = next(count - needed + 1);
              const one = { stage: id, attempt: number + 9, survivors: everybody.slice(from) };
              if (certificateFault({ ...run, attempts: [...attempts, one] }) !== null) return;
              attempts.push(one);
            }
            const text = statementText(statementOf({ ...run, ...hashes, attempts }));
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxStatementBytes);
          },
        ),
        { numRuns: 3 },
      );
    },
  );
});
