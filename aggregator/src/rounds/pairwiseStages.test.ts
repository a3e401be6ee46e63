import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId } from "@consilium/core/ids";
import { isWholeRun } from "@consilium/core/testing/wholeRun";
import { english } from "@consilium/runtime/http/spoken";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Asked, Crash, TestFleet, type TestProcess } from "../../testing/rounds/fleet.js";
import { stepViews } from "./stepViews.js";

/** In the gate a store in PostgreSQL is tried with a part of what one in SQLite is. */
const isOfAll = isWholeRun || process.env.CONSILIUM_TEST_STORE === undefined;

const deadlineMs = 600_000;
let fleet: TestFleet;

beforeEach(() => {
  // Deadlines pass when a test says so.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await fleet.close();
});

/** Runs stages, letting every deadline pass at which nobody is busy any more. */
async function run(process: TestProcess, stages = fleet.sums): Promise<BigUint64Array[]> {
  let isOver = false;
  const running = process.run(stages).finally(() => {
    isOver = true;
  });
  running.catch(() => undefined);
  const deadlines = (async () => {
    while (!isOver) {
      await Promise.race([process.idle(), running.catch(() => undefined)]);
      if (!isOver) vi.advanceTimersByTime(deadlineMs);
    }
  })();
  try {
    return await running;
  } finally {
    await deadlines;
  }
}

async function failure(process: TestProcess): Promise<ConsiliumError> {
  const thrown = await run(process).then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof ConsiliumError) return thrown;
  throw thrown ?? new Error("it did not fail");
}

const stepsDone = () =>
  fleet.records
    .steps(fleet.id)
    .map(
      (step) =>
        `${step.step}${step.attempt > 1 ? `/${step.attempt}` : ""}${step.doneAt === null ? " open" : ""}`,
    );
const names = (...indices: number[]) => indices.map((index) => fleet.sites[index]!.site);
const expected = (...sites: number[]) => fleet.sums.map((stage) => fleet.sumOf(stage, sites));

/** How many writes there are until the first site is asked for something. */
async function firstWriteAfter(phase: Asked, sites: number): Promise<number> {
  fleet = await TestFleet.open({ sites });
  let writes = 0;
  fleet.whims = (_, asked) => {
    if (asked === phase && writes === 0) writes = fleet.writes;
    return null;
  };
  await run(fleet.process, fleet.sums.slice(0, 1));
  await fleet.close();
  return writes;
}

describe("a study of sums", () => {
  it("takes two round trips a stage after the first, and shows the roster once a connection", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    expect(await run(fleet.process)).toEqual(expected(0, 1, 2, 3));
    expect(stepsDone()).toEqual([
      "iterate-1-keys",
      "iterate-1-shares",
      "iterate-1",
      "iterate-1-unmask",
      "iterate-2",
      "iterate-2-unmask",
      "class-moments",
      "class-moments-unmask",
    ]);
    for (const site of fleet.sites) {
      expect(site.rosters).toEqual([true, ...site.rosters.slice(1).map(() => false)]);
    }
    const attempts = fleet.records.attempts.all(fleet.id);
    expect(attempts.map((one) => [one.attempt, one.survivors, one.askedAt !== null])).toEqual(
      fleet.sums.map(() => [1, names(0, 1, 2, 3), true]),
    );
    // Nothing that sites revealed is kept.
    for (const { study, stage, attempt } of attempts)
      expect(fleet.records.attempts.events({ study, stage, attempt })).toEqual([]);
  });

  it("shows the roster again to a site that connects anew", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    const [site] = fleet.sites;
    let isSilent = true;
    fleet.whims = (index, asked) => (index === 0 && asked === "masked" && isSilent ? "silent" : null);
    const running = fleet.process.run(fleet.sums.slice(0, 1));
    await fleet.process.idle();
    isSilent = false;
    fleet.process.connect(site!);
    expect(await running).toEqual([fleet.sumOf(fleet.sums[0]!, [0, 1, 2, 3])]);
    expect(site!.asked.filter((asked) => asked.endsWith("masked"))).toHaveLength(2);
    expect(site!.rosters).toEqual([true, false, false, true, false]);
    expect(site!.contradictions).toEqual([]);
  });

  it("takes what comes twice once", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    fleet.whims = () => "twice";
    expect(await run(fleet.process)).toEqual(expected(0, 1, 2, 3));
    expect(fleet.process.refused).toEqual([]);
  });
});

