/**
 * A hospital that approves by hand, among hospitals that do not: what the operator sees meanwhile, what the hospital's
 * staff reads and decides, and that a decision outlives the agent. Real processes, and the commands that a person types.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataProtectionView } from "@consilium/core/hospital/dataProtectionViews";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  anyCost,
  type CliResult,
  LocalFederation,
  type Member,
  waitUntil,
  writePolicy,
} from "../../scripts/localFederation.js";
import { markerNumbers, markerTexts } from "./markers.js";
import { goodRows, studyOf, writeTables } from "./tables.js";

const others = ["hospital-a", "hospital-b"];
const careful = "hospital-c";
const reason = "the ethics board meets in May";

let folder: string;
let federation: LocalFederation;
let agent: Member;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-approval-"));
  federation = await LocalFederation.create(join(folder, "home"), "harbour");
  const { good } = await writeTables(join(folder, "tables"));
  await Promise.all([
    ...others.map((id) => federation.addSite({ id, tables: { visits: good } })),
    federation.addSite({ id: careful, tables: { visits: good }, approval: "person" }),
  ]);
  agent = federation.site(careful);
  await federation.startConsole(careful);
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

const site = (verb: string, ...args: string[]): Promise<CliResult> =>
  federation.cli("site", verb, ...args, "--state", agent.state);

async function siteJson<T>(verb: string, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await site(verb, ...args, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

const start = (name: string, participation: object = {}) =>
  federation.startStudy(
    studyOf(name, { participation: { minimumSites: 3, maxRowsPerSite: 100, ...participation } }),
  );

const stateOf = (view: StudyView) => view.siteStates.find((one) => one.site === careful)!;

/** The operator sees that a person is to decide. */
function awaited(id: string): Promise<StudyView> {
  return federation.waitForStudy(id, (view) => stateOf(view).state === "awaiting approval");
}

async function ended(id: string): Promise<StudyView> {
  return waitUntil(
    async () => {
      const view = await federation.study(id).catch(() => null);
      return view === null || view.endedAt === null ? null : view;
    },
    60_000,
    `study ${id} to end`,
  );
}

/** What the data-protection officer is given of a study that ran; no record is in it. */
async function dataProtectionOf(id: string): Promise<void> {
  const document = await siteJson<DataProtectionView>("data-protection");
  const study = document.studies.find((one) => one.id === id)!;
  expect(study).toMatchObject({ joined: true, status: "released", decision: { outcome: "joined" } });
  expect(study.decision.person).toContain("command line");
  expect(study.spent.unproved).toBeGreaterThan(0);
  const log = JSON.parse(
    (await federation.cliOrThrow("ledger", "egress", "--state", agent.state, "--json")).stdout,
  ) as { messages: number }[];
  const sent = document.flows.reduce((sum, { sent }) => sum + (sent?.messages ?? 0), 0);
  // A heartbeat may have been sent since the document was made.
  const since = log.reduce((sum, { messages }) => sum + messages, 0) - sent;
  expect([0, 1, 2]).toContain(since);
  expect(study.left.map(({ what }) => what)).toEqual(
    expect.arrayContaining(["masked vector", "reduced rows"]),
  );
  expect(withoutMarkers(JSON.stringify(document))).toContain(document.hospital.rootFingerprint);
}

function withoutMarkers(text: string): string {
  for (const marker of [...markerTexts, ...markerNumbers.map(String)]) expect(text).not.toContain(marker);
  return text;
}

