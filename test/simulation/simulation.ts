import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import {
  addInto,
  newRingVector,
  type RingVector,
  ringVectorFromBytes,
} from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { siteSideOf } from "@consilium/core/method/method";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import type {
  AggregatorFrame,
  AggregatorFrame__Output,
} from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame, SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import { Federation } from "@consilium/proto/load";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { type AggregatorLife, AggregatorState, ControlStream } from "./aggregator.js";
import { Hospital, type HospitalLife } from "./hospital.js";
import { SeededRandom, World } from "./world.js";

const codec = Federation.service.Attend;
const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
const startsAt = Date.UTC(2026, 0, 5);
const phaseDeadlineMs = 10 * minutes;

export interface SimulationOptions {
  readonly seed: string;
  readonly sites: number;
  readonly studies: number;
  /** For how many days studies begin and faults happen. */
  readonly days: number;
  /** Faults, for each message: how likely it is that something breaks on its way. */
  readonly faults?: number;
}

/** What a simulation has seen, so that a test can say that it saw something. */
export interface Seen {
  released: number;
  cancelled: number;
  failures: number;
  sums: number;
  dropouts: number;
  siteCrashes: number;
  aggregatorCrashes: number;
  cuts: number;
  repeated: number;
}

/**
 * A federation under a seeded run of faults: the aggregator's conversation and the hospitals' agents as they are, over a
 * network, a clock and processes that are played. After the days are over everything is repaired, and every study must end.
 *
 * At every moment at which nothing is under way it must hold that
 * - a finished sum is that of exactly the sites that it names;
 * - no site has answered a step of an attempt twice with different bytes;
 * - a running study waits in a step whose deadline is to come;
 * - a failed study says why, and can be resumed;
 * and at the end that a ledger has charged each vector that left once, and holds nothing back for a study that has ended.
 */
export class Simulation {
  readonly options: SimulationOptions;
  readonly seen: Seen = {
    released: 0,
    cancelled: 0,
    failures: 0,
    sums: 0,
    dropouts: 0,
    siteCrashes: 0,
    aggregatorCrashes: 0,
    cuts: 0,
    repeated: 0,
  };
  readonly world = new World(startsAt);
  /** What was sent by whom, and when: the same for the same seed. */
  readonly history: string[] = [];
  readonly #random: SeededRandom;
  readonly #folder: string;
  readonly #state: AggregatorState;
  readonly links: Link[] = [];
  #aggregator: AggregatorLife | null = null;
  #isCalm = false;
  /** What each site computed before it was masked, by the hash of what it sent. */
  readonly plain = new Map<Sha256, RingVector>();
  readonly #answers = new Map<string, { readonly hash: Sha256; readonly vector: RingVector | null }>();
  readonly #checked = new Set<string>();
  readonly #resumes = new Map<StudyId, number>();
  #violation: string | null = null;

  private constructor(options: SimulationOptions, folder: string) {
    this.options = options;
    this.#random = new SeededRandom(options.seed);
    this.#folder = folder;
    this.#state = new AggregatorState(join(folder, "aggregator"), options.seed);
  }

  /** @throws Error with the seed, at the first thing that must not be */
  static async run(options: SimulationOptions, observe: (simulation: Simulation) => void): Promise<Seen> {
    const simulation = new Simulation(options, await mkdtemp(join(tmpdir(), "consilium-simulation-")));
    observe(simulation);
    try {
      await simulation.#run();
      return simulation.seen;
    } catch (thrown) {
      const { sites, studies, days } = options;
      const words = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`seed "${options.seed}", ${sites} sites, ${studies} studies, ${days} days: ${words}`, {
        cause: thrown,
      });
    } finally {
      await rm(simulation.#folder, { recursive: true, force: true, maxRetries: 10 });
    }
  }

  get random(): SeededRandom {
    return this.#random;
  }

  get aggregator(): AggregatorLife | null {
    return this.#aggregator;
  }

