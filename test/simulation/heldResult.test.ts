/**
 * What is computed from sums may fail, and costs no sum: aggregator and hospitals as they are, a method whose program at the
 * aggregator throws at a chosen place, and a newer program that does not.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { FinishedStudy } from "@consilium/aggregator/rounds/runContext";
import type { StudyRun } from "@consilium/aggregator/rounds/studyRun";
import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId, StudyId } from "@consilium/core/ids";
import type { AggregatorSide } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { type Method, namesOf } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import { lacks, type MissingPart, type PartId } from "@consilium/core/method/parts";
import type { StudyView } from "@consilium/core/operator/views";
import { readSaid } from "@consilium/core/readSaid";
import { unwrap } from "@consilium/core/result";
import { saidText } from "@consilium/core/said";
import { soundMethods } from "@consilium/methods/all";
import { parseStudy } from "@consilium/methods/testing/studies";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import { Federation } from "@consilium/proto/load";
import { DiskFull } from "@consilium/runtime/store/diskFull";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { afterEach, describe, expect, it } from "vitest";
import { type AggregatorLife, AggregatorState, ControlStream } from "./aggregator.js";
import { Hospital } from "./hospital.js";
import { World } from "./world.js";

const codec = Federation.service.Attend;
const startsAt = Date.UTC(2026, 0, 5);
const minutes = 60_000;
const [older, newer] = ["0.1.0", "0.2.0"];

/** What a program does otherwise than it should. */
interface Broken {
  /** Parts whose computation throws. */
  readonly parts?: readonly PartId[];
  /** Throws after so many sums, whatever comes then. */
  readonly afterSums?: number;
  /** Figures that no release can hold. */
  readonly unfit?: true;
  /** Another plan than the other program's. */
  readonly plan?: true;
  /** Broadcasts something else before the sum of this number. */
  readonly broadcasts?: number;
  /** Draws something else before the first sum. */
  readonly draws?: true;
  /** Does not know the study's method. */
  readonly unread?: true;
}

interface Program extends Broken {
  readonly software: string;
}

function methodsOf(broken: Broken): Methods {
  const isOf = (method: Method) => namesOf(method).includes("dp-pca");
  const known = broken.unread === true ? soundMethods.filter((method) => !isOf(method)) : soundMethods;
  return new Methods(known.map((method) => (isOf(method) ? brokenMethod(method, broken) : method)));
}

function brokenMethod(method: Method, broken: Broken): Method {
  return {
    ...method,
    plan: (study) => {
      const plan = method.plan(study);
      if (broken.plan !== true) return plan;
      const [first, ...others] = plan.stages;
      return { ...plan, stages: [{ ...first!, mayBeSkipped: true }, ...others] };
    },
    aggregator: async () => brokenSide(await method.aggregator(), broken),
  };
}

const brokenSide =
  (side: AggregatorSide, { parts = [], afterSums, unfit, broadcasts, draws }: Broken): AggregatorSide =>
  async (conversation) => {
    let sums = 0;
    if (draws === true) conversation.draw("another", () => "1");
    const fault = () => new RangeError("a matrix is not symmetric");
    const result = await side({
      ...conversation,
      get survivors() {
        return conversation.survivors;
      },
      part: (id, compute) =>
        conversation.part(id, () => {
          if (parts.includes(id)) throw fault();
          return compute();
        }),
      async sum(stage, broadcast) {
        const changed = sums + 1 === broadcasts ? { ...broadcast, more: Float64Array.of(1) } : broadcast;
        const sum = await conversation.sum(stage, changed);
        if (++sums === afterSums) throw fault();
        return sum;
      },
    });
    if (unfit !== true) return result;
    const figures = result.figures?.map((figure) => ({ ...figure, title: "x".repeat(10_000) })) ?? null;
    return { ...result, figures };
  };

const isPaused = ({ waiting }: Pick<StudyRun, "waiting">) => waiting !== null && waiting.code !== "DISK_FULL";