describe("approval by a person", () => {
  it("holds the study up in the operator's view, and outlives the agent", async () => {
    const { id } = await start("approved");
    await awaited(id);
    const view = await federation.waitForStudy(
      id,
      ({ siteStates }) => siteStates.filter(({ state }) => state === "accepted").length === others.length,
    );
    expect(stateOf(view).state).toBe("awaiting approval");
    expect(view.status).toBe("inviting");
    expect(view.deadlineAt).not.toBeNull();
    expect((await federation.cliOrThrow("study", "show", id)).stdout).toMatch(
      /hospital-c .*awaiting approval/,
    );

    await agent.stop("SIGKILL");
    await agent.start();
    await federation.waitForSites();
    await awaited(id);
    const [listed] = await siteJson<{ id: string; status: string; approveUntil: string }[]>("studies");
    expect(listed).toMatchObject({ id, status: "waiting for approval" });
    expect(Date.parse(listed!.approveUntil)).toBeGreaterThan(Date.now());

    const { stdout } = await site("show", id);
    for (const part of ["Data sent from this hospital", "Privacy cost", "allows it", "sets no limit"])
      expect(stdout).toContain(part);
    // Without a terminal nobody is asked, and nothing is decided.
    expect(await site("approve", id)).toMatchObject({ code: 2 });
    await awaited(id);

    const approved = await siteJson<{ study: { status: string }; connected: boolean }>(
      "approve",
      id,
      "--yes",
    );
    expect(approved).toMatchObject({ connected: true, study: { status: "joined" } });
    const released = await federation.waitForRelease(id);
    expect(released.rows).toBe(3 * goodRows);
    // The hospital hears of it a moment after the catalogue shows it; until then it has joined, and may say so again.
    await expect.poll(() => site("approve", id, "--yes")).toMatchObject({ code: 1 });
    await dataProtectionOf(id);
  });

  it("is durable before the aggregator hears of it", async () => {
    const { id } = await start("while-away");
    await awaited(id);
    await federation.aggregator.stop("SIGKILL");
    const { stdout } = await site("approve", id, "--yes");
    expect(stdout).toContain("The agent is not connected");
    await agent.stop("SIGKILL");
    const { stdout: atRest, stderr } = await site("data-protection");
    expect(stderr).toContain("reading their stores directly");
    expect(withoutMarkers(atRest)).toContain("approved by command line");
    await Promise.all([federation.aggregator.start(), agent.start()]);
    const released = await federation.waitForRelease(id);
    expect(stateOf(released).state).toBe("done");
  });

  it("may be refused, and the reason stays at the site", async () => {
    const { id } = await start("refused");
    await awaited(id);
    expect(await site("refuse", id, "--reason", reason, "--yes")).toMatchObject({ code: 0 });
    const view = await ended(id);
    expect(view.failure!.code).toBe("ROSTER_TOO_SMALL");
    expect(view.failure!.message).toContain(`refused by ${careful} (REFUSED_BY_SITE)`);
    expect((await site("studies")).stdout).toContain(`a person refused it: [REFUSED_BY_SITE] ${reason}`);
    const elsewhere = JSON.stringify(view) + (await federation.aggregator.log()) + (await agent.log());
    expect(elsewhere).not.toContain(reason);
    // What was decided has a record at each hospital: of the person's refusal, and of the joins that nobody was asked about.
    const denied = await site("record", id, "--render");
    expect([denied.code, denied.stderr]).toEqual([0, ""]);
    expect(denied.stdout).toMatch(
      /1 decision on record\n\n.*: denial; the hospital does not take part\n {2}verified: /,
    );
    expect(denied.stdout).toContain(`reason: ${reason}`);
    const { state } = federation.site(others[0]!);
    const alone = await federation.cli("site", "record", id, "--render", "--state", state);
    expect(alone.code).toBe(0);
    expect(alone.stdout).toMatch(
      /the policy, .*: joined without a person, as the policy allows\n {2}verified: /,
    );
    expect(alone.stdout).toContain("nothing was shown: nobody was asked");
  });

  it("that comes too late is refused, and the study can be resumed", async () => {
    const { id } = await start("late", { joinDeadline: "12s" });
    await awaited(id);
    const failed = await ended(id);
    expect(failed.failure!.message).toContain(`not approved yet by ${careful}`);
    const late = await site("approve", id, "--yes");
    expect(late.code).toBe(1);
    expect(late.stderr).toMatch(
      /\[APPROVAL_LATE\] study late-.* could be joined until .*nothing has left this hospital/,
    );
    await federation.cliOrThrow("study", "resume", id);
    await awaited(id);
    expect(await site("approve", id, "--yes")).toMatchObject({ code: 0 });
    await federation.waitForRelease(id);
  });

  it("waits on while the table is wrong, and the operator learns nothing of it", async () => {
    const table = join(folder, "tables", "good.csv");
    const good = await readFile(table, "utf8");
    const { id } = await start("wrong-table");
    await awaited(id);
    // They look at the same file.
    await federation.waitForStudy(
      id,
      ({ siteStates }) => siteStates.filter(({ state }) => state === "accepted").length === others.length,
    );
    try {
      await writeFile(table, good.replace("a,b,", "a,bb,"));
      const wrong = await site("approve", id, "--yes");
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("[COLUMN_MISSING]") });
      expect(stateOf(await awaited(id)).code).toBeNull();
    } finally {
      await writeFile(table, good);
    }
    expect(await site("approve", id, "--yes")).toMatchObject({ code: 0 });
    await federation.waitForRelease(id);
  });
});