describe("a stage that a study does without", () => {
  it("is not asked for: the one after it begins with keys of its own", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    const asked = [fleet.sums[0]!, fleet.sums[2]!];
    const sums = await run(fleet.process, asked);
    expect(sums).toEqual(asked.map((stage) => fleet.sumOf(stage, [0, 1, 2, 3])));
    expect(stepsDone()).toEqual([
      "iterate-1-keys",
      "iterate-1-shares",
      "iterate-1",
      "iterate-1-unmask",
      "class-moments-keys",
      "class-moments-shares",
      "class-moments",
      "class-moments-unmask",
    ]);
    expect(fleet.sites.flatMap((site) => site.contradictions)).toEqual([]);
  });

  it("is not asked for by a process that died in between either", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    const asked = [fleet.sums[0]!, fleet.sums[2]!];
    let writes = 0;
    fleet.whims = (_, phase, stage) => {
      if (phase === "shares" && stage === "class-moments" && writes === 0) writes = fleet.writes;
      return null;
    };
    await run(fleet.process, asked);
    await fleet.close();
    fleet = await TestFleet.open({ sites: 4 });
    fleet.crashAt = writes + 1;
    await expect(run(fleet.process, asked)).rejects.toThrow();
    fleet.crashAt = Number.POSITIVE_INFINITY;
    expect(await run(await fleet.restart(), asked)).toEqual(
      asked.map((stage) => fleet.sumOf(stage, [0, 1, 2, 3])),
    );
    expect(fleet.sites.flatMap((site) => site.contradictions)).toEqual([]);
  });

  it("is shown no more once a later one is under way", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    const asked = [fleet.sums[0]!, fleet.sums[2]!];
    await run(fleet.process, asked);
    const plan = {
      ...fleet.plan,
      stages: fleet.sums.map((stage, at) => (at === 1 ? { ...stage, mayBeSkipped: true as const } : stage)),
    };
    const shown = (of: typeof plan) =>
      stepViews(fleet.records.study(fleet.id)!, of, fleet.records, fleet.now).map((step) => step.id);
    expect(shown(plan).filter((id) => id.startsWith("iterate-2"))).toEqual([]);
    expect(shown({ ...fleet.plan, stages: fleet.sums })).toContain("iterate-2");
  });
});

