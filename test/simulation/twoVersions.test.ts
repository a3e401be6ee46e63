import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { methodKey, siteSideOf } from "@consilium/core/method/method";
import type { Result } from "@consilium/core/result";
import { unwrap } from "@consilium/core/result";
import type { Plan, StagePlan } from "@consilium/core/study/plan";
import { type Study, type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { parseStudy } from "@consilium/methods/testing/studies";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame, SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import { Federation } from "@consilium/proto/load";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { SiteRecords } from "@consilium/site-agent/studies/records";
import { SiteMethods } from "@consilium/site-agent/studies/siteMethods";
import { afterEach, describe, expect, it } from "vitest";
import { type AggregatorLife, AggregatorState, ControlStream } from "./aggregator.js";
import { Hospital, type HospitalLife } from "./hospital.js";
import { World } from "./world.js";

/**
 * Software that reads every study alike and sizes noise on a roster otherwise: a quarter more of it. Before there is a roster the
 * plans of both are the same.
 */
class OtherSizing extends SiteMethods {
  override read(text: string, hash: Sha256): Result<StudyDocument, ConsiliumError> {
    return resized(super.read(text, hash));
  }

  override async load(...of: Parameters<SiteMethods["load"]>): ReturnType<SiteMethods["load"]> {
    return resized(await super.load(...of));
  }
}

function resized(read: Result<StudyDocument, ConsiliumError>): Result<StudyDocument, ConsiliumError> {
  if (!read.ok) return read;
  const { study } = read.value;
  const method = study[methodKey];
  const plan = (asked: Study) => {
    const planned = method.plan(asked);
    return asked.rosterSites === undefined ? planned : withMoreNoise(planned);
  };
  return { ok: true, value: { ...read.value, study: { ...study, [methodKey]: { ...method, plan } } } };
}

const withMoreNoise = (plan: Plan): Plan => ({ ...plan, stages: plan.stages.map(noisier) });

function noisier(stage: StagePlan): StagePlan {
  if (stage.kind !== "sum" || stage.noise === null) return stage;
  const event = { ...stage.noise.event, shareVariance: stage.noise.event.shareVariance * 1.25 };
  return { ...stage, noise: { ...stage.noise, event }, disclosure: { ...stage.disclosure, event } };
}

const codec = Federation.service.Attend;
const minutes = 60_000;
const startsAt = Date.UTC(2026, 0, 5);

/** An aggregator and hospitals over a network without faults, each with the software that a test gives it. */
class Network {
  readonly world = new World(startsAt);
  readonly hospitals: Hospital[] = [];
  /** Codes of steps that a site did not answer, oldest first. */
  readonly faults: { readonly site: SiteId; readonly step: string; readonly code: string }[] = [];
  /** Rewrites what the aggregator sends. */
  onTheWay: (site: SiteId, frame: AggregatorFrame__Output) => AggregatorFrame__Output = (_, frame) => frame;
  /** Called with each frame of a site before it arrives. */
  onSent: (site: SiteId, frame: SiteFrame__Output) => void = () => undefined;
  readonly #links = new Map<Hospital, Link>();
  readonly #state: AggregatorState;
  #aggregator: AggregatorLife;

  private constructor(readonly folder: string) {
    this.#state = new AggregatorState(join(folder, "aggregator"), "versions");
    this.#aggregator = null as never;
  }

  static async start(versions: readonly SiteMethods[]): Promise<Network> {
    const network = new Network(await mkdtemp(join(tmpdir(), "consilium-versions-")));
    const federation = await testFederation("simulated", startsAt);
    for (const index of versions.keys()) {
      const site = `site-${index + 1}` as SiteId;
      const folder = join(network.folder, site);
      network.hospitals.push(await Hospital.found(federation, { site, seed: site, folder, now: startsAt }));
    }
    await network.#state.enrol(network.hospitals, startsAt);
    const { study } = studyDocument(unwrap(parseStudy(asked)));
    // Modules are loaded now: no clock waits for it.
    await Promise.all([
      aggregatorSideOf(study),
      siteSideOf(study),
      import("@consilium/site-agent/studies/countersigning"),
    ]);
    network.#aggregator = network.#state.start(network.world, {
      onEnd: () => undefined,
      refused: () => undefined,
    });
    for (const [i, hospital] of network.hospitals.entries()) await network.startSite(hospital, versions[i]!);
    await network.pass(1);
    return network;
  }

  /** Ends a site's process, where it has one, and starts it with this software. */
  async startSite(hospital: Hospital, methods: SiteMethods): Promise<void> {
    this.#links.get(hospital)?.end();
    const link = new Link(this, hospital, this.#aggregator);
    this.#links.set(hospital, link);
    await link.start(methods);
  }

  pass(count: number): Promise<void> {
    return this.world.run(this.world.now + count * minutes, () => true);
  }

  invite(): StudyId {
    return this.#aggregator.studies.start(unwrap(parseStudy(asked))).id as StudyId;
  }

  resume(id: StudyId): void {
    this.#aggregator.studies.resume(id);
  }

  study(id: StudyId) {
    return this.#state.records.study(id)!;
  }

  /** Of each hospital, the stages that its ledger has charged. */
  charged(id: StudyId): string[][] {
    return this.hospitals.map((hospital) =>
      hospital
        .ledger(this.world)
        .committed(id)
        .map(({ stage }) => stage),
    );
  }

  async remove(): Promise<void> {
    for (const link of this.#links.values()) link.end();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

class Link {
  #life: HospitalLife | null = null;
  #isOver = false;

  constructor(
    private readonly network: Network,
    private readonly hospital: Hospital,
    private readonly aggregator: AggregatorLife,
  ) {}

  async start(methods: SiteMethods): Promise<void> {
    const { world } = this.network;
    const { site } = this.hospital;
    const stream = new ControlStream(
      this.hospital,
      (frame) => {
        const read = codec.responseDeserialize(codec.responseSerialize(frame)) as AggregatorFrame__Output;
        world.after(1, () => {
          if (!this.#isOver) this.#life?.received(this.network.onTheWay(site, read));
        });
      },
      () => undefined,
    );
    const send = (frame: SiteFrame) => {
      if (this.#isOver) return;
      const sent = codec.requestDeserialize(codec.requestSerialize(frame));
      if (sent.stepFault != null) this.network.faults.push({ site, ...sent.stepFault });
      this.network.onSent(site, sent);
      world.after(1, () => {
        if (!this.#isOver) stream.emit("data", sent);
      });
    };
    const fetch = () => Promise.reject(new RangeError("every broadcast travels with its task"));
    this.end = () => {
      this.#isOver = true;
      stream.emit("cancelled");
    };
    this.#life = await this.hospital.start(world, { send, fetch, ended: () => undefined }, methods);
    this.aggregator.attended(stream);
    this.#life.hello();
  }

  end: () => void = () => undefined;
}

const asked = {
  name: "versions",
  table: "records",
  analysis: "pca",
  method: "dp-pca",
  variant: "sound",
  parameters: { components: 1, form: "iteration", iterations: 2 },
  privacy: { epsilon: 1, delta: 1e-5 },
  participation: { minimumSites: 3, tolerateColluding: 1, maxRowsPerSite: 100, phaseDeadline: "10m" },
  features: [0, 1, 2].map((i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
};

let network: Network;
afterEach(() => network.remove());

const builds = (text: string) =>
  [...text].map((one) => (one === "a" ? new SiteMethods() : new OtherSizing()));

describe("hospitals whose software sizes noise on a roster otherwise", () => {
  it("refuse before anything is charged, and the operator reads which and why", async () => {
    network = await Network.start(builds("bbbbb"));
    const id = network.invite();
    await network.pass(60);
    expect(network.charged(id)).toEqual([[], [], [], [], []]);
    expect(new Set(network.faults.map(({ code }) => code))).toEqual(new Set(["PLAN_DIFFERS"]));
    const { status, failureCode, failureMessage } = network.study(id);
    expect({ status, failureCode }).toEqual({ status: "failed", failureCode: "SITE_FAILED" });
    for (const site of ["site-1", "site-2"])
      expect(inEnglish(failureMessage)).toContain(`${site} (PLAN_DIFFERS)`);
    // What was set aside was for a plan that both sides had.
    const reason = new SiteRecords(network.hospitals[0]!.store).study(id)!;
    expect(reason).toMatchObject({ status: "waiting", localCode: "PLAN_DIFFERS" });
  });

  it("are one of five: the other four continue without it, and it is charged nothing", async () => {
    network = await Network.start(builds("aaaab"));
    const id = network.invite();
    await network.pass(60);
    expect(network.study(id).status).toBe("released");
    expect(network.charged(id).map((stages) => stages.length)).toEqual([3, 3, 3, 3, 0]);
    expect(network.faults.map(({ site, code }) => `${site} ${code}`)).toContain("site-5 PLAN_DIFFERS");
    expect(new Set(network.faults.map(({ code }) => code))).toEqual(new Set(["PLAN_DIFFERS"]));
  });

  it("refuse at the first stage where they were exchanged after they had joined", async () => {
    network = await Network.start(builds("aaaa"));
    const exchanged = new Set<Hospital>();
    network.onSent = (site, frame) => {
      const hospital = network.hospitals.find((one) => one.site === site)!;
      if (frame.decision?.join == null || site === "site-1" || exchanged.has(hospital)) return;
      exchanged.add(hospital);
      network.world.after(2, () => void network.startSite(hospital, new OtherSizing()));
    };
    const id = network.invite();
    await network.pass(60);
    expect(network.charged(id)).toEqual([[], [], [], []]);
    expect(network.study(id)).toMatchObject({ status: "failed", failureCode: "SITE_FAILED" });
    expect(network.faults.map(({ site }) => site)).toEqual(
      expect.arrayContaining(["site-2", "site-3", "site-4"]),
    );
    // Set back to the software of the others, they continue.
    for (const hospital of exchanged) await network.startSite(hospital, new SiteMethods());
    await network.pass(1);
    network.resume(id);
    await network.pass(60);
    expect(network.study(id).status).toBe("released");
    expect(network.charged(id).map((stages) => stages.length)).toEqual([3, 3, 3, 3]);
  });

  it("continue by the plan that they began with alone", async () => {
    network = await Network.start(builds("aaaa"));
    const [first, ...others] = network.hospitals;
    let isExchanged = false;
    network.onSent = (site, { vector }) => {
      if (vector == null || isExchanged || site !== first!.site) return;
      isExchanged = true;
      network.world.after(2, () => void network.startSite(first!, new OtherSizing()));
    };
    const id = network.invite();
    await network.pass(60);
    expect(isExchanged).toBe(true);
    expect(network.charged(id)[0]).toHaveLength(1);
    expect(network.faults.map(({ site, code }) => `${site} ${code}`)).toContain("site-1 PLAN_DIFFERS");
    expect(network.study(id).status).toBe("released");
    expect(
      network
        .charged(id)
        .slice(1)
        .map((stages) => stages.length),
    ).toEqual(others.map(() => 3));
  });
});