/** Three hospitals and an aggregator, whose messages all arrive. */
class QuietFederation {
  readonly #world = new World(startsAt);
  readonly #folder: string;
  readonly #state: AggregatorState;
  #hospitals: Hospital[] = [];
  #aggregator!: AggregatorLife;
  readonly published: FinishedStudy[] = [];
  /** What the publisher answers with, once. */
  refusal: ConsiliumError | null = null;
  onPublished: () => void = () => undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#state = new AggregatorState(join(folder, "aggregator"), "held");
  }

  static async open(program: Program): Promise<QuietFederation> {
    const own = new QuietFederation(await mkdtemp(join(tmpdir(), "consilium-held-")));
    const federation = await testFederation("simulated", startsAt);
    for (const site of ["site-a", "site-b", "site-c"] as SiteId[]) {
      const folder = join(own.#folder, site);
      own.#hospitals.push(await Hospital.found(federation, { site, seed: site, folder, now: startsAt }));
    }
    await own.#state.enrol(own.#hospitals, startsAt);
    await aggregatorSideOf(unwrap(parseStudy(studyOf("warm"))));
    await own.restart(program);
    return own;
  }

  /** The aggregator's process ends, if it runs, and another program starts; hospitals start anew and connect. */
  async restart({ software, ...broken }: Program): Promise<void> {
    this.#aggregator?.life.end();
    this.#aggregator = this.#state.start(this.#world, {
      onEnd: () => undefined,
      refused: (method, code) => expect(`${method} ${code}`).toBe("nothing is refused"),
      methods: methodsOf(broken),
      software,
      publish: async (finished) => {
        const { refusal } = this;
        this.refusal = null;
        if (refusal !== null) throw refusal;
        this.published.push(finished);
        this.onPublished();
        return { url: `simulated:${finished.record.id}` };
      },
    });
    for (const hospital of this.#hospitals) await this.#connect(hospital, this.#aggregator);
    await this.settle();
  }

  async #connect(hospital: Hospital, aggregator: AggregatorLife): Promise<void> {
    const stream = new ControlStream(
      hospital,
      (frame) => {
        const bytes = codec.responseSerialize(frame);
        this.#world.after(5, () =>
          life.received(codec.responseDeserialize(bytes) as AggregatorFrame__Output),
        );
      },
      () => undefined,
    );
    const life = await hospital.start(this.#world, {
      send: (frame) => {
        const sent = codec.requestDeserialize(codec.requestSerialize(frame)) as SiteFrame__Output;
        this.#world.after(5, () => {
          if (!aggregator.life.isOver) stream.emit("data", sent);
        });
      },
      fetch: async (study, hash) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of aggregator.studies.run(study)!.broadcastStream(hospital.site, hash, 0))
          pieces.push(piece);
        return new Uint8Array(Buffer.concat(pieces));
      },
      ended: () => undefined,
    });
    aggregator.attended(stream);
    life.hello();
  }

  get studies() {
    return this.#aggregator.studies;
  }

  /** The disk is full at the next statement that begins so, and has room again after that. */
  fillDiskAt(statement: string): void {
    const { store } = this.#state;
    const { run } = store;
    store.run = (sql, ...values) => {
      if (!sql.startsWith(statement)) return run.call(store, sql, ...values);
      store.run = run;
      throw new DiskFull("the disk is full");
    };
  }

  async settle(ms = minutes): Promise<void> {
    await this.#world.run(this.#world.now + ms, () => this.#state.records.studies().every(this.#isAtRest));
  }

  readonly #isAtRest = ({ id }: { readonly id: StudyId }) => {
    const run = this.#aggregator.studies.run(id);
    return run === null || run.isOver || run.open !== null || isPaused(run);
  };

  /** What is loaded for the first time takes moments of this machine, which the world's clock does not see. */
  async #ended(id: StudyId): Promise<void> {
    for (let turn = 0; turn < 200; turn++) {
      await this.settle(1_000);
      const run = this.studies.run(id);
      if (run === null || isPaused(run)) return;
      await delay(10);
    }
    throw new Error(`${id} does not end`);
  }

  async start(name: string): Promise<StudyId> {
    const id = this.studies.start(unwrap(parseStudy(studyOf(name)))).id as StudyId;
    await this.#ended(id);
    return id;
  }

  async after(act: () => StudyView): Promise<StudyView> {
    const { id } = act();
    await this.#ended(id as StudyId);
    return this.studies.view(id as StudyId);
  }

  /** What every hospital has been charged for, stage by stage and attempt by attempt. */
  charged(id: StudyId): string[] {
    const all = this.#hospitals.map((hospital) => {
      const ledger = hospital.ledger(this.#world);
      expect(ledger.reserved(id).length * Number(this.studies.view(id).status === "failed")).toBe(0);
      return ledger.committed(id).map(({ stage, attempt }) => `${stage} ${attempt}`);
    });
    for (const one of all) expect(one).toEqual(all[0]);
    return all[0]!;
  }

  events(id: StudyId): string[] {
    return this.#state.store
      .all("SELECT kind, detail FROM events WHERE study = ? ORDER BY id", id)
      .map(({ kind, detail }) => (detail === null ? String(kind) : `${kind} ${detail}`));
  }

  async close(): Promise<void> {
    this.#aggregator.life.end();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

const studyOf = (name: string) => ({
  name,
  table: "records",
  analysis: "pca",
  method: "dp-pca",
  parameters: { components: 1, form: "iteration", iterations: 2 },
  privacy: { epsilon: 1, delta: 1e-5 },
  participation: { minimumSites: 3, maxRowsPerSite: 100, phaseDeadline: "10m" },
  features: [0, 1, 2].map((i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
});

let federation: QuietFederation;
afterEach(() => federation.close());

const open = async (program: Program) => {
  federation = await QuietFederation.open(program);
  return federation;
};
const figures: readonly MissingPart[] = [{ part: "figures", reason: "fault" }];
const said = ({ failure }: StudyView) => readSaid(failure!.message);

describe("a result of which a part could not be computed", () => {
  it("is held with its sums, comes to the same under the same program, and is released whole by a newer one", async () => {
    const broken = { software: older, parts: ["figures"] } as const;
    await open(broken);
    const id = await federation.start("held");
    const view = federation.studies.view(id);
    expect(view.status).toBe("failed");
    expect(view.failure!.code).toBe("RESULT_INCOMPLETE");
    expect(said(view)).toEqual({
      code: "result.incomplete",
      params: { missing: lacks(figures), again: 0, software: older },
    });
    const charged = federation.charged(id);
    expect(charged).toHaveLength(new Set(charged).size);
    expect(charged.length).toBeGreaterThanOrEqual(3);
    expect(federation.published).toEqual([]);

    const again = await federation.after(() => federation.studies.resume(id));
    expect(said(again)).toMatchObject({ code: "result.incomplete", params: { again: 1 } });
    // Longer than any phase may wait.
    await federation.settle(7 * 24 * 60 * minutes);
    await federation.restart(broken);
    expect(federation.studies.view(id)).toMatchObject({ status: "failed", failure: again.failure });
    expect(federation.charged(id)).toEqual(charged);

    await federation.restart({ software: newer });
    const released = await federation.after(() => federation.studies.resume(id));
    expect(released.status).toBe("released");
    expect(federation.charged(id)).toEqual(charged);
    const [finished] = federation.published;
    expect(finished!.missing).toEqual([]);
    expect(finished!.result.figures!.length).toBeGreaterThan(0);
  });

  it("is released without it once the operator accepts that, and says which part and why", async () => {
    await open({ software: older, parts: ["figures", "predictor"] });
    const id = await federation.start("accepted");
    const charged = federation.charged(id);
    const released = await federation.after(() => federation.studies.accept(id));
    expect(released.status).toBe("released");
    expect(federation.charged(id)).toEqual(charged);
    const [finished] = federation.published;
    expect(finished!.missing).toEqual([{ part: "predictor", reason: "fault" }, ...figures]);
    expect(finished!.result).toMatchObject({ figures: null, predictor: null });
    expect(Object.keys(finished!.result.model)).toContain("eigenvalues");
    expect(federation.events(id)).toContain("accepted predictor: fault, figures: fault");
    expect(() => federation.studies.accept(id)).toThrow(ConsiliumError);
  });

  it("keeps what was accepted over a restart, and a part that no release can hold is one", async () => {
    await open({ software: older, unfit: true });
    const id = await federation.start("unfit");
    expect(said(federation.studies.view(id))).toMatchObject({
      params: { missing: lacks([{ part: "figures", reason: "unfit" }]) },
    });
    federation.refusal = new ConsiliumError("CERTIFICATE_INVALID", "the publisher's certificate has expired");
    const refused = await federation.after(() => federation.studies.accept(id));
    expect(refused).toMatchObject({ status: "failed", failure: { code: "CERTIFICATE_INVALID" } });
    await federation.restart({ software: newer });
    const released = await federation.after(() => federation.studies.resume(id));
    expect(released.status).toBe("released");
    expect(federation.published[0]!.missing).toEqual([{ part: "figures", reason: "unfit" }]);
    expect(federation.published[0]!.result.figures ?? null).toBeNull();
  });

  it("is held too where the publisher cannot write its files", async () => {
    await open({ software: older });
    const missing = [{ part: "figures", reason: "unwritten" }] as const;
    const params = { missing: lacks(missing) };
    federation.refusal = new ConsiliumError(
      "RESULT_INCOMPLETE",
      saidText({ code: "result.unwritten", params }),
    );
    const id = await federation.start("unwritten");
    expect(said(federation.studies.view(id))).toMatchObject({ code: "result.incomplete", params });
    const charged = federation.charged(id);
    const released = await federation.after(() => federation.studies.accept(id));
    expect(released.status).toBe("released");
    expect(federation.published[0]!.missing).toEqual(missing);
    expect(federation.charged(id)).toEqual(charged);
  });

  it("can be cancelled", async () => {
    await open({ software: older, parts: ["figures"] });
    const id = await federation.start("cancelled");
    expect((await federation.after(() => federation.studies.cancel(id))).status).toBe("cancelled");
    expect(() => federation.studies.accept(id)).toThrow(ConsiliumError);
    expect(federation.charged(id).length).toBeGreaterThan(0);
  });
});

describe("a disk that is full once a release is deposited", () => {
  it("holds up the study, and ends none", async () => {
    await open({ software: older });
    federation.onPublished = () => {
      if (federation.published.length === 1) federation.fillDiskAt("UPDATE studies SET release_url");
    };
    const id = await federation.start("full");
    expect(federation.studies.view(id)).toMatchObject({ status: "released", failure: null });
  });
});

describe("a conversation that throws", () => {
  it.each([
    { when: "after its last sum", afterSums: 3 },
    { when: "between its sums", afterSums: 1 },
  ])("$when keeps its sums for a newer program, and has nothing to accept", async ({ afterSums }) => {
    await open({ software: older, afterSums });
    const id = await federation.start("thrown");
    const view = federation.studies.view(id);
    expect(view.failure!.code).toBe("RESULT_FAILED");
    expect(said(view)).toMatchObject({ code: "result.failed", params: { again: 0 } });
    const charged = federation.charged(id);
    expect(charged).toHaveLength(afterSums);
    expect(() => federation.studies.accept(id)).toThrow(ConsiliumError);

    const again = await federation.after(() => federation.studies.resume(id));
    expect(said(again)).toMatchObject({ code: "result.failed", params: { again: 1 } });
    expect(federation.charged(id)).toEqual(charged);

    await federation.restart({ software: newer, plan: true });
    const other = await federation.after(() => federation.studies.resume(id));
    expect(other).toMatchObject({ status: "running", failure: null, waiting: { code: "PLAN_DIFFERS" } });
    expect(readSaid(other.waiting!.message)).toEqual({
      code: "study.other-plan",
      params: { began: older, software: newer, at: "stages.0.mayBeSkipped" },
    });
    expect(federation.charged(id)).toEqual(charged);

    await federation.restart({ software: newer });
    const released = await federation.after(() => federation.studies.view(id));
    expect(released.status).toBe("released");
    const all = federation.charged(id);
    expect(all.slice(0, afterSums)).toEqual(charged);
    expect(all.every((one) => one.endsWith(" 1"))).toBe(true);
    expect(federation.published[0]!.missing).toEqual([]);
  });
});

describe("another version of the aggregator, in the middle of a study", () => {
  /** A study of which two of three sums are there. */
  async function halfway(): Promise<{ id: StudyId; charged: string[] }> {
    await open({ software: older, afterSums: 2 });
    const id = await federation.start("under-way");
    const charged = federation.charged(id);
    expect(charged).toHaveLength(2);
    return { id, charged };
  }
  const resumed = (id: StudyId) => federation.after(() => federation.studies.resume(id));

  it("continues it where it plans and asks alike", async () => {
    const { id, charged } = await halfway();
    await federation.restart({ software: newer });
    expect((await resumed(id)).status).toBe("released");
    expect(federation.charged(id).slice(0, 2)).toEqual(charged);
  });

  it.each([
    ["broadcasts something else for a sum that is there", { broadcasts: 2 }, "more"],
    ["draws what the conversation did not", { draws: true }, "another"],
  ] as const)("pauses it where it %s, until the version before is back", async (_, broken, at) => {
    const { id, charged } = await halfway();
    await federation.restart({ software: newer, ...broken });
    const view = await resumed(id);
    expect(view).toMatchObject({ status: "running", failure: null, waiting: { code: "REPLAY_DIFFERS" } });
    expect(readSaid(view.waiting!.message)).toMatchObject({ code: "study.replay-differs", params: { at } });
    // Longer than any phase may wait; and other studies continue.
    await federation.settle(7 * 24 * 60 * minutes);
    expect(federation.studies.view(id)).toMatchObject({ status: "running", waiting: view.waiting });
    expect(federation.charged(id)).toEqual(charged);

    await federation.restart({ software: older });
    expect((await federation.after(() => federation.studies.view(id))).status).toBe("released");
    expect(federation.charged(id).slice(0, 2)).toEqual(charged);
  });

  it("can have it cancelled while it is paused", async () => {
    const { id } = await halfway();
    await federation.restart({ software: newer, plan: true });
    await resumed(id);
    expect((await federation.after(() => federation.studies.cancel(id))).status).toBe("cancelled");
  });

  it("that cannot read it starts all the same, shows it among the others, and leaves it for one that can", async () => {
    const { id, charged } = await halfway();
    await federation.restart({ software: older, unread: true });
    await expect(async () => resumed(id)).rejects.toThrow(ConsiliumError);
    const [listed] = federation.studies.list({ order: "newest", limit: 10 }).studies;
    expect(listed).toMatchObject({ id, status: "running" });
    expect(listed!.waiting).not.toBeNull();
    expect(federation.studies.running()).toEqual([]);

    await federation.restart({ software: older });
    expect((await federation.after(() => federation.studies.view(id))).status).toBe("released");
    expect(federation.charged(id).slice(0, 2)).toEqual(charged);
  });
});