describe("a site that drops out", () => {
  it.each<[Asked, number[], string[]]>([
    ["keys", [0, 1, 3], ["-keys", "-shares", "", "-unmask"]],
    ["shares", [0, 1, 3], ["-keys", "-shares", "", "-unmask"]],
    ["masked", [0, 1, 3], ["-keys", "-shares", "", "-survivors", "-unmask"]],
    // All four vectors are there: the sum has them, no matter who answers then.
    ["survivors", [0, 1, 2, 3], ["-keys", "-shares", "", "-unmask"]],
  ])(
    "before %s: the sum is the survivors', and later sums continue without it",
    async (lost, survivors, steps) => {
      for (const whim of isOfAll ? (["silent", "fault", "garbage"] as const) : (["garbage"] as const)) {
        fleet = await TestFleet.open({ sites: 4 });
        fleet.whims = (index, asked, stage) =>
          index === 2 && asked === lost && stage === "iterate-1" ? whim : null;
        const [first, ...later] = await run(fleet.process);
        expect(first).toEqual(fleet.sumOf(fleet.sums[0]!, survivors));
        expect(later).toEqual(expected(0, 1, 3).slice(1));
        expect(stepsDone().slice(0, steps.length)).toEqual(steps.map((step) => `iterate-1${step}`));
        // An upload that is refused tells its site so, and is no more than that: the site may have a better one.
        const isSilent = whim === "silent" || (whim === "garbage" && lost === "masked");
        const dropped = fleet.records.attempts.dropouts(fleet.id);
        expect(dropped).toContainEqual({
          step: `iterate-1${lost === "masked" ? "" : lost === "survivors" ? "-unmask" : `-${lost}`}`,
          attempt: 1,
          site: names(2)[0],
          code: expect.toSatisfy((code) => (code === null) === isSilent) as never,
        });
        expect(fleet.process.refused).toEqual(isSilent && whim === "garbage" ? ["TRANSCRIPT_DIFFERS"] : []);
        expect(fleet.sites[2]!.asked.some((asked) => asked.startsWith("class-moments"))).toBe(false);
        expect(fleet.sites.flatMap((site) => site.contradictions)).toEqual([]);
        if (whim !== "garbage") await fleet.close();
      }
    },
  );

  it("after its vector, while others sign the survivors", async () => {
    fleet = await TestFleet.open({ sites: 6, tolerateColluding: 1 });
    fleet.whims = (index, asked, stage) => {
      if (stage !== "iterate-1") return null;
      if (index === 5 && asked === "masked") return "silent";
      return null;
    };
    // T of 6 is 5: nobody else may drop.
    expect(await run(fleet.process)).toEqual(expected(0, 1, 2, 3, 4));
    await fleet.close();
    fleet = await TestFleet.open({ sites: 7, tolerateColluding: 1 });
    fleet.whims = (index, asked, stage) => {
      if (stage !== "iterate-1") return null;
      if (index === 6 && asked === "masked") return "silent";
      return index === 5 && asked === "survivors" ? "silent" : null;
    };
    const [first, ...later] = await run(fleet.process);
    expect(first).toEqual(fleet.sumOf(fleet.sums[0]!, [0, 1, 2, 3, 4, 5]));
    // Who did not sign the list was asked to unmask all the same, and answered.
    expect(later).toEqual(expected(0, 1, 2, 3, 4, 5).slice(1));
    expect(stepsDone()).toContain("iterate-1-survivors");
  });

  it("comes too late with its vector: refused, and not counted", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    const upload = {
      studyId: fleet.id,
      step: fleet.sums[0]!.id,
      attempt: 1,
      totalBytes: fleet.sums[0]!.length * 8,
      sha256: "0".repeat(64) as never,
      transcriptSignature: new Uint8Array(64),
      nextKeys: null,
      ledgerHead: null,
    };
    fleet.whims = (index, asked) => {
      if (asked === "survivors" && index === 0)
        void fleet.sites[2]!.upload(fleet.process, upload, new Uint8Array(upload.totalBytes));
      return index === 2 && asked === "masked" ? "silent" : null;
    };
    const [first] = await run(fleet.process, fleet.sums.slice(0, 1));
    expect(first).toEqual(fleet.sumOf(fleet.sums[0]!, [0, 1, 3]));
    expect(fleet.process.refused).toEqual(["MESSAGE_UNEXPECTED"]);
  });

  it("does not make the others wait for the deadline when it says so", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    fleet.whims = (index, asked, stage) =>
      index === 1 && asked === "shares" && stage === "iterate-1" ? "fault" : null;
    // No deadline passes here.
    const sums = await fleet.process.run(fleet.sums);
    expect(sums).toEqual(expected(0, 2, 3));
  });
});

