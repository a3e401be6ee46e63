import { EventEmitter } from "node:events";
import { mkdir } from "node:fs/promises";
import { Presence } from "@consilium/aggregator/roster/presence";
import { SiteRegistry } from "@consilium/aggregator/roster/registry";
import type { SitePeer } from "@consilium/aggregator/roster/sitePeer";
import { StudyRecords } from "@consilium/aggregator/rounds/records";
import type { FinishedStudy } from "@consilium/aggregator/rounds/runContext";
import { Studies } from "@consilium/aggregator/rounds/studies";
import { StudyPlans } from "@consilium/aggregator/rounds/studyPlans";
import { federationHandlers } from "@consilium/aggregator/rpc/federation";
import { migrations } from "@consilium/aggregator/store/schema";
import type { ErrorCode } from "@consilium/core/errors";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Methods } from "@consilium/core/method/methods";
import { softwareVersion } from "@consilium/core/version";
import { allMethods } from "@consilium/methods-paper/all";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { After } from "@consilium/runtime/after";
import { statedFederation } from "@consilium/runtime/identity/rootKey";
import { createLogger } from "@consilium/runtime/log";
import { SampledWarnings } from "@consilium/runtime/sampledLog";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { Life, mortalStore } from "@consilium/runtime/testing/store/mortal";
import type { Hospital } from "./hospital.js";
import { SeededRandom, type World } from "./world.js";

const log = createLogger({ service: "test", level: "silent" });

export interface AggregatorSurroundings {
  /** The process was killed. */
  readonly onEnd: () => void;
  /** A call of a site was refused. */
  readonly refused: (method: string, code: ErrorCode) => void;
  /** Left out: those of this program. */
  readonly methods?: Methods;
  readonly software?: string;
  /** Left out: every release is accepted. */
  readonly publish?: (finished: FinishedStudy) => Promise<{ url: string }>;
}

/** What stays of the aggregator when its process ends. */
export class AggregatorState {
  readonly store: Store = openStore(":memory:", migrations);
  /** The same, as it lies on the disk. */
  readonly records = new StudyRecords(this.store);
  readonly folder: string;
  readonly #seed: string;
  #lives = 0;

  rootPem = "";

  constructor(folder: string, seed: string) {
    this.folder = folder;
    this.#seed = seed;
  }

  async enrol(hospitals: readonly Hospital[], now: number): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    this.rootPem = hospitals[0]!.identity.rootPem;
    const registry = new SiteRegistry(this.store);
    for (const { site, identity, chain } of hospitals) {
      this.store.run("INSERT INTO sites (id) VALUES (?)", site);
      const key = { signingKey: identity.signingPublicKey, fingerprint: identity.fingerprint };
      const chainJson = JSON.stringify(chain.map((der) => Buffer.from(der).toString("base64")));
      const certificate = { chain: chainJson, expiresAt: identity.notAfter, software: "simulated" };
      registry.enrolled(site, { ...key, ...certificate }, now);
    }
  }

  start(world: World, surroundings: AggregatorSurroundings): AggregatorLife {
    const random = new SeededRandom(`${this.#seed} aggregator ${this.#lives++}`);
    return new AggregatorLife(this, { ...surroundings, world, random });
  }
}

/** A site's control stream at the aggregator's end: what gRPC hands to its handlers. */
export class ControlStream extends EventEmitter {
  readonly peer: SitePeer;
  readonly #out: (frame: AggregatorFrame) => void;
  readonly #onEnd: () => void;

  constructor(hospital: Hospital, out: (frame: AggregatorFrame) => void, onEnd: () => void) {
    super();
    const { site, identity, chain } = hospital;
    this.peer = {
      site,
      identity: { ...identity, signingKey: identity.signingPublicKey } as never,
      signingKey: identity.signingPublicKey,
      chain,
    };
    this.#out = out;
    this.#onEnd = onEnd;
    this.on("error", () => this.#onEnd());
  }

  write(frame: AggregatorFrame, done?: () => void): boolean {
    this.#out(frame);
    done?.();
    return true;
  }

  end(): void {
    this.#onEnd();
  }
}

/** One life of the aggregator: its parts as its process puts them together, without sockets. */
export class AggregatorLife {
  readonly life: Life;
  readonly studies: Studies;
  readonly #attend: (stream: ControlStream) => void;

  constructor(
    state: AggregatorState,
    of: AggregatorSurroundings & { readonly world: World; readonly random: SeededRandom },
  ) {
    const { world, random } = of;
    this.life = new Life(of.onEnd);
    const store = mortalStore(state.store, this.life);
    const now = () => world.now;
    const after: After = (ms, call) =>
      world.after(ms, () => {
        if (!this.life.isOver) call();
      });
    const records = new StudyRecords(store, after);
    const presence = new Presence(now);
    const registry = new SiteRegistry(store);
    const disk = testDisk(state.folder);
    this.studies = new Studies(
      {
        federation: statedFederation({ federation: "simulated", rootPem: state.rootPem }),
        records,
        plans: new StudyPlans(of.methods ?? allMethods),
        presence,
        kernels: plainKernels(),
        random,
        now,
        after,
        isSiteExpelled: () => false,
        isExpelled: () => false,
        software: of.software ?? softwareVersion,
        stateFolder: state.folder,
        disk,
        log,
        publish: of.publish ?? (async (finished) => ({ url: `simulated:${finished.record.id}` })),
      },
      registry,
      () => false,
    );
    const { Attend } = federationHandlers({
      federation: "simulated",
      software: softwareVersion,
      enrolment: null as never,
      registry,
      presence,
      studies: this.studies,
      authorise: (call) => (call as unknown as ControlStream).peer,
      authoriseRenewal: (call) => (call as unknown as ControlStream).peer,
      together: (work) => records.together(work),
      disk,
      revocations: () => null,
      now,
      after,
      log,
      strangers: new SampledWarnings(log),
      refused: (method, code) => {
        if (!this.life.isOver) of.refused(method, code);
      },
    });
    this.#attend = (stream) => Attend(stream as never);
    this.studies.resumeAll();
  }

  attended(stream: ControlStream): void {
    if (!this.life.isOver) this.#attend(stream);
  }
}
