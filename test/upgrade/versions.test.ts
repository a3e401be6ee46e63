/**
 * Two versions of this software run studies together, in any mix, and each party changes its version in the middle of one: over real
 * processes, the other version made of this one with every sentence, an edition and the version replaced (support/otherVersion.ts).
 */
import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteView, StudyView } from "@consilium/core/operator/views";
import { inGate, isWholeRun } from "@consilium/core/testing/wholeRun";
import { formatStrings } from "@consilium/release/testing/formatStrings";
import { openLibsql } from "@consilium/runtime/store/driver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliResult, LocalFederation, type Member, writePolicy } from "../../scripts/localFederation.js";
import { FaultFederation, stored } from "../support/faultFederation.js";
import { studyOfSums } from "../support/ledgerKills.js";
import { limitByProgress } from "../support/limitByProgress.js";
import { methodOfNextEdition, OtherVersion } from "../support/otherVersion.js";
import { clippedStudy, commitsOf, Staircase } from "../support/secureSums.js";

limitByProgress();

type Version = "this" | "other";

const sites = ["alpha", "beta", "gamma", "delta", "epsilon"];
const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const studies = readdirSync(join(examples, "studies")).filter((name) => name.endsWith(".yaml"));
let folder: string;
let other: OtherVersion;
let federation: FaultFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-versions-"));
  other = await OtherVersion.make("0.2.0");
  federation = await FaultFederation.create(Object.fromEntries(sites.map((id) => [id, 300])));
  keepSums();
});
afterAll(async () => {
  await federation?.remove();
  other?.remove();
  await rm(folder, { recursive: true, force: true });
});

// ---- who runs what --------------------------------------------------------------------------------------------------

const runs = new Map<Member, Version>();
const versionOf = (member: Member): Version => runs.get(member) ?? "this";

/** Ends a process as for an upgrade, and starts it as this version. */
async function upgrade(member: Member, to: Version): Promise<void> {
  if (versionOf(member) === to) return;
  await member.stop();
  member.becomes(to === "this" ? undefined : other.program(member.role));
  runs.set(member, to);
  await member.start();
}

/** Those that are named run the other version, everybody else this one. */
async function mix(others: readonly string[]): Promise<void> {
  const of = (id: string): Version => (others.includes(id) ? "other" : "this");
  await upgrade(federation.local.publisher, of("publisher"));
  await upgrade(federation.aggregator, of("aggregator"));
  await Promise.all(sites.map((id) => upgrade(federation.site(id), of(id))));
  await federation.waitForPresence(sites, "online");
}

/** `consilium …` of a version. */
const cli = (version: Version, ...args: string[]): Promise<CliResult> =>
  version === "this" ? federation.local.cli(...args) : other.cli(federation.local.environment, ...args);

// ---- what comes of a study ------------------------------------------------------------------------------------------

/** Of clipped rows, without noise: the sums are the tables' own. */
const exact = (name: string): object => clippedStudy({ name, sites, minimumSites: 5, form: "two-round" });

/** An analyst gets the release, and each version verifies it. */
async function verified(local: LocalFederation, view: StudyView): Promise<void> {
  const to = join(folder, view.id);
  const { id, url } = view.release!;
  await local.cliOrThrow("release", "get", id, "--publisher", new URL(url).origin, "--to", to);
  const authority = join(local.aggregator.state, "identity", "root.pem");
  for (const version of ["this", "other"] as const) {
    const { code, stderr } = await cli(version, "release", "verify", to, "--authority", authority);
    expect(code, `${version} version: ${stderr}`).toBe(0);
  }
}

/** Released, verified by both versions, and each stage charged once by each of the sites. */
async function released(study: StudyView, by: readonly string[] = sites): Promise<StudyView> {
  const view = await federation.ended(study, "released");
  await verified(federation.local, view);
  const stages = view.steps.filter(({ kind }) => kind === "sum").map(({ id }) => `${id} 1`);
  expect(stages).not.toHaveLength(0);
  for (const site of by) expect(commitsOf(federation.site(site), view.id), site).toEqual(stages);
  return view;
}