describe("too few sites", () => {
  it("fail the attempt at the deadline, and a resumed study begins another with all sites", async () => {
    for (const lost of ["keys", "shares", "masked", "survivors"] as const) {
      fleet = await TestFleet.open({ sites: 4 });
      fleet.whims = (index, asked, stage, attempt) =>
        index >= 2 && asked === lost && stage === "iterate-1" && attempt === 1 ? "silent" : null;
      const error = await failure(fleet.process);
      expect(error.code).toBe("PHASE_DEADLINE");
      expect(english(error.message)).toContain(
        "2 sites had answered, 3 are required; missing: site-002, site-003",
      );
      expect(english(error.message)).toContain("Resuming the study starts attempt 2");
      const isCharged = lost === "masked" || lost === "survivors";
      expect(english(error.message).endsWith("with new noise, charged again")).toBe(isCharged);
      // A restart does not replace the operator's request: the attempt stays failed.
      expect((await failure(await fleet.restart())).message).toBe(error.message);

      const sums = await run(await fleet.restart({ resume: true }));
      expect(sums).toEqual(expected(0, 1, 2, 3));
      expect(stepsDone()).toContain("iterate-1-keys/2");
      const attempts = fleet.records.attempts.all(fleet.id).filter((one) => one.stage === "iterate-1");
      expect(attempts.map((one) => [one.attempt, one.askedAt !== null, one.doneAt !== null])).toEqual([
        [1, isCharged, false],
        [2, true, true],
      ]);
      expect(fleet.sites.flatMap((site) => site.contradictions)).toEqual([]);
      if (lost !== "survivors") await fleet.close();
    }
  });

  it("fail it at once when no more can answer, with their codes", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    fleet.whims = (index, asked) => (index >= 2 && asked === "masked" ? "fault" : null);
    const thrown = await fleet.process.run(fleet.sums).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "SITE_FAILED" });
    expect(english((thrown as Error).message)).toContain(
      "site-002 (TABLE_CHANGED), site-003 (TABLE_CHANGED)",
    );
  });

  it("never show a second list of keys for one attempt: the next sum takes a number of its own", async () => {
    fleet = await TestFleet.open({ sites: 4 });
    // The list of keys for iterate-2 was shown, and two sites shared under it.
    fleet.whims = (index, asked, stage, attempt) =>
      index >= 2 && asked === "survivors" && stage === "iterate-1" && attempt === 1 ? "silent" : null;
    await failure(fleet.process);
    const sums = await run(await fleet.restart({ resume: true }));
    expect(sums).toEqual(expected(0, 1, 2, 3));
    expect(stepsDone().slice(4)).toEqual([
      "iterate-1-keys/2",
      "iterate-1-shares/2",
      "iterate-1/2",
      "iterate-1-unmask/2",
      "iterate-2-keys/2",
      "iterate-2-shares/2",
      "iterate-2/2",
      "iterate-2-unmask/2",
      "class-moments-keys",
      "class-moments-shares",
      "class-moments",
      "class-moments-unmask",
    ]);
    expect(fleet.sites.flatMap((site) => site.contradictions)).toEqual([]);
  });
});

it("leads more sites than know each other all", async () => {
  fleet = await TestFleet.open({ sites: 40 });
  expect(fleet.parameters.graph.kind).toBe("circulant");
  fleet.whims = (index, asked) => {
    if (index === 7 && asked === "shares") return "silent";
    return index === 21 && asked === "masked" ? "silent" : null;
  };
  const survivors = Array.from({ length: 40 }, (_, i) => i).filter((i) => i !== 7 && i !== 21);
  const stages = fleet.sums.slice(0, 2);
  expect(await run(fleet.process, stages)).toEqual(stages.map((stage) => fleet.sumOf(stage, survivors)));
});