describe("the policy file", () => {
  const refusedWith = async (name: string): Promise<string | null> => {
    const { id } = await start(name);
    return stateOf(await ended(id)).code;
  };

  it("counts from the next study on, without a restart", async () => {
    // Of a column that a policy denies nothing is announced, and the study would be refused before any hospital is asked.
    await writePolicy(agent.state, { announce: "nothing", approval: "automatic", minimumRows: goodRows + 1 });
    expect(await refusedWith("too-few-rows")).toBe("PREFLIGHT_FAILED");
    expect((await site("status")).stdout).toContain("[POLICY_ROWS]");
    await writePolicy(agent.state, { minimumRows: goodRows, columns: { visits: { deny: ["sex"] } } });
    expect(await refusedWith("denied-column")).toBe("POLICY_COLUMN");
    await writePolicy(agent.state, { columns: {}, perStudy: { ...anyCost, epsilon: 1e-9 } });
    expect(await refusedWith("too-dear")).toBe("POLICY_EPSILON");
    await writePolicy(agent.state, { perStudy: anyCost });
    const { id } = await start("allowed-again");
    await federation.waitForRelease(id);
  });

  it("that is invalid refuses every study, and status says which line", async () => {
    await writePolicy(agent.state, { minimumSite: 5 });
    expect(await refusedWith("unreadable")).toBe("POLICY_INVALID");
    expect((await site("status")).stdout).toMatch(
      /every study is refused: .*policy\.yaml line \d+: minimumSite is not a key/,
    );
  });
});

describe("pinned members", () => {
  it("keep a site out of a roster that it does not know", async () => {
    const fingerprint = async (id: string) => {
      const { stdout } = await federation.cliOrThrow(
        "site",
        "status",
        "--state",
        federation.site(id).state,
        "--json",
      );
      return (JSON.parse(stdout) as { signingKeyFingerprint: string }).signingKeyFingerprint;
    };
    const [known, unknown] = await Promise.all(others.map(fingerprint));
    // `stringify` leaves out what is undefined: the misspelt key of the test before goes.
    const policy = { minimumSite: undefined, approval: "automatic" };
    await writePolicy(agent.state, { ...policy, members: { [others[0]!]: known } });
    const { id } = await start("unpinned", { joinDeadline: "20s" });
    const failed = await ended(id);
    expect(failed.status).toBe("failed");
    await waitUntil(
      async () => ((await site("status")).stdout.includes("[ROSTER_UNPINNED]") ? true : null),
      60_000,
      "the site to say why",
    );
    await writePolicy(agent.state, { members: { [others[0]!]: known, [others[1]!]: unknown } });
    const pinned = await start("pinned");
    await federation.waitForRelease(pinned.id);
  });
});
