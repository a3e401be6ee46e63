import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { type Shown, shownSchema } from "@consilium/core/hospital/shown";
import { parseSha256, parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { nothingFound } from "@consilium/core/testing/nothingFound";
import { softwareBuild } from "@consilium/core/version";
import { parseStudy } from "@consilium/methods/testing/studies";
import { commandLineName } from "@consilium/runtime/commandLineName";
import { createInvitation } from "@consilium/runtime/identity/invitation";
import { osRandom } from "@consilium/runtime/random";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Answers, type Asked, serveAgent } from "../../testing/site/agent.js";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";
import { openSession } from "../session.js";
import { askedPopulations, populationsOf } from "./populations.js";
import { proxyOption } from "./proxyOptions.js";
import { type TableOption, type TableUnit, tableOption, unitOptions, writeSiteConfig } from "./siteConfig.js";
import { writeSitePolicy } from "./sitePolicy.js";

let home: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-site-"));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(home, { recursive: true, force: true });
});

async function run(argv: string[], input = "", answers?: string[]) {
  const io = capturedIo({
    workingFolder: home,
    environment: { CONSILIUM_HOME: home },
    input,
    ...(answers === undefined ? {} : { answers }),
  });
  return { exitCode: await runCli(["site", ...argv], io), out: io.out(), err: io.err() };
}

/** An agent of a site below the home folder. @returns what it was asked */
async function agentOf(site: string, answers: Answers): Promise<Asked[]> {
  const { asked, close } = await serveAgent(join(home, "sites", site), answers);
  closing.push(close);
  return asked;
}

const status = {
  site: "st-mary",
  federation: "north-sea",
  connected: false,
  connectedSince: null,
  lastFault: { code: "UNREACHABLE", message: "nothing listens" },
  certificateExpiresAt: "2026-02-01T00:00:00.000Z",
  signingKeyFingerprint: "ab".repeat(32),
  policy: { path: "/srv/st-mary/policy.yaml", state: "read", sha256: "0".repeat(64), fault: null },
  tables: ["patients"],
  budgets: [{ population: "default", unit: "patient", delta: 1e-6, limit: 3, held: 2.7304, fits: 1.05 }],
  unproven: [{ name: "as published" }],
  studies: [
    {
      id: "vitals-0123456789",
      status: "refused",
      code: "ROWS_TOO_FEW",
      reason: "1 row is usable, 2 are needed",
    },
  ],
};