  async #run(): Promise<void> {
    const { sites, studies, days } = this.options;
    const federation = await testFederation("simulated", startsAt);
    const hospitals: Hospital[] = [];
    for (let i = 0; i < sites; i++) {
      const site = `site-${String(i + 1).padStart(4, "0")}` as SiteId;
      const seed = `${this.options.seed} ${site}`;
      hospitals.push(
        await Hospital.found(federation, { site, seed, folder: join(this.#folder, site), now: startsAt }),
      );
    }
    await this.#state.enrol(hospitals, startsAt);
    // Modules are loaded now: how long that takes is nothing that a seed decides.
    const { study } = studyDocument(unwrap(parseStudy(studyOf(0, new SeededRandom("")))));
    await Promise.all([aggregatorSideOf(study), siteSideOf(study)]);
    this.#startAggregator();
    for (const hospital of hospitals) {
      const link = new Link(this, hospital);
      this.links.push(link);
      // One after the other: their files are real, and which is read first is not decided by a seed either.
      await link.start();
    }
    await this.#pass(minutes);
    for (let i = 0; i < studies; i++)
      this.world.after(this.#random.between(0, days * 24 * hours), () => this.#startStudy(i));
    await this.#pass(days * 24 * hours);
    await this.#repair();
    this.#checkLedgers(hospitals);
  }

  async #pass(ms: number): Promise<void> {
    await this.world.run(this.world.now + ms, (isLast) => this.#check(isLast));
  }

  /** No more faults; all processes run, all connections stand, and the operator resumes what failed. */
  async #repair(): Promise<void> {
    this.#isCalm = true;
    if (this.#aggregator === null) this.#startAggregator();
    for (const [i, link] of this.links.entries()) this.world.after(i, () => link.repair());
    for (let round = 0; round < 8; round++) {
      await this.#pass(3 * hours);
      const open = this.#state.records
        .studies()
        .filter(({ status }) => status !== "released" && status !== "cancelled");
      if (open.length === 0) {
        // The last receipts.
        await this.#pass(minutes);
        return;
      }
      for (const { id, status } of open) if (status === "failed") this.#aggregator!.studies.resume(id);
    }
    const open = this.#state.records
      .studies()
      .filter(({ status }) => status !== "released" && status !== "cancelled");
    const words = open.map(({ id, status, failureMessage }) => `${id} is ${status}: ${failureMessage}`);
    throw new Error(`studies did not end although everything was repaired: ${words.join("; ")}`);
  }

  // ---- the aggregator and its operator -------------------------------------------------------------------------------

  #startAggregator(): void {
    this.#aggregator = this.#state.start(this.world, {
      onEnd: () => this.#aggregatorEnded(),
      refused: (method, code) => {
        if (code === "INTERNAL") this.violated(`the aggregator refused ${method} with INTERNAL`);
      },
    });
    for (const { id, status } of this.#state.records.studies()) this.#watch(id, status);
  }

  #aggregatorEnded(): void {
    this.seen.aggregatorCrashes++;
    this.note("aggregator ends");
    this.#aggregator = null;
    for (const link of this.links) link.cut();
    const downMs = this.#random.between(seconds, 10 * minutes);
    this.world.after(downMs, () => {
      if (this.#aggregator === null) this.#startAggregator();
    });
  }

  #startStudy(index: number): void {
    // The operator tries again when there is somebody to ask.
    if (this.#aggregator === null || this.links.filter(({ isOpen }) => isOpen).length < 4) {
      this.world.after(minutes, () => this.#startStudy(index));
      return;
    }
    const id = this.#aggregator.studies.start(unwrap(parseStudy(studyOf(index, this.#random)))).id as StudyId;
    if (this.#random.chance(0.05)) {
      this.world.after(this.#random.between(0, 5 * seconds), () => {
        if (this.#aggregator?.studies.run(id) != null) this.#aggregator.studies.cancel(id);
      });
    }
  }

  /** A study that has failed is resumed after a while, as its operator does who has looked at why. */
  #watch(id: StudyId, status: string): void {
    if (status !== "failed" || this.#isCalm) return;
    const resumes = this.#resumes.get(id) ?? 0;
    if (resumes >= 3) return;
    this.#resumes.set(id, resumes + 1);
    this.world.after(this.#random.between(10 * minutes, 2 * hours), () => {
      if (this.#isCalm || this.#aggregator === null) return;
      if (this.#state.records.study(id)?.status === "failed") this.#aggregator.studies.resume(id);
    });
  }

  // ---- faults ----------------------------------------------------------------------------------------------------------

  /** Something may break with each message. */
  disturb(link: Link): void {
    if (this.#isCalm) return;
    const likely = this.options.faults ?? 0.004;
    const random = this.#random;
    if (random.chance(likely)) link.kill(random.below(12));
    if (random.chance(likely)) link.lose();
    if (random.chance(likely / 4) && this.#aggregator !== null) {
      const { life } = this.#aggregator;
      life.writesLeft = Math.min(life.writesLeft, random.below(20));
    }
    if (random.chance(likely / 50)) {
      // A region is cut off.
      const first = random.below(this.links.length);
      const size = 1 + random.below(Math.ceil(this.links.length / 4));
      const ms = random.between(minutes, hours);
      for (let i = 0; i < size; i++) this.links[(first + i) % this.links.length]!.cut(ms);
    }
  }

  note(what: string): void {
    this.history.push(`${this.world.now - startsAt} ${what}`);
  }

  violated(what: string): void {
    this.#violation ??= what;
  }

  // ---- what must hold --------------------------------------------------------------------------------------------------

  /** What a site sends: the same for the same question, whenever it is asked. */
  answered(site: SiteId, frame: SiteFrame__Output): void {
    const answer = answerOf(frame);
    if (answer === null) return;
    if (answer.code === "INTERNAL") this.violated(`${site} failed: INTERNAL in ${answer.place}`);
    if (answer.bytes === null) return;
    const key = `${answer.place} ${site}`;
    const hash = sha256(answer.bytes);
    const before = this.#answers.get(key);
    if (before !== undefined) {
      this.seen.repeated++;
      if (before.hash !== hash) this.violated(`${site} answered ${answer.place} twice with different bytes`);
      return;
    }
    const vector = frame.vector == null ? null : this.plain.get(sha256(frame.vector.content));
    if (vector === undefined)
      this.violated(`${site} sent a vector for ${answer.place} that its gate has not made`);
    this.#answers.set(key, { hash, vector: vector ?? null });
  }

  #check(isLast: boolean): boolean {
    if (this.#violation !== null) throw new Error(this.#violation);
    const { records } = this.#state;
    const idle = records.studies().find(({ id }) => this.#waitsForNothing(id));
    if (idle !== undefined) {
      if (isLast) throw new Error(`${idle.id} is ${idle.status} and waits for nothing`);
      return false;
    }
    for (const record of records.studies()) {
      const { id, status } = record;
      if (!this.#checked.has(`${id} over`)) this.#checkSums(id);
      if (status === "released" || status === "cancelled") {
        if (!this.#checked.has(`${id} over`)) this.seen[status]++;
        this.#checked.add(`${id} over`);
      } else if (status === "failed") this.#checkFailure(id, record);
      else this.#checkWaiting(id);
    }
    return true;
  }

  /** A study is under way, and in no step. */
  #waitsForNothing(id: StudyId): boolean {
    const run = this.#aggregator?.studies.run(id) ?? null;
    return run !== null && !run.isOver && run.open === null;
  }

  #checkSums(id: StudyId): void {
    const { records } = this.#state;
    for (const { stage, attempt, doneAt, survivors } of records.attempts.all(id)) {
      const key = `${id} ${stage} ${attempt}`;
      if (doneAt === null || this.#checked.has(key)) continue;
      const stored = records.result(id, stage);
      if (stored?.content == null) continue;
      this.#checked.add(key);
      this.seen.sums++;
      const vectors = survivors!.map(
        (site) => this.#answers.get(`${id} ${stage} ${attempt} vector ${site}`)?.vector,
      );
      const due = sumOf(vectors);
      if (due === null) throw new Error(`${key} names a site that sent no vector`);
      const sum = ringVectorFromBytes(stored.content, due instanceof Uint32Array ? 32 : 64);
      this.seen.dropouts +=
        records.participants(id).filter(({ onRoster }) => onRoster).length - survivors!.length;
      if (sum.length !== due.length || sum.some((entry, i) => entry !== due[i]))
        throw new Error(`the sum of ${key} is not that of the ${survivors!.length} sites that it names`);
    }
  }

  #checkFailure(
    id: StudyId,
    {
      failureCode,
      failureMessage,
      endedAt,
    }: { failureCode: string | null; failureMessage: string | null; endedAt: number | null },
  ): void {
    const key = `${id} failed ${endedAt}`;
    if (this.#checked.has(key)) return;
    this.#checked.add(key);
    this.seen.failures++;
    if (failureCode === null || failureCode === "INTERNAL" || !failureMessage)
      throw new Error(`${id} failed without saying why: [${failureCode}] ${failureMessage}`);
    this.#watch(id, "failed");
  }

  /** Nothing is computed, written or on its way to a file: a running study waits in a step, and its deadline is to come. */
  #checkWaiting(id: StudyId): void {
    if (this.#aggregator === null || this.#aggregator.life.isOver) return;
    const run = this.#aggregator.studies.run(id);
    if (run === null) throw new Error(`${id} is under way and nothing runs it`);
    const { open } = run;
    if (open === null || open.missing.length === 0) return;
    if (this.world.now > open.deadlineAt) throw new Error(`${id} is beyond the deadline of step ${open.id}`);
    if (open.deadlineAt - this.world.now > phaseDeadlineMs)
      throw new Error(`step ${open.id} of ${id} waits for longer than a phase may`);
  }

  #checkLedgers(hospitals: readonly Hospital[]): void {
    for (const hospital of hospitals) {
      // Opening it verifies every entry.
      const ledger = hospital.ledger(this.world);
      for (const { id, status } of this.#state.records.studies()) {
        const charged = ledger.committed(id).map(({ stage, attempt }) => `${stage} ${attempt}`);
        if (new Set(charged).size !== charged.length)
          throw new Error(`${hospital.site} charged a stage of ${id} twice: ${charged.join(", ")}`);
        const prefix = `${id} `;
        const suffix = ` vector ${hospital.site}`;
        const sent = [...this.#answers.keys()]
          .filter((key) => key.startsWith(prefix) && key.endsWith(suffix))
          .map((key) => key.slice(prefix.length, -suffix.length));
        const uncharged = sent.filter((one) => !charged.includes(one));
        if (uncharged.length > 0)
          throw new Error(
            `${hospital.site} sent vectors of ${id} that it did not charge: ${uncharged.join(", ")}`,
          );
        const held = ledger.reserved(id).length;
        if (held > 0) throw new Error(`${hospital.site} still holds budget for ${id}, which is ${status}`);
      }
    }
  }

  aggregatorFrame(link: Link, frame: AggregatorFrame): void {
    link.toSite(codec.responseSerialize(frame));
  }
}

/** A hospital's process and its connection. */
export class Link {
  readonly #simulation: Simulation;
  readonly #hospital: Hospital;
  readonly #random: SeededRandom;
  #life: HospitalLife | null = null;
  #stream: ControlStream | null = null;
  /** Counts connections: what was on its way in an earlier one never arrives. */
  #epoch = 0;
  #isDeaf = false;
  #cutUntil = 0;
  #arrivesAt = { here: 0, there: 0 };
  #isStarting = false;

  constructor(simulation: Simulation, hospital: Hospital) {
    this.#simulation = simulation;
    this.#hospital = hospital;
    this.#random = new SeededRandom(`${simulation.options.seed} link ${hospital.site}`);
  }

  get isOpen(): boolean {
    return this.#stream !== null;
  }

  get #world(): World {
    return this.#simulation.world;
  }

  /** Starts the hospital's agent, which dials. */
  async start(): Promise<void> {
    if (this.#life !== null || this.#isStarting) return;
    this.#isStarting = true;
    const network = {
      send: (frame: SiteFrame) => this.#toAggregator(frame),
      fetch: (study: StudyId, hash: Sha256) => this.#fetch(study, hash),
      ended: () => this.#ended(),
    };
    try {
      this.#life = await this.#hospital.start(this.#world, network);
      this.#isStarting = false;
      this.#dial();
    } catch (thrown) {
      this.#simulation.violated(`${this.#hospital.site} does not start: ${thrown}`);
    }
  }

  /** The process is killed at its next write but so many. */
  kill(writes: number): void {
    if (this.#life !== null) this.#life.life.writesLeft = Math.min(this.#life.life.writesLeft, writes);
  }

  #ended(): void {
    this.#simulation.seen.siteCrashes++;
    this.#simulation.note(`${this.#hospital.site} ends`);
    this.#life = null;
    this.cut();
    this.#world.after(this.#random.between(2 * seconds, 20 * minutes), () => {
      void this.start();
    });
  }

  /** Nothing that is sent arrives any more, until both ends notice. */
  lose(): void {
    if (this.#stream === null) return;
    this.#isDeaf = true;
    const epoch = this.#epoch;
    this.#world.after(30 * seconds, () => {
      if (this.#epoch === epoch) this.cut();
    });
  }

  /** @param ms - for how long there is no network path to the aggregator */
  cut(ms = 0): void {
    this.#cutUntil = Math.max(this.#cutUntil, this.#world.now + ms);
    const stream = this.#stream;
    this.#epoch++;
    this.#isDeaf = false;
    if (stream === null) return;
    this.#simulation.seen.cuts++;
    this.#stream = null;
    stream.emit("cancelled");
    this.#redial();
  }

  repair(): void {
    this.#cutUntil = 0;
    if (this.#life === null) void this.start();
    else if (this.#stream === null) this.#dial();
  }

  #redial(): void {
    this.#world.after(this.#random.between(seconds, minutes), () => this.#dial());
  }

  #dial(): void {
    if (this.#life === null || this.#stream !== null) return;
    const { aggregator } = this.#simulation;
    if (aggregator === null || this.#world.now < this.#cutUntil) {
      this.#redial();
      return;
    }
    const epoch = ++this.#epoch;
    this.#arrivesAt = { here: this.#world.now, there: this.#world.now };
    const isPresent = () => this.#epoch === epoch;
    const stream = new ControlStream(
      this.#hospital,
      (frame) => {
        if (isPresent()) this.#simulation.aggregatorFrame(this, frame);
      },
      () => {
        if (isPresent()) this.cut();
      },
    );
    this.#stream = stream;
    aggregator.attended(stream);
    this.#life.hello();
  }

  /** In order, after some time; now and then it stalls. */
  #carry(to: "here" | "there", arrive: () => void): void {
    this.#simulation.disturb(this);
    const epoch = this.#epoch;
    const stall = this.#random.chance(0.01) ? this.#random.between(seconds, minutes) : 0;
    const at = Math.max(this.#arrivesAt[to], this.#world.now + this.#random.between(5, 300) + stall);
    this.#arrivesAt[to] = at;
    this.#world.after(at - this.#world.now, () => {
      if (this.#epoch === epoch && !this.#isDeaf) arrive();
    });
  }

  #toAggregator(frame: SiteFrame): void {
    const stream = this.#stream;
    if (stream === null) return;
    this.#simulation.note(`${this.#hospital.site} sends ${frame.frame}`);
    const sent = codec.requestDeserialize(codec.requestSerialize(frame));
    // It left the site, whether or not it arrives.
    this.#simulation.answered(this.#hospital.site, sent);
    this.#carry("there", () => stream.emit("data", sent));
  }

  toSite(bytes: Buffer): void {
    const frame = codec.responseDeserialize(bytes) as AggregatorFrame__Output;
    this.#simulation.note(`${this.#hospital.site} is sent ${frame.frame}`);
    this.#carry("here", () => this.#life?.received(frame));
  }

  async #fetch(study: StudyId, hash: Sha256): Promise<Uint8Array> {
    const run = this.#stream === null ? null : this.#simulation.aggregator?.studies.run(study);
    if (run == null) throw new ConsiliumError("UNREACHABLE", "the aggregator does not answer");
    const pieces: Uint8Array[] = [];
    for await (const piece of run.broadcastStream(this.#hospital.site, hash, 0)) pieces.push(piece);
    return new Uint8Array(Buffer.concat(pieces));
  }
}

/** Sums with two to four stages; of some without noise, whose sites answer for one list of survivors alone. */
function studyOf(index: number, random: SeededRandom): object {
  const isExact = random.chance(0.25);
  return {
    name: `study-${index}`,
    table: "records",
    analysis: "pca",
    method: "dp-pca",
    variant: "sound",
    parameters: { components: 1, form: "iteration", iterations: 1 + random.below(3) },
    privacy: isExact ? "none" : { epsilon: 1, delta: 1e-5 },
    participation: {
      minimumSites: 3,
      tolerateColluding: 1,
      maxRowsPerSite: 100,
      joinDeadline: `${phaseDeadlineMs / minutes}m`,
      phaseDeadline: `${phaseDeadlineMs / minutes}m`,
    },
    features: [0, 1, 2].map((i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
  };
}

interface SiteAnswer {
  /** Study, step, attempt and kind. */
  readonly place: string;
  /** Null for what may differ from one time to the next. */
  readonly bytes: Uint8Array | null;
  readonly code: string | null;
}

/** What a site's frame answers, without the head of its ledger, which is always the newest. */
function answerOf(frame: SiteFrame__Output): SiteAnswer | null {
  const { sumPost, vector, stepFault, countersignature } = frame;
  if (sumPost != null) {
    const { studyId, step, attempt, post } = sumPost;
    return {
      place: `${studyId} ${step} ${attempt} ${post}`,
      bytes: codec.requestSerialize({ frame: "sumPost", sumPost }),
      code: null,
    };
  }
  if (vector != null) {
    const { studyId, step, attempt } = vector;
    const bytes = codec.requestSerialize({ frame: "vector", vector: { ...vector, ledgerHead: null } });
    return { place: `${studyId} ${step} ${attempt} vector`, bytes, code: null };
  }
  if (countersignature != null)
    return {
      place: `${countersignature.studyId} countersignature`,
      bytes: countersignature.signature,
      code: null,
    };
  if (stepFault != null)
    return { place: `${stepFault.studyId} ${stepFault.step}`, bytes: null, code: stepFault.code };
  return null;
}

function sumOf(vectors: readonly (RingVector | null | undefined)[]): RingVector | null {
  const first = vectors[0];
  if (first == null) return null;
  const sum = newRingVector(first instanceof Uint32Array ? 32 : 64, first.length);
  for (const vector of vectors) {
    if (vector == null) return null;
    addInto(sum, vector);
  }
  return sum;
}
