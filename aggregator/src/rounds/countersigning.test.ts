import { canonicalJson } from "@consilium/core/canonicalJson";
import type { Sha256, SiteId, StageId } from "@consilium/core/ids";
import { checkCountersignature, signStatement } from "@consilium/core/release/countersignature";
import { statementHash } from "@consilium/core/release/statement";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestStudy, type TestOpenStudy } from "../../testing/rounds/openStudy.js";
import { Countersigning } from "./countersigning.js";
import type { OpenStudy } from "./openStudy.js";

type Habit = "signs" | "silent" | "refuses" | "forges" | "twice";

const raw = {
  name: "opened",
  table: "visits",
  analysis: "pca",
  parameters: { components: 1 },
  privacy: { epsilon: 1, delta: 1e-5 },
  participation: { minimumSites: 3, maxRowsPerSite: 100 },
  features: [0, 1].map((i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
};
const stage = "class-moments" as StageId;
const ledgerEntries = ["e".repeat(64) as Sha256];
const software = "0.1.0";
const result = "f".repeat(64) as Sha256;

let opened: TestOpenStudy;
const running = new Map<OpenStudy, Countersigning>();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.close();
});

async function openWith(habits: Habit[]): Promise<void> {
  opened = await openTestStudy({
    raw,
    sites: habits.length,
    onTask: (study, site, task) => {
      const index = Number(site.at(-1));
      answer(study, site, habits[index]!, task.countersign!.statement!);
    },
  });
}

function answer(study: OpenStudy, site: SiteId, habit: Habit, statement: string): void {
  if (habit === "silent") return;
  if (habit === "refuses") {
    study.open?.duties?.onFault?.(site, "STATEMENT_INVALID");
    return;
  }
  const { privateKey } = opened.sites.find((one) => one.site === site)!.identity;
  const ledgerHead = { sequence: 3, hash: "a".repeat(64) as Sha256 };
  const signed = habit === "forges" ? `${statement} ` : statement;
  const signature = signStatement(privateKey, {
    site,
    studyId: study.id,
    statement: statementHash(signed),
    ledgerHead,
    ledgerEntries,
    software,
  });
  const head = canonicalJson(ledgerHead);
  for (let times = habit === "twice" ? 2 : 1; times > 0; times--) {
    running.get(study)!.posted(site, {
      kind: "countersignature",
      studyId: study.id,
      signature,
      ledgerHead: { head, signature: signMessage(privateKey, Buffer.from(head)) },
      ledgerEntries,
      software,
    });
  }
}

async function collect(study: OpenStudy) {
  const sites = study.memberSites;
  const countersigning = new Countersigning(study);
  running.set(study, countersigning);
  const attempts = [{ stage, attempt: 1, survivors: sites }];
  return (await countersigning.collect(attempts, sites, result)).countersignatures;
}

const passDeadline = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(600_000);
};

describe("countersignatures", () => {
  it("of all sites verify with the certificate", async () => {
    await openWith(["signs", "signs", "twice", "signs"]);
    const given = await collect(opened.study);
    expect(given.map((one) => one.site)).toEqual(opened.study.memberSites);
    const statement = opened.tasks[0]!.task.countersign!.statement!;
    for (const [i, one] of given.entries()) {
      const { publicKey } = opened.sites[i]!.identity;
      const of = { studyId: opened.study.id, statement, signingKey: publicKey };
      expect(checkCountersignature(one, of).ok).toBe(true);
    }
    expect(opened.records.steps(opened.study.id).at(-1)).toMatchObject({ step: "countersign", attempt: 1 });
  });

  it("are enough from a threshold of sites: absent, refusing or forging sites are excluded", async () => {
    for (const habit of ["silent", "refuses", "forges"] as const) {
      await openWith(["signs", habit, "signs", "signs"]);
      const collecting = collect(opened.study);
      if (habit === "silent") await passDeadline();
      expect((await collecting).map((one) => one.site)).toEqual(["site-0", "site-2", "site-3"]);
      const code = { silent: null, refuses: "STATEMENT_INVALID", forges: "COUNTERSIGNATURE_INVALID" }[habit];
      expect(opened.records.attempts.dropouts(opened.study.id)).toEqual([
        { step: "countersign", attempt: 1, site: "site-1", code },
      ]);
      if (habit !== "forges") await opened.close();
    }
  });

  it("of too few sites fail immediately or at the deadline, and a resumed study asks again", async () => {
    await openWith(["signs", "refuses", "refuses", "signs"]);
    await expect(inEnglish(collect(opened.study))).rejects.toMatchObject({
      code: "SITE_FAILED",
      message: expect.stringContaining("site-2 (STATEMENT_INVALID)"),
    });
    await opened.close();

    const habits: Habit[] = ["signs", "silent", "silent", "signs"];
    await openWith(habits);
    const collecting = collect(opened.study);
    collecting.catch(() => undefined);
    await passDeadline();
    await expect(inEnglish(collecting)).rejects.toMatchObject({
      code: "PHASE_DEADLINE",
      message: expect.stringContaining(
        "2 sites countersigned before the deadline, 3 are required; missing: site-1, site-2",
      ),
    });
    habits[1] = "signs";
    const before = opened.tasks.length;
    const again = collect(opened.again());
    await passDeadline();
    expect((await again).map((one) => one.site)).toEqual(["site-0", "site-1", "site-3"]);
    // Sites that signed are not asked again, and all are asked for the same statement.
    expect(opened.tasks.slice(before).map((one) => one.site)).toEqual(["site-1", "site-2"]);
    expect(new Set(opened.tasks.map((one) => one.task.countersign!.statement)).size).toBe(1);
  });

  it("stay the same once collected: a second deposit has the same certificate", async () => {
    const habits: Habit[] = ["signs", "signs", "signs", "silent"];
    await openWith(habits);
    const collecting = collect(opened.study);
    await passDeadline();
    const first = await collecting;
    habits[3] = "signs";
    expect(await collect(opened.again())).toEqual(first);
  });
});
