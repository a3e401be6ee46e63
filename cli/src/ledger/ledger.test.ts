import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Answers, type Asked, serveAgent } from "../../testing/site/agent.js";
import { capturedIo } from "../../testing/terminal/io.js";
import { runCli } from "../run.js";
import { plainStyle } from "../terminal/style.js";
import { egressTable, entriesCsv, type Ledger, ledgerText } from "./ledgerText.js";

let home: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "consilium-ledger-"));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(home, { recursive: true, force: true });
});

async function run(argv: string[], answers?: string[]) {
  const io = capturedIo({
    workingFolder: home,
    environment: { CONSILIUM_HOME: home },
    ...(answers === undefined ? {} : { answers }),
  });
  return { exitCode: await runCli(["ledger", ...argv], io), out: io.out(), err: io.err() };
}

/** The agent of the only site. @returns what it was asked */
async function agentOf(answers: Answers): Promise<Asked[]> {
  const { asked, close } = await serveAgent(join(home, "sites", "st-mary"), answers);
  closing.push(close);
  return asked;
}

const names = (asked: readonly Asked[]) => asked.map(([name]) => name);

const hash = "ab".repeat(32);
const cost = { epsilon: 0.123456, delta: 1e-6, unit: "patient" as const, claimedEpsilon: null };
const entry = {
  sequence: 2,
  at: "2026-01-02T03:04:05.000Z",
  kind: "commit" as const,
  populations: ["default"],
  study: "vitals-0123456789",
  stages: ["moments 1"],
  cost,
  hash,
};
const population = {
  name: "default",
  tables: ["patients"],
  delta: 1e-6,
  unit: "patient" as const,
  limit: 2,
  spent: 0.50001,
  reserved: 0.25,
  remaining: 1.24999,
  unbounded: 0,
  notes: ["Earlier studies count per row."],
};
const ledger: Ledger = {
  federation: "north-sea",
  site: "st-mary",
  head: { sequence: 2, hash },
  behind: null,
  populations: [population],
  entries: [entry],
};
const lost = {
  population: "default",
  unit: "row" as const,
  epsilon: 0.30001,
  delta: 1e-6,
  claimedEpsilon: null,
  unbounded: 2,
};
const behind = { sequence: 9, isKnown: true, lost: [lost] };
const report = {
  federation: "north-sea",
  site: "st-mary",
  entries: 2,
  verifiedFrom: 1,
  archives: [],
  head: { sequence: 2, hash },
  keys: [hash],
  populations: [],
  anchors: [{ from: "ledger-anchor.json", sequence: 2, hash, state: "held" }],
};