/** Keeps, beside the aggregator's own tables, the sums of all studies: it forgets small ones when a study has ended. */
function keepSums(): void {
  const database = openLibsql(join(federation.aggregator.state, "state.db"));
  try {
    database.exec(`
      CREATE TABLE test_sums (study TEXT, stage TEXT, sum TEXT);
      CREATE TRIGGER test_keep_sums AFTER INSERT ON results WHEN NEW.content IS NOT NULL BEGIN
        INSERT INTO test_sums VALUES (NEW.study, NEW.step, hex(NEW.content));
      END;`);
  } finally {
    database.close();
  }
}

/** The sum of each stage, as the aggregator has it. */
function sumsOf({ id }: StudyView): unknown {
  const sums = stored(federation.aggregator, "SELECT stage, sum FROM test_sums WHERE study = ?", id);
  expect(sums.map(({ stage }) => stage)).toEqual(["flow", "pooled-moments", "class-moments"]);
  return sums;
}

let ofOneVersion: unknown;

/** What processes of one version come to over the same tables. */
async function sumsOfOneVersion(): Promise<unknown> {
  if (ofOneVersion === undefined) {
    await mix([]);
    ofOneVersion = sumsOf(await released(await federation.local.startStudy(exact("one-version"))));
  }
  return ofOneVersion;
}

/** A study of three stages, with noise or without, in whose last one something happens. */
async function inTheMiddle(study: object, happens: () => Promise<void>): Promise<StudyView> {
  const held = await Staircase.start(federation, study, ["alpha", "beta"]);
  await held.holdAt("class-moments");
  await happens();
  held.letGo();
  return released(held.study);
}

// ---- the gate's -----------------------------------------------------------------------------------------------------

/** What a plan says, line by line: three words after each other are a sentence, if the study's text has them not. */
function sentencesIn(printed: string, text: string): string[] {
  return printed.split("\n").filter((line) => {
    const words = /[a-z]{2,}(?: [a-z]{2,}){2,}/.exec(line)?.[0];
    return words !== undefined && !text.includes(words) && !formatStrings.has(words);
  });
}