describe("consilium site status", () => {
  it("shows connection, certificate and studies with the reason that stays at the site", async () => {
    await agentOf("st-mary", { status: [200, status] });
    const { exitCode, out } = await run(["status"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("not connected, retrying: [UNREACHABLE] nothing listens");
    expect(out).toContain("vitals-0123456789  refused  [ROWS_TOO_FEW] 1 row is usable, 2 are needed");
    expect(out).toContain(`signing key  ${"ab".repeat(32)}`);
    expect(out).toContain("policy       /srv/st-mary/policy.yaml\n");
    expect(out).toContain(
      "budget       default: epsilon 2.731 of 3 per patient at delta 0.000001 (91 %), a study of at most epsilon 1.05 still fits\n" +
        "  no proof     sent without proven protection: as published\n",
    );
    expect(JSON.parse((await run(["status", "--json"])).out)).toEqual(status);
  });

  it("says loudly that an invalid policy refuses every study, and who decides without one", async () => {
    const policy = {
      ...status.policy,
      state: "invalid",
      fault: "policy.yaml line 2: minimumSite is not a key",
    };
    await agentOf("st-mary", { status: [200, { ...status, policy }] });
    expect((await run(["status"])).out).toContain("every study is refused: policy.yaml line 2: minimumSite");
    await agentOf("st-john", {
      status: [200, { ...status, policy: { ...status.policy, state: "absent" } }],
    });
    expect((await run(["status", "--site", "st-john"])).out).toContain("every study needs manual approval");
  });

  it("does not say a code twice that the reason begins with", async () => {
    const studies = [
      { id: "a-0123456789", status: "refused", code: "POLICY_SITES", reason: "[POLICY_SITES] 3 of 4" },
    ];
    await agentOf("st-mary", { status: [200, { ...status, studies }] });
    expect((await run(["status"])).out).toMatch(/refused {2}\[POLICY_SITES\] 3 of 4$/m);
  });

  it("is 3 where no agent runs, 1 where there is no site, 2 where several are", async () => {
    expect((await run(["status"])).exitCode).toBe(1);
    await mkdir(join(home, "sites", "st-mary"), { recursive: true });
    const silent = await run(["status"]);
    expect(silent.exitCode).toBe(3);
    expect(silent.err).toContain(
      "no agent is running with this state folder. Start it with `consilium serve site`",
    );
    // A socket whose agent was killed is left behind.
    await agentOf("st-john", {});
    expect((await run(["status"])).err).toContain("several sites below");
    expect((await run(["status", "--site", "st-mary"])).exitCode).toBe(3);
    expect((await run(["status", "--state", "sites/st-mary"])).exitCode).toBe(3);
    expect((await run(["status", "--site", "../etc"])).exitCode).toBe(2);
  });
});

describe("consilium site profile", () => {
  it("sends the study and prints what the agent says", async () => {
    const study = join(import.meta.dirname, "../../fixtures/four-hospitals.yaml");
    const report = {
      table: "visits\u001b[2J",
      study: "vital-signs",
      files: 1,
      rows: 10,
      used: 9,
      rejected: 1,
      outside: null,
      malformed: 0,
      unsampled: 0,
      maxRowsPerSite: 100,
      minimumUsable: 80,
      check: nothingFound,
      patients: null,
      columns: [],
      label: null,
      problems: [],
    };
    const asked = await agentOf("st-mary", { profile: [200, report] });
    const { exitCode, out } = await run(["profile", study]);
    expect(exitCode).toBe(0);
    expect(out).toContain("Table visits [2J, as study vital-signs would see it.");
    expect(out).toMatch(/^Used {7}9 \(90\.0 %\)$/m);
    const [, sent] = asked[0] as [string, { study: { name: string }; values: boolean }];
    expect(sent.study.name).toBe("vital-signs");
    expect(sent.values).toBe(true);
    expect(JSON.parse((await run(["profile", study, "--json"])).out)).toEqual(report);
  });

  it("fails where the study cannot use the table", async () => {
    const sound = join(import.meta.dirname, "../../../examples/studies/wdbc-dp-pca.yaml");
    const published = join(import.meta.dirname, "../../fixtures/four-hospitals.yaml");
    const problem = { code: "COLUMN_TYPE", column: "age", count: 1, row: 1, file: null };
    const of = (used: number, problems: object[]) => ({
      table: "visits",
      study: "vitals",
      files: 1,
      rows: 10,
      used,
      rejected: 1,
      outside: null,
      malformed: 0,
      unsampled: 0,
      maxRowsPerSite: 100,
      minimumUsable: 80,
      check: nothingFound,
      patients: null,
      columns: [],
      label: null,
      problems,
    });
    const answers: Answers = {};
    await agentOf("st-mary", answers);
    const exitOf = async (study: string, report: object) => {
      answers.profile = [200, report];
      return (await run(["profile", study])).exitCode;
    };
    expect(await exitOf(published, of(9, []))).toBe(0);
    expect(await exitOf(published, of(9, [problem]))).toBe(1);
    expect(await exitOf(published, of(101, []))).toBe(1);
    // What does not fit is left out within the sums of a study with a proof.
    expect(await exitOf(sound, of(9, [problem]))).toBe(0);
    expect(await exitOf(sound, of(0, [problem]))).toBe(1);
  });

  it("passes the agent's own refusal on", async () => {
    const study = join(import.meta.dirname, "../../fixtures/four-hospitals.yaml");
    const refusal = { code: "TABLE_UNKNOWN", message: "no table patients", remedy: "name it" };
    await agentOf("st-mary", { profile: [400, refusal] });
    expect(await run(["profile", study])).toMatchObject({
      exitCode: 1,
      err: "[TABLE_UNKNOWN] no table patients. Name it.\n",
    });
  });
});

describe("a study that waits", () => {
  const soon = new Date(Date.now() + 3 * 3_600_000).toISOString();
  const { text, hash } = studyDocument(
    unwrap(
      parseStudy({
        name: "vitals",
        table: "visits",
        analysis: "pca",
        method: "dp-pca",
        variant: "sound",
        parameters: { components: 1 },
        privacy: { epsilon: 1, delta: 1e-6 },
        participation: { maxRowsPerSite: 1000, minimumSites: 3, tolerateColluding: 1 },
        features: [
          { name: "age", type: "numeric", min: 0, max: 120 },
          { name: "bmi", type: "numeric", min: 10, max: 60 },
        ],
      }),
    ),
  );
  const waiting = {
    id: "vitals-0123456789",
    status: "waiting for approval",
    words: "it waits for a person at this hospital",
    table: "visits",
    firstSeenAt: "2026-01-02T03:04:00.000Z",
    approveUntil: soon,
    code: null,
    reason: null,
    verdict: { allowed: true, code: null, message: null },
    text,
    hash,
    terms: { studyHash: hash, planHash: hash, policyHash: null, tableHash: hash },
    chargedUnit: null,
    maxEpsilon: null,
    pinned: 0,
    isCharged: false,
    found: null,
    population: { name: "default", budget: { epsilon: 2, delta: 1e-6 } },
    spent: { unit: "row", spentEpsilon: 0, remainingEpsilon: 2, unproved: 0, notes: ["A note\u001b[2J."] },
  };
  const joined = { ...waiting, status: "joined", words: "this hospital takes part", approveUntil: null };
  const answers = (over: Record<string, [number, unknown]> = {}): Record<string, [number, unknown]> => ({
    studies: [200, [waiting, { ...joined, id: "vitals-aaaaaaaaaa" }]],
    study: [200, waiting],
    approve: [200, { study: joined, connected: true }],
    refuse: [200, { study: joined, connected: true }],
    ...over,
  });

  it("is listed with what is to be done and until when", async () => {
    await agentOf("st-mary", answers());
    const { out } = await run(["studies"]);
    expect(out).toMatch(
      /vitals-0123456789 {2}visits {2}2026-01-02 03:04 {2}it waits for a person.*; until .* UTC, 3h from now/,
    );
    expect(out).toContain("this hospital takes part");
    expect(JSON.parse((await run(["studies", "--json"])).out)).toHaveLength(2);
    const late = { ...waiting, approveUntil: "2020-01-01T00:00:00.000Z" };
    await agentOf("st-john", { studies: [200, [late]] });
    expect((await run(["studies", "--site", "st-john"])).out).toContain(
      "the deadline to join was 2020-01-01 00:00 UTC",
    );
  });

  it("is shown in plain words, with what the policy says", async () => {
    await agentOf("st-mary", answers());
    const { out, exitCode } = await run(["show", "vitals-0"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("the hospital's policy allows it");
    expect(out).toContain("Privacy cost\n  Epsilon 1 at delta 1e-6, proven.");
    expect(out).toContain("A note [2J.");
    const refused = {
      ...waiting,
      verdict: { allowed: false, code: "POLICY_SITES", message: "[POLICY_SITES] 3 of 4." },
    };
    await agentOf("st-john", answers({ study: [200, refused] }));
    expect((await run(["show", "vitals-0", "--site", "st-john"])).out).toContain(
      "does not allow it: [POLICY_SITES]",
    );
  });

  it("is only approved after a yes or with --yes", async () => {
    const asked = await agentOf("st-mary", answers());
    const posts = () => asked.filter(([name]) => name === "approve" || name === "refuse").length;
    const denied = await run(["approve", "vitals-0"], "", ["no"]);
    expect(denied).toMatchObject({ exitCode: 1 });
    expect(denied.out).toContain("Privacy cost");
    expect(denied.out).toContain("No decision was made.");
    for (const input of [["approve"], ["approve", "--json"], ["refuse"]])
      expect(await run([...input, "vitals-0"], "yes\n")).toMatchObject({ exitCode: 2 });
    expect(posts()).toBe(0);
    expect((await run(["approve", "vitals-0"], "", ["yes"])).out).toContain(
      "Approved vitals-0123456789: this hospital takes part.",
    );
    expect(posts()).toBe(1);
    expect(JSON.parse((await run(["approve", "vitals-0", "--yes", "--json"])).out)).toMatchObject({
      study: { id: waiting.id, status: "joined", claim: { verdict: "proved" } },
      connected: true,
    });
  });

  it("is approved with what was shown to who was asked, without what the check of the table found", async () => {
    const asked = await agentOf("st-mary", answers({ studyProfile: [200, unusable] }));
    const given = () => asked.findLast(([name]) => name === "approve")![1] as { shown?: Shown };
    await run(["approve", "vitals-0"], "", ["yes", "yes"]);
    const { shown } = given();
    expect(shownSchema.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({ ...waiting.terms, language: "en", software: softwareBuild });
    expect(shown!.texts.join("\n")).toContain("Privacy cost\n  Epsilon 1 at delta 1e-6, proven.");
    expect(shown!.texts.at(-1)).toBe("Take part in vitals-0123456789?");
    expect(shown!.texts.join("\n")).not.toContain("1,485");
    await run(["approve", "vitals-0", "--yes"]);
    expect(given().shown).toBeUndefined();
  });

  const unusable = {
    table: "visits",
    study: "vitals",
    files: 1,
    rows: 1485,
    used: 0,
    rejected: 1485,
    outside: null,
    malformed: 0,
    unsampled: 0,
    maxRowsPerSite: 1000,
    minimumUsable: 80,
    check: nothingFound,
    patients: null,
    columns: [],
    label: null,
    problems: [{ code: "COLUMN_TYPE", column: "age", count: 1485, row: 1, file: null }],
  };

  it("is shown with what to check of the table, as the table check finds it", async () => {
    const remarks = [{ line: 'check.dates {"column":"born","format":"DD.MM.YYYY"}', entry: null }];
    const check = { ...nothingFound, remarks };
    await agentOf("st-mary", answers({ studyProfile: [200, { ...unusable, check }] }));
    const { out, exitCode } = await run(["show", "vitals-0"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("Your data: the study uses 0 of 1,485 rows.");
    expect(out).toMatch(/check {2}born holds dates written DD\.MM\.YYYY/);
    await agentOf("st-john", answers({ study: [200, { ...waiting, status: "joined" }] }));
    expect((await run(["show", "vitals-0", "--site", "st-john"])).out).not.toContain("Your data");
  });

  it("is approved by people who have seen how many of their rows it uses, and what to check", async () => {
    const flow = {
      unit: "patients",
      read: 1204,
      used: 1013,
      leftOut: [
        { cause: "level", count: 181 },
        { cause: "missing", count: 10 },
      ],
      beyond: [
        { column: "age", side: "below", bound: 18, count: 0 },
        { column: "age", side: "above", bound: 90, count: 7 },
      ],
    };
    const asked = await agentOf("st-mary", answers({ studyProfile: [200, { ...unusable, flow }] }));
    const { out } = await run(["approve", "vitals-0"], "", ["no"]);
    const before = out.slice(0, out.indexOf("Take part in"));
    expect(before).toContain("Your data: the study uses 0 of 1,485 rows.");
    expect(before).toContain("Patients read: 1,204");
    expect(before).toContain("Patients used: 1,013");
    expect(before.replaceAll(/\s+/g, " ")).toContain(
      "Patients left out: a value that is not declared: 181 and a missing value: 10",
    );
    expect(before.replaceAll(/\s+/g, " ")).toContain(
      "Patients used with a number set to its bound: age above 90: 7",
    );
    expect(before).toContain("this hospital would take part without data");
    expect(before).toMatch(/check {2}age: no number/);
    const once = await run(["approve", "vitals-0"], "", ["yes", "no"]);
    expect([once.exitCode, once.out]).toEqual([
      1,
      expect.stringContaining("With less than 80 % of the rows?"),
    ]);
    expect(asked.filter(([name]) => name === "approve")).toEqual([]);
    await run(["approve", "vitals-0"], "", ["yes", "yes"]);
    expect(asked.slice(-2).map(([name]) => name)).toEqual(["studyProfile", "approve"]);
    await run(["approve", "vitals-0", "--yes"]);
    expect(asked.slice(-2).map(([name]) => name)).toEqual(["studyProfile", "approve"]);
  });

  it("is profiled by its id, without its file", async () => {
    const asked = await agentOf("st-mary", answers({ profile: [200, unusable] }));
    const { exitCode, out } = await run(["profile", "vitals-0"]);
    expect(exitCode).toBe(1);
    expect(out).toContain("this hospital would take part without data");
    expect(asked.at(-1)![1]).toMatchObject({ study: { name: "vitals" }, values: true });
    expect((await run(["profile", "labs"])).err).toMatch(/^\[STUDY_UNKNOWN\]/);
    expect((await run(["profile", "labs.yaml"])).err).toMatch(/^\[CONFIG_INVALID\]/);
  });

  it("is not offered for approval where the budget has too little left, and says how much it needs", async () => {
    const chargedUnit = {
      epsilon: 3.667_9,
      delta: 1e-6,
      unit: "row",
      factor: 1,
      isDeclared: true,
      rowsOfEach: null,
    };
    const budget = { population: "default", delta: 1e-6, remainingBefore: 3, fits: false };
    const poor = { ...waiting, chargedUnit, budget };
    const asked = await agentOf("st-mary", answers({ study: [200, poor] }));
    const told = "needs epsilon 3.668, and 3 is left of the budget of population default";
    const { out } = await run(["show", "vitals-0"]);
    expect(out).toContain(`it cannot be approved: it ${told}`);
    expect(out).not.toContain("allows it");
    expect(await run(["approve", "vitals-0", "--yes"])).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/^\[BUDGET_EXHAUSTED\] .*needs epsilon 3\.668, and 3 is left/),
    });
    expect(asked.some(([name]) => name === "approve")).toBe(false);
  });

  it("is denied with a reason for this hospital only", async () => {
    const asked = await agentOf("st-mary", answers());
    const { exitCode, out } = await run(["refuse", "vitals-0", "--yes", "--reason", "the board has not met"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("Denied vitals-0123456789.");
    expect(asked.at(-1)).toEqual([
      "refuse",
      { id: "vitals-0123456789", by: commandLineName(), reason: "the board has not met" },
    ]);
    expect((await run(["refuse", "vitals-0"], "", ["yes"])).exitCode).toBe(0);
    expect(asked.at(-1)![1]).toMatchObject({ reason: null });
  });

  it("says when the aggregator cannot be told, and when it is too late", async () => {
    const late = { code: "APPROVAL_LATE", message: "study vitals could be joined until noon", remedy: "ask" };
    await agentOf("st-mary", answers({ approve: [200, { study: joined, connected: false }] }));
    await agentOf("st-john", answers({ approve: [400, late] }));
    expect((await run(["approve", "vitals-0", "--yes", "--site", "st-mary"])).out).toContain(
      `The agent is not connected. The aggregator is told when it reconnects, before ${soon}`,
    );
    expect(await run(["approve", "vitals-0", "--yes", "--site", "st-john"])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("[APPROVAL_LATE] study vitals could be joined until noon. Ask."),
    });
  });

  it("is found by the beginning of its id, if that is of one study", async () => {
    await agentOf("st-mary", answers());
    expect(await run(["show", "vitals"])).toMatchObject({ exitCode: 2 });
    expect((await run(["show", "labs"])).err).toMatch(/^\[STUDY_UNKNOWN\] no study labs has been offered/);
  });
});

describe("consilium site enroll", () => {
  const token = (expiresAt: number, address = "127.0.0.1:9") =>
    createInvitation({
      address,
      rootFingerprint: unwrap(parseSha256("0".repeat(64))),
      siteId: unwrap(parseSiteId("st-mary")),
      expiresAt,
      random: osRandom,
    }).token;

  it("looks at everything before the token is used", async () => {
    const good = token(Date.now() + 60_000);
    expect((await run(["enroll"])).exitCode).toBe(2);
    expect((await run(["enroll", "--token", good, "--token-file", "x"])).exitCode).toBe(2);
    expect((await run(["enroll", "--token", "nonsense"])).err).toMatch(/^\[TOKEN_INVALID\]/);
    expect((await run(["enroll", "--token", token(1)])).err).toMatch(/^\[TOKEN_EXPIRED\]/);
    expect((await run(["enroll", "--token", good, "--table", "patients"])).exitCode).toBe(2);
    expect((await run(["enroll", "--token", good, "--table", "patients=none.csv"])).err).toMatch(
      /^\[TABLE_UNREADABLE\] --table patients: .*none\.csv: no such file/,
    );
  });

  it("says 3 where the aggregator of the token does not answer, and never repeats the token", async () => {
    const secret = token(Date.now() + 60_000);
    const { exitCode, out, err } = await run(["enroll", "--token-file", "-"], `${secret}\n`);
    expect(exitCode).toBe(3);
    expect(err).toMatch(/^\[UNREACHABLE\]/);
    expect(out + err).not.toContain(secret.slice(5, 40));
  });
});

describe("a site's configuration", () => {
  const config = {
    aggregator: "a.example.org:7443",
    proxy: null,
    console: null,
    tables: [],
    csvHeader: false,
    allowNoPrivacy: false,
  };
  const session = () =>
    openSession(capturedIo({ workingFolder: home }), { color: false }, new AbortController().signal);

  it("names tables by absolute paths, SQLite ones with their table", async () => {
    await writeFile(join(home, "p.csv"), "age\n");
    await writeFile(join(home, "l.sqlite"), "");
    const units = unitOptions(["labs=patient:who: ever:5"], ["p=p.csv", "labs=l.sqlite#results"]);
    const tables = [
      await tableOption(await session(), "p=p.csv", units),
      await tableOption(await session(), "labs=l.sqlite#results", units),
    ];
    const path = await writeSiteConfig(home, { ...config, tables });
    expect(parse(await readFile(path, "utf8"))).toEqual({
      aggregator: "a.example.org:7443",
      proxy: "environment",
      tables: {
        p: { path: join(home, "p.csv") },
        labs: {
          path: join(home, "l.sqlite"),
          table: "results",
          unit: { patient: { column: "who: ever", maxRows: 5 } },
        },
      },
      allowNoPrivacy: false,
      console: { listen: "127.0.0.1:7082" },
      logLevel: "info",
    });
  });

  it("says of CSV tables that they have a header only where that was said", async () => {
    await mkdir(join(home, "visits", "2026"), { recursive: true });
    for (const name of ["p.CSV", "q.tsv.gz", "r.jsonl", "visits/2026/v.csv"])
      await writeFile(join(home, name), "age\n");
    const tables: TableOption[] = [];
    for (const written of ["p=p.CSV", "q=q.tsv.gz", "r=r.jsonl", "v=visits"])
      tables.push(await tableOption(await session(), written, new Map()));
    expect(tables.map(({ isCsv }) => isCsv)).toEqual([true, true, false, true]);
    const written = async (csvHeader: boolean) => {
      const path = await writeSiteConfig(home, { ...config, tables, csvHeader });
      return Object.values((parse(await readFile(path, "utf8")) as { tables: object }).tables);
    };
    const headed = { csv: { header: true } };
    expect(await written(true)).toMatchObject([headed, headed, { path: join(home, "r.jsonl") }, headed]);
    expect((await written(true))[2]).not.toHaveProperty("csv");
    for (const table of await written(false)) expect(table).not.toHaveProperty("csv");
  });

  it("takes a unit for each table that is named, and nothing else", () => {
    const tables = ["p=p.csv", "v=v.csv"];
    expect([...unitOptions(["p=rows", "v=patient:person:5"], tables)]).toEqual([
      ["p", "rows"],
      ["v", { patient: { column: "person", maxRows: 5 } }],
    ]);
    for (const wrong of [
      "p",
      "p=row",
      "p=patient:person",
      "p=patient:person:0",
      "p=patient::3",
      "other=rows",
    ])
      expect(() => unitOptions([wrong], tables), wrong).toThrow(ConsiliumError);
  });

  it("serves its pages where it was told, with the comments kept", async () => {
    const text = await readFile(await writeSiteConfig(home, { ...config, console: "127.0.0.1:0" }), "utf8");
    expect(parse(text).console).toEqual({ listen: "127.0.0.1:0" });
    expect(text).toContain("# The pages for the hospital's staff, on this machine only.\nconsole:");
  });

  it("keeps what the hospital wrote when it enrols again", async () => {
    await writeFile(
      join(home, "config.yaml"),
      "# ours\naggregator: old:1\ntables:\n  a: { path: /a.csv } # keep\nallowPaperVariants: true\nallowNoPrivacy: true\nlogLevel: debug\n",
    );
    const tables = [{ name: "b", path: "/b.csv", table: null, isCsv: true, unit: "rows" as const }];
    const text = await readFile(await writeSiteConfig(home, { ...config, tables }), "utf8");
    expect(text).toContain("# ours");
    expect(text).toContain("# keep");
    expect(parse(text)).toEqual({
      aggregator: "a.example.org:7443",
      tables: { a: { path: "/a.csv" }, b: { path: "/b.csv", unit: "rows" } },
      allowNoPrivacy: true,
      logLevel: "debug",
    });
  });

  it("holds a proxy with absolute paths, and never a password", async () => {
    const given = { proxy: "http://jo@p:3128", proxyPasswordFile: "pw", proxyCa: "ca.pem" };
    const path = await writeSiteConfig(home, { ...config, proxy: proxyOption(await session(), given) });
    expect(parse(await readFile(path, "utf8"))).toMatchObject({
      proxy: {
        url: "http://p:3128",
        username: "jo",
        passwordFile: join(home, "pw"),
        ca: join(home, "ca.pem"),
      },
    });
    await writeSiteConfig(home, { ...config, proxy: proxyOption(await session(), {}) });
    expect(parse(await readFile(path, "utf8"))).toMatchObject({ proxy: { url: "http://p:3128" } });
    await writeSiteConfig(home, { ...config, proxy: proxyOption(await session(), { proxy: false }) });
    expect(parse(await readFile(path, "utf8"))).toMatchObject({ proxy: "none" });
    const opened = await session();
    expect(() => proxyOption(opened, { proxy: "http://jo:secret@p:1" })).toThrow("--proxy holds a password");
    expect(() => proxyOption(opened, { proxy: "socks5://p:1" })).toThrow("is not an address");
    expect(() => proxyOption(opened, { proxyCa: "ca.pem" })).toThrow("--proxy is missing");
  });

  it("is left alone where it cannot be read", async () => {
    await writeFile(join(home, "config.yaml"), "tables: [\n");
    await expect(writeSiteConfig(home, config)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await readFile(join(home, "config.yaml"), "utf8")).toBe("tables: [\n");
  });
});

describe("a site's policy", () => {
  const proved = { allowPaperVariants: false, approval: null, populations: null };

  it("has a budget for each set of tables with the same patients, as the hospital says", () => {
    const table = (name: string, unit: TableUnit | null = "rows") => ({ name, unit });
    const tables = [table("tumours"), table("labs"), table("stroke"), table("stays-2025")];
    const of = (samePatients: string[], firstContact: string[] = []) =>
      populationsOf(tables, { samePatients, firstContact });
    expect(of([])).toBeNull();
    expect(of(["tumours,labs"], ["stays-2025"])).toEqual([
      { name: "tumours", tables: ["tumours", "labs"] },
      { name: "stays-2025", tables: ["stays-2025"] },
      { name: "default", tables: [] },
    ]);
    // A table that comes later belongs to none of them until somebody says so.
    expect(of(["tumours,labs", "stroke"], ["stays-2025"])!.map(({ name }) => name)).not.toContain("default");
    for (const wrong of [["tumour"], ["tumours,labs", "labs"]])
      expect(() => of(wrong)).toThrow(ConsiliumError);
    const visits = table("visits", { patient: { column: "person", maxRows: 3 } });
    const mixed = (samePatients: string[]) =>
      populationsOf([table("labs"), visits], { samePatients, firstContact: [] });
    expect(() => mixed([])).toThrow("would share one budget");
    expect(mixed(["visits"])).toHaveLength(2);
  });

  it("is asked for on a terminal, with years of first contact", async () => {
    const tables = ["tumours", "labs", "stays"].map((name) => ({ name, unit: "rows" as const }));
    const asked = async (...answers: string[]) => {
      const io = capturedIo({ workingFolder: home, answers });
      return askedPopulations(await openSession(io, { color: false }, new AbortController().signal), tables);
    };
    expect(await asked("", "")).toBeNull();
    expect(await asked("tumours, labs; stays", "stays")).toEqual([
      { name: "tumours", tables: ["tumours", "labs"] },
      { name: "stays", tables: ["stays"] },
    ]);
    const populations = await asked("tumours,labs", "stays");
    const text = await readFile(await writeSitePolicy(home, { ...proved, populations }), "utf8");
    expect(parse(text).populations).toEqual({
      tumours: { tables: ["tumours", "labs"], epsilon: 3, delta: 1e-6 },
      stays: { tables: ["stays"], epsilon: 3, delta: 1e-6 },
    });
    expect(text).toMatch(/# A population is a set of tables with the same patients[\s\S]*\npopulations:\n/);
  });

  it("is written with what holds without one, in words", async () => {
    const text = await readFile(await writeSitePolicy(home, proved), "utf8");
    expect(parse(text)).toEqual({
      variants: ["sound"],
      approval: "person",
      populations: { default: { epsilon: 3, delta: 1e-6 } },
    });
    expect(text.split("\n").filter((line) => line.startsWith("#")).length).toBeGreaterThan(4);
  });

  it("keeps what the hospital wrote when it enrols again, but for what is chosen now", async () => {
    await writeFile(join(home, "policy.yaml"), "# ours\nminimumSites: 5 # keep\nvariants: [sound]\n");
    await writeSitePolicy(home, proved);
    expect(await readFile(join(home, "policy.yaml"), "utf8")).toBe(
      "# ours\nminimumSites: 5 # keep\nvariants: [sound]\n",
    );
    await writeSitePolicy(home, { ...proved, allowPaperVariants: true, approval: "automatic" });
    const text = await readFile(join(home, "policy.yaml"), "utf8");
    expect(text).toContain("minimumSites: 5 # keep");
    expect(parse(text)).toEqual({
      minimumSites: 5,
      variants: ["sound", "paper"],
      approval: "automatic",
      perStudy: { epsilon: 1.5, delta: 1e-5 },
    });
  });

  it("is left alone where it cannot be read", async () => {
    await writeFile(join(home, "policy.yaml"), "- a\n");
    await expect(writeSitePolicy(home, proved)).rejects.toMatchObject({ code: "POLICY_INVALID" });
    expect(await readFile(join(home, "policy.yaml"), "utf8")).toBe("- a\n");
  });
});