describe("sums without noise", () => {
  it("are over one set of sites: nobody joins them later", async () => {
    fleet = await TestFleet.open({ sites: 4, privacy: "none" });
    fleet.whims = (index, asked, stage) =>
      index === 3 && asked === "masked" && stage === "iterate-1" ? "silent" : null;
    expect(await run(fleet.process)).toEqual(expected(0, 1, 2));
  });

  it("fail rather than continue without one more, and continue when it is back", async () => {
    fleet = await TestFleet.open({ sites: 5, privacy: "none" });
    fleet.whims = (index, asked, stage, attempt) =>
      index === 4 && asked === "masked" && stage === "iterate-2" && attempt === 1 ? "silent" : null;
    const error = await failure(fleet.process);
    expect(english(error.message)).toContain("4 sites had answered, 5 are required; missing: site-004");
    expect(english(error.message).endsWith("attempt 2, charged again")).toBe(true);
    expect(await run(await fleet.restart({ resume: true }))).toEqual(expected(0, 1, 2, 3, 4));
  });
});

describe("an aggregator that dies at any write", () => {
  const stride = isOfAll ? 1 : 8;

  it.each([
    ["with all sites", null],
    ["with a site that drops out", "masked"],
  ] as const)("continues %s: the same requests, the same sum", async (_, lost) => {
    const sites = lost === null ? 3 : 4;
    // Up to the first masked vector both run alike.
    let at = lost === null ? 1 : await firstWriteAfter("masked", sites);
    for (; ; at += stride) {
      fleet = await TestFleet.open({ sites });
      fleet.whims = (index, asked, stage) =>
        index === 3 && asked === lost && stage === "iterate-1" ? "silent" : null;
      // It dies before its n-th write: everything up to then is stored, and sent.
      fleet.crashAt = at;
      const stages = fleet.sums.slice(0, 2);
      const first = await run(fleet.process, stages).catch((error: unknown) => error);
      const died = fleet.writes >= at;
      fleet.crashAt = Number.POSITIVE_INFINITY;
      const sums = await run(await fleet.restart(), stages);
      expect(sums, `write ${at}`).toEqual(stages.map((stage) => fleet.sumOf(stage, [0, 1, 2])));
      expect(fleet.sites.flatMap((site) => site.contradictions)).toEqual([]);
      // No attempt was given up.
      expect(new Set(fleet.records.attempts.all(fleet.id).map((one) => one.attempt))).toEqual(new Set([1]));
      if (!died) {
        expect(first).not.toBeInstanceOf(Crash);
        expect(at).toBeGreaterThan(15);
        break;
      }
      await fleet.close();
    }
  });
});

it("names the survivors of the sum that it returns, again for those that are stored", async () => {
  fleet = await TestFleet.open({ sites: 4 });
  const stages = fleet.sums.slice(0, 2);
  fleet.whims = (index, asked, stage) =>
    index === 3 && asked === "masked" && stage === stages[1]!.id ? "silent" : null;
  await run(fleet.process, stages);
  const restarted = await fleet.restart();
  const survivors: (readonly SiteId[] | null)[] = [];
  for (const stage of stages) {
    await run(restarted, [stage]);
    survivors.push(restarted.stages.newestSurvivors);
  }
  expect(survivors).toEqual([names(0, 1, 2, 3), names(0, 1, 2)]);
});

it("lists who a phase continues without, and what happens at its deadline", async () => {
  fleet = await TestFleet.open({ sites: 5 });
  fleet.whims = (index, asked) => (index === 4 && asked === "shares" ? "silent" : null);
  const running = fleet.process.run(fleet.sums.slice(0, 1));
  await fleet.process.idle();
  const { open } = fleet.process.study;
  expect(open).toMatchObject({ id: "iterate-1-shares", wireStep: "iterate-1", kind: "shares", attempt: 1 });
  expect(open!.deadlineEffect).toContain("the sum continues without them if at least 4 of 5 have answered");
  expect([...open!.sites].map(([site, { state }]) => [site, state])).toContainEqual([
    "site-004" as SiteId,
    "working",
  ]);
  vi.advanceTimersByTime(deadlineMs);
  expect(await running).toEqual([fleet.sumOf(fleet.sums[0]!, [0, 1, 2, 3])]);
});