it.each(inGate(["wdbc-describe.yaml", "wdbc-none.yaml"], { whole: studies }))(
  "the other version says all of %s in other sentences, and plans it alike",
  async (name) => {
    const path = join(examples, "studies", name);
    const planned = async (version: Version) => {
      const { code, stdout, stderr } = await cli(version, "study", "plan", path);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    const [own, theirs] = [await planned("this"), await planned("other")];
    const hash = / [0-9a-f]{64}$/m;
    expect(hash.exec(theirs)![0]).toBe(hash.exec(own)![0]);
    const sentences = sentencesIn(own, await readFile(path, "utf8"));
    expect(sentences.length).toBeGreaterThan(10);
    const lines = new Set(theirs.split("\n"));
    expect(sentences.filter((line) => lines.has(line))).toEqual([]);
  },
);

it("the other version has other sentences in every package", () => {
  const counts = [...other.replaced.values()];
  expect(Math.min(...counts)).toBeGreaterThan(10);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(8_000);
});

it("one site of five runs the other version, and changes to this one in the middle of a study", async () => {
  await mix(["epsilon"]);
  const running = await federation.local.api<SiteView[]>("GET", "/api/sites");
  expect(running.find(({ id }) => id === "epsilon")?.software).toBe(other.version);
  const mixed = await inTheMiddle(exact("one-of-five"), () => upgrade(federation.site("epsilon"), "this"));
  expect(sumsOf(mixed)).toEqual(await sumsOfOneVersion());
});

// ---- the whole run's ------------------------------------------------------------------------------------------------

if (isWholeRun)
  describe("in the whole run", () => {
    it.each([
      ["the aggregator runs the other version", ["aggregator"]],
      ["the publisher runs the other version", ["publisher"]],
      ["the sites run the other version", sites],
      ["all but one site run the other version", ["aggregator", ...sites.slice(1)]],
    ])("%s", async (_, others) => {
      const expected = await sumsOfOneVersion();
      await mix(others);
      const { local } = federation;
      expect(sumsOf(await released(await local.startStudy(exact("mixed"))))).toEqual(expected);
      await released(await local.startStudy(studyOfSums("mixed-with-noise", sites)));
    });

    const versions = ["this", "other"] as const;
    const parties = (...names: string[]) =>
      names.flatMap((party) => versions.map((to) => [party, to] as const));
    const member = (party: string): Member => {
      if (party === "aggregator") return federation.aggregator;
      return party === "publisher" ? federation.local.publisher : federation.site(party);
    };

    it.each(parties("aggregator", "publisher", "epsilon"))(
      "%s becomes %s version in the middle of a study",
      async (party, to) => {
        const expected = await sumsOfOneVersion();
        await mix(to === "this" ? [party] : []);
        const change = () => upgrade(member(party), to);
        expect(sumsOf(await inTheMiddle(exact("in-the-middle"), change))).toEqual(expected);
        await mix(to === "this" ? [party] : []);
        await inTheMiddle(studyOfSums("in-the-middle-with-noise", sites), change);
      },
    );

    it.each(parties("aggregator", "epsilon"))(
      "%s becomes %s version while a person decides",
      async (party, to) => {
        await mix(to === "this" ? [party] : []);
        const deciding = federation.site("epsilon");
        await writePolicy(deciding.state, { approval: "person" });
        const study = await federation.local.startStudy(studyOfSums("decided", sites));
        const awaited = () =>
          federation.until("a person to be asked", async () => {
            const { siteStates } = await federation.local.study(study.id);
            return (
              siteStates.some(({ site, state }) => site === "epsilon" && state === "awaiting approval") ||
              null
            );
          });
        await awaited();
        await upgrade(member(party), to);
        await federation.waitForPresence(sites, "online");
        await awaited();
        const decision = ["site", "approve", study.id, "--yes", "--state", deciding.state];
        const { code, stderr } = await cli(versionOf(deciding), ...decision);
        expect(code, stderr).toBe(0);
        await writePolicy(deciding.state, { approval: "automatic" });
        await released(study);
      },
    );

    it("a study of an edition that one version has runs at the sites that know it", async () => {
      const knowing = sites.slice(0, 3);
      await mix(["aggregator", ...knowing]);
      const {
        features,
        label: _,
        parameters: __,
        ...text
      } = studyOfSums("next-edition", sites) as {
        features: object;
        label: object;
        parameters: object;
      };
      const counts = {
        ...text,
        analysis: "describe",
        method: methodOfNextEdition,
        parameters: { conditions: [{ name: "all", all: [] }] },
        features,
      };
      const study = await federation.local.startStudy({ ...counts, edition: 2 });
      const { siteStates } = await released(study, knowing);
      for (const site of sites.slice(3))
        expect(siteStates.find((one) => one.site === site)).toMatchObject({ code: "STUDY_NEWER" });
      const views = await federation.local.api<SiteView[]>("GET", "/api/sites");
      const behind = views.filter((one) => one.behind.length > 0);
      expect(behind.map(({ id }) => id).sort()).toEqual(sites.slice(3).sort());
      expect(behind[0]!.behind).toEqual([{ what: methodOfNextEdition, speaks: 1, newest: 2 }]);
      const { participation } = text as unknown as { participation: object };
      const newest = async (named: readonly string[]) => {
        const asked = { ...counts, participation: { ...participation, minimumSites: 3, sites: named } };
        const begun = await federation.local.startStudy(asked);
        await released(begun, named);
        return (begun.study as { edition?: number }).edition;
      };
      expect(await newest(knowing)).toBe(2);
      expect(await newest(sites)).toBeUndefined();
    });

    it("all examples run at once where half of the sites run the other version", async () => {
      await federation.local.stop();
      const local = await LocalFederation.create(join(folder, "examples"), "examples");
      try {
        const hospitals = ["a", "b", "c", "d"].map((letter) => `hospital-${letter}`);
        for (const [at, id] of hospitals.entries()) {
          const tables = {
            biopsies: join(examples, `data/${id}.csv`),
            trial: join(examples, `data/trial/${id}.csv`),
          };
          const program = at % 2 === 0 ? {} : { program: other.program("site-agent") };
          await local.addSite({ id, tables, allowNoPrivacy: true, ...program });
        }
        await local.waitForSites();
        const begun: StudyView[] = [];
        for (const name of studies)
          begun.push(await local.startStudy(await readFile(join(examples, "studies", name), "utf8")));
        for (const { id } of begun) {
          const view = await local.waitForRelease(id, 1_500_000);
          await verified(local, view);
          for (const hospital of hospitals) {
            const charged = commitsOf(local.site(hospital), id);
            expect(charged).not.toHaveLength(0);
            expect(new Set(charged).size, `${view.name} at ${hospital}`).toBe(charged.length);
          }
        }
      } finally {
        await local.remove();
      }
    });
  });