describe("consilium ledger show", () => {
  it("shows spent budget rounded up, and remaining budget rounded down", async () => {
    await agentOf({ ledger: [200, ledger] });
    const { exitCode, out } = await run(["show"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("default (patients), epsilon per patient at delta 0.000001");
    expect(out).toContain("spent      0.5001\n");
    expect(out).toContain("reserved   0.2500\n");
    expect(out).toContain("remaining  1.2499\n");
    expect(out).toContain("note  Earlier studies count per row.");
    expect(out).toMatch(/budget {5}2 {2}#{11}-{19}\n/);
    expect(out).toContain(
      "2  2026-01-02 03:04  commit  default     vitals-0123456789  moments (1)       0.1235 per patient",
    );
    expect(JSON.parse((await run(["show", "--json"])).out)).toEqual(ledger);
  });

  it("shows no total where there is no bound", () => {
    const text = ledgerText(
      { ...ledger, populations: [{ ...population, limit: null, remaining: null, unbounded: 1 }] },
      { all: false },
      plainStyle,
    );
    expect(text).toContain("budget     unlimited\n");
    expect(text).not.toContain("remaining");
    expect(text).toContain("no proven bound in total: these figures exclude 1 release without a proof");
  });

  it("prints exact figures unchanged, and only the newest entries without --all", () => {
    const entries = Array.from({ length: 25 }, (_, index) => ({ ...entry, sequence: index + 1 }));
    const exact = { ...population, spent: 0.07, reserved: 0, remaining: 1.93 };
    const few = ledgerText({ ...ledger, populations: [exact], entries }, { all: false }, plainStyle);
    expect(few).toContain("spent      0.0700\n");
    expect(few).toContain("remaining  1.9300\n");
    expect(few).toContain("5 earlier ones: --all");
    expect(few).not.toMatch(/^ *5 {2}2026/m);
    expect(ledgerText({ ...ledger, entries }, { all: true }, plainStyle)).toMatch(/^ *1 {2}2026/m);
  });

  it("starts with the state of an old copy, the missing spending and the remedy", () => {
    const text = ledgerText({ ...ledger, behind }, { all: false }, plainStyle);
    expect(text).toContain("This copy of the ledger is older than its head 9.");
    expect(text).toContain(
      "default: epsilon 0.3001 per row at delta 0.000001 and 2 releases without a proof",
    );
    expect(text.indexOf("consilium ledger reconcile")).toBeLessThan(text.indexOf("budget"));
    const bare = { sequence: 9, isKnown: false, lost: [] };
    const unknown = ledgerText({ ...ledger, behind: bare }, { all: false }, plainStyle);
    expect(unknown).toContain("this hospital has no record of the spending since");
    expect(unknown).toContain("consilium ledger reconcile --charge <epsilon>");
  });
});

describe("consilium ledger verify", () => {
  it("is 0 for a valid ledger, 4 for an old copy and for a broken one", async () => {
    const answers: Answers = { ledgerVerify: [200, report] };
    await agentOf(answers);
    const good = await run(["verify"]);
    expect(good.exitCode).toBe(0);
    expect(good.out).toContain("The ledger is valid: 2 entries in an unbroken chain.");
    expect(good.out).toContain("anchor   held: 2, of ledger-anchor.json");

    const old = { ...report, anchors: [{ from: "the aggregator", sequence: 9, hash, state: "missing" }] };
    answers.ledgerVerify = [200, old];
    const missing = await run(["verify"]);
    expect(missing.exitCode).toBe(4);
    expect(missing.out).toContain("This is not the newest ledger");
    expect(missing.out).toContain("missing: 9, of the aggregator");
    expect((await run(["verify", "--json"])).exitCode).toBe(4);

    const fault = {
      code: "LEDGER_BROKEN",
      message: "ledger entry 2: its text was changed",
      remedy: "restore it",
    };
    answers.ledgerVerify = [400, fault];
    const broken = await run(["verify"]);
    expect(broken).toMatchObject({
      exitCode: 4,
      err: "[LEDGER_BROKEN] ledger entry 2: its text was changed. Restore it.\n",
    });
  });

  it("asks for anchors, and compares the key", async () => {
    const asked = await agentOf({ ledgerVerify: [200, report] });
    const anchors = [`1:${"c".repeat(16)}`, `2:${"d".repeat(16)}`];
    const given = anchors.flatMap((one) => ["--anchor", one]);
    expect((await run(["verify", ...given])).exitCode).toBe(0);
    expect(asked).toEqual([["ledgerVerify", { anchors }]]);
    expect((await run(["verify", "--key", hash.toUpperCase()])).exitCode).toBe(0);
    expect(await run(["verify", "--key", "cd".repeat(32)])).toMatchObject({ exitCode: 4 });
  });

  it("takes a file or a folder, not both", async () => {
    expect((await run(["verify", "--file", "x.jsonl", "--state", "y"])).exitCode).toBe(2);
  });
});

describe("consilium ledger export", () => {
  const lines = '{"entry":1}\n{"entry":2}\n{"head":3}\n';

  it("writes the agent's lines unchanged, readable only by their owner", async () => {
    await agentOf({ ledgerExport: [200, { text: lines }], ledger: [200, ledger] });
    expect((await run(["export"])).out).toBe(lines);
    const written = await run(["export", "--to", "ledger.jsonl"]);
    expect(written.out).toBe(`Written ${join(home, "ledger.jsonl")}: 2 entries.\n`);
    expect(await readFile(join(home, "ledger.jsonl"), "utf8")).toBe(lines);
    const csv = await run(["export", "--format", "csv", "--to", "ledger.csv", "--json"]);
    expect(JSON.parse(csv.out)).toEqual({ file: join(home, "ledger.csv"), format: "csv", entries: 1 });
  });

  it("quotes CSV cells, and defuses spreadsheet formulas", () => {
    const odd = {
      ...entry,
      study: '=HYPERLINK("x")',
      stages: ["a 1", "b, c 2"],
      cost: { ...cost, epsilon: null },
    };
    expect(entriesCsv([entry, odd])).toBe(
      "entry,at,kind,populations,study,stages,epsilon,delta,unit,claimed_epsilon,hash\r\n" +
        `2,${entry.at},commit,default,vitals-0123456789,moments 1,0.123456,0.000001,patient,,${hash}\r\n` +
        `2,${entry.at},commit,default,"'=HYPERLINK(""x"")","a 1; b, c 2",unproved,0.000001,patient,,${hash}\r\n`,
    );
  });
});

describe("consilium ledger reconcile", () => {
  const done = { entries: [10], abandoned: ["vitals-0123456789"], ledger };

  it("shows what it would charge, asks, and charges", async () => {
    const asked = await agentOf({
      ledger: [200, { ...ledger, behind }],
      reconcile: [200, done],
    });
    const refused = await run(["reconcile"], ["no"]);
    expect(refused.exitCode).toBe(1);
    expect(refused.out).toContain("epsilon 0.3001");
    expect(names(asked)).toEqual(["ledger"]);
    const { exitCode, out } = await run(["reconcile"], ["yes"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("Charged: entry 10. The site can spend again.");
    expect(out).toContain("Studies that ended for this hospital: vitals-0123456789");
  });

  it("does nothing without a confirmation, and asks nothing when nothing is missing", async () => {
    const answers: Answers = { ledger: [200, { ...ledger, behind }] };
    const asked = await agentOf(answers);
    expect((await run(["reconcile"])).exitCode).toBe(2);
    expect((await run(["reconcile", "--json"], ["yes"])).exitCode).toBe(2);
    expect(names(asked)).toEqual(["ledger", "ledger"]);
    answers.ledger = [200, ledger];
    answers.reconcile = [200, { entries: [], abandoned: [], ledger }];
    expect((await run(["reconcile"])).out).toContain("nothing was charged");
  });

  it("needs the running agent", async () => {
    await mkdir(join(home, "sites", "st-mary"), { recursive: true });
    expect((await run(["reconcile", "--yes"])).exitCode).toBe(3);
  });
});

describe("consilium ledger compact", () => {
  const text = "an archive\n";
  const sha256 = createHash("sha256").update(text).digest("hex");
  const archive = { name: `1-9-${sha256.slice(0, 16)}.jsonl`, from: 1, to: 9, bytes: text.length, sha256 };
  const heldBy = { study: "vitals-0123456789", isUnderWay: true };
  const planned = { dryRun: true, entries: 9, kept: 3, archive, checkpoint: null, heldBy };
  const done = { ...planned, dryRun: false, kept: 4, checkpoint: 13 };

  /** An agent that answers the same to what is tried and what is done. */
  async function archived(): Promise<{ asked: Asked[]; path: string }> {
    const folder = join(home, "sites", "st-mary", "ledger-archive");
    const asked = await agentOf({ ledgerCompact: [200, done] });
    await mkdir(folder, { recursive: true });
    const path = join(folder, archive.name);
    await writeFile(path, text);
    return { asked, path };
  }

  it("shows what it would archive, and asks before it does", async () => {
    const asked = await agentOf({ ledgerCompact: [200, planned] });
    const tried = await run(["compact", "--before", "2026-01-31", "--dry-run"]);
    expect(tried.out).toContain("Would archive entries 1 to 9 (9, 11 B); 3 and a checkpoint stay");
    expect(tried.out).toContain("study vitals-0123456789 has not ended");
    const before = Date.parse("2026-01-31T00:00:00Z");
    expect(asked).toEqual([["ledgerCompact", { before, dryRun: true, by: expect.any(String) }]]);
    expect((await run(["compact", "--before", "2y"], ["no"])).exitCode).toBe(1);
    expect((await run(["compact", "--before", "2y"])).exitCode).toBe(2);
    expect(asked.every(([, body]) => (body as { dryRun: boolean }).dryRun)).toBe(true);
  });

  it("moves the archive to another place, once the copy is whole", async () => {
    const { asked, path } = await archived();
    const to = join(home, "kept.jsonl");
    const { exitCode, out } = await run(["compact", "--before", "30d", "--archive", to, "--yes"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("the checkpoint is entry 13");
    expect(await readFile(to, "utf8")).toBe(text);
    await expect(readFile(path)).rejects.toThrow();
    expect(asked.map(([, body]) => (body as { dryRun: boolean }).dryRun)).toEqual([true, false]);
    // Nothing is overwritten, and nothing asked for then.
    expect((await run(["compact", "--before", "30d", "--archive", to, "--yes"])).exitCode).not.toBe(0);
    expect(asked).toHaveLength(2);
  });

  it("keeps the archive where it is when the copy is not what was announced", async () => {
    const { path } = await archived();
    await writeFile(path, "something else");
    const { exitCode, err } = await run(["compact", "--before", "1d", "--archive", "x.jsonl", "--yes"]);
    expect(exitCode).not.toBe(0);
    expect(err).toContain("SHA-256 mismatch");
    expect(await readFile(path, "utf8")).toBe("something else");
  });

  it("takes a date or an age, and needs the running agent", async () => {
    for (const before of ["yesterday", "2026-13-45", "0d", "-1d"])
      expect((await run(["compact", `--before=${before}`, "--dry-run"])).exitCode).toBe(2);
    await mkdir(join(home, "sites", "st-mary"), { recursive: true });
    expect((await run(["compact", "--before", "1y", "--dry-run"])).exitCode).toBe(3);
  });

  it("is shown by verify where an archive is missing", async () => {
    const { bytes: _, ...file } = archive;
    const archives = [{ ...file, state: "missing" }];
    await agentOf({ ledgerVerify: [200, { ...report, verifiedFrom: 10, archives }] });
    const { exitCode, out } = await run(["verify"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("missing: entries 1 to 9");
    expect(out).toContain("Not verified before entry 10");
  });
});

describe("consilium ledger egress", () => {
  const vector = {
    at: "2026-01-02T03:04:05.000Z",
    study: "vitals-0123456789",
    lastAt: "2026-01-02T03:04:05.000Z",
    messages: 1,
    isChained: false,
    step: "moments",
    what: "masked vector",
    whom: "the aggregator",
    bytes: 4096,
    sha256: hash,
    charge: { entry: 2, population: "default", ...cost },
  };
  const keys = { ...vector, study: "labs-0123456789", what: "keys\u001b[2J", charge: null };

  it("shows each message, its recipient, its cost and ledger entry", async () => {
    const heartbeats = { ...keys, study: null, step: "", what: "heartbeat", messages: 720, isChained: true };
    await agentOf({ egress: [200, [vector, keys, heartbeats]] });
    const { out } = await run(["egress"]);
    expect(out).toMatch(/masked vector +the aggregator +1 +4096 +abababababababab +0\.1235 per patient +2$/m);
    expect(out).toMatch(/keys \[2J +the aggregator +1 +4096 +abababababababab +- +-$/m);
    expect(out).toMatch(/ - +- +heartbeat +the aggregator +720 +4096 /m);
    expect(JSON.parse((await run(["egress", "--study", "vitals", "--json"])).out)).toEqual([vector]);
  });

  it("shows the claim of an unproven release", () => {
    const charge = { ...vector.charge, epsilon: null, claimedEpsilon: 1 };
    expect(egressTable([{ ...vector, charge }], plainStyle)).toContain("unproven (claims 1)");
    expect(egressTable([], plainStyle)).toBe("Nothing has been sent yet.");
  });
});
