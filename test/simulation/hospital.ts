import { createPrivateKey, type KeyObject } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { protocolVersions } from "@consilium/core/limits";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import { retired } from "@consilium/core/study/retired";
import { Door } from "@consilium/gate/door";
import { outboundBytes } from "@consilium/proto/frames";
import type { AggregatorFrame__Output } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { Identity } from "@consilium/runtime/identity/files";
import { ed25519Raw, pemChainToDer } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import { openStore, type Store } from "@consilium/runtime/store/store";
import type { TestFederation } from "@consilium/runtime/testing/identity/federation";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { Life, mortalStore } from "@consilium/runtime/testing/store/mortal";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { Anchors } from "@consilium/site-agent/ledger/anchors";
import { ledgerCharges } from "@consilium/site-agent/ledger/charges";
import { EgressLog } from "@consilium/site-agent/ledger/egressLog";
import { Ledger } from "@consilium/site-agent/ledger/ledger";
import { PolicyFile } from "@consilium/site-agent/policy/policyFile";
import { readAggregatorFrame } from "@consilium/site-agent/rpc/toDomain";
import { migrations } from "@consilium/site-agent/store/schema";
import { SealedStorage } from "@consilium/site-agent/store/sealedStorage";
import { Approvals } from "@consilium/site-agent/studies/approvals";
import type { Charges } from "@consilium/site-agent/studies/charges";
import { Participant } from "@consilium/site-agent/studies/participant";
import { SiteRecords } from "@consilium/site-agent/studies/records";
import { SiteMethods } from "@consilium/site-agent/studies/siteMethods";
import { madeUpSources, madeUpTables } from "@consilium/site-agent/testing/data/madeUpTables";
import { SeededRandom, type World } from "./world.js";

const log = createLogger({ service: "test", level: "silent" });
const policy = `approval: automatic
perStudy: { epsilon: 1000000, delta: 0.5 }
maxUnanswered: 1000
populations: { default: { epsilon: unlimited } }
`;
const offers = { waiting: 1_000, perDay: 100_000, joined: 1_000 };
const yearMs = 365 * 86_400_000;

/** What an agent has of its surroundings. */
export interface HospitalNetwork {
  /** Falls away while there is no connection. */
  send(frame: SiteFrame): void;
  fetch(study: StudyId, hash: Sha256): Promise<Uint8Array>;
  /** The process was killed. */
  ended(): void;
}

/** What stays of a hospital's agent when its process ends. */
export class Hospital {
  readonly site: SiteId;
  readonly identity: Identity;
  /** DER of the leaf and the issuing certificate. */
  readonly chain: readonly Uint8Array[];
  readonly store: Store;
  readonly folder: string;
  readonly #seed: string;
  #lives = 0;

  private constructor(identity: Identity, folder: string, seed: string) {
    this.site = identity.id;
    this.identity = identity;
    this.chain = pemChainToDer(identity.chainPem).slice(0, 2);
    this.store = openStore(":memory:", migrations);
    this.folder = folder;
    this.#seed = seed;
  }

  static async found(
    federation: TestFederation,
    of: { readonly site: SiteId; readonly folder: string; readonly seed: string; readonly now: number },
  ): Promise<Hospital> {
    const { site, folder, seed, now } = of;
    const signingKey = keyFrom(new SeededRandom(`${seed} key`).bytes(32));
    const leaf = await federation.leaf("site", site, { now, lifetimeMs: yearMs, signingKey });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "policy.yaml"), policy);
    const signingPublicKey = ed25519Raw(signingKey);
    const identity: Identity = {
      federation: "simulated",
      role: "site",
      id: site,
      tlsKeyPem: leaf.tlsKeyPem,
      chainPem: leaf.chainPem,
      rootPem: federation.root.certificatePem,
      signingKey,
      signingPublicKey,
      fingerprint: sha256(signingPublicKey),
      notAfter: now + yearMs,
      renewAtMs: now + yearMs,
    };
    return new Hospital(identity, folder, seed);
  }

  /** The ledger as it lies in the store, verified entry by entry. */
  ledger(world: World): Ledger {
    return openLedger(this.store, this.identity, () => world.now);
  }

  /** Starts the agent. */
  async start(world: World, network: HospitalNetwork, methods = new SiteMethods()): Promise<HospitalLife> {
    const random = new SeededRandom(`${this.#seed} life ${this.#lives++}`);
    const sealed = await SealedStorage.open(this.folder, random);
    const policyFile = new PolicyFile(join(this.folder, "policy.yaml"), { tables: madeUpSources });
    await methods.follow(policyFile.read(), true);
    // Reading a file takes no time here.
    await methods.loadAll();
    return new HospitalLife(this, { world, network, random, sealed, methods, policy: policyFile });
  }
}

/** One life of a hospital's agent: its parts as its process puts them together, without the connection. */
export class HospitalLife {
  readonly life: Life;
  readonly #participant: Participant;

  constructor(
    hospital: Hospital,
    of: {
      readonly world: World;
      readonly network: HospitalNetwork;
      readonly random: SeededRandom;
      readonly sealed: SealedStorage;
      readonly methods: SiteMethods;
      readonly policy: PolicyFile;
    },
  ) {
    const { world, random, sealed, methods, policy } = of;
    this.life = new Life(() => of.network.ended());
    const store = mortalStore(hospital.store, this.life);
    const now = () => world.now;
    const records = new SiteRecords(store);
    const egress = new EgressLog(store);
    const ledger = openLedger(store, hospital.identity, now);
    const anchors = new Anchors(hospital.folder);
    if (!anchors.check(ledger)) throw new Error(`${hospital.site}: the ledger is behind its anchor`);
    const charged = ledgerCharges({
      ledger,
      anchors,
      policy: () => unwrap(policy.read()),
      methods,
      tables: madeUpSources,
      isApproved: () => true,
    });
    const charges: Charges = {
      ...charged,
      keepHead: async () => {
        if (!this.life.isOver) await charged.keepHead();
      },
    };
    const send = (frame: SiteFrame) => {
      if (!this.life.isOver) of.network.send(frame);
    };
    this.#participant = new Participant({
      records,
      door: new Door({
        log: (entry) => egress.record(entry),
        charged: (study, step, attempt) => charges.noteOf(study, step, attempt),
        bytesOf: outboundBytes,
        now,
      }),
      tables: madeUpTables,
      approvals: new Approvals(store),
      policy,
      methods,
      retired,
      knownTables: madeUpSources,
      allowNoPrivacy: true,
      offers,
      charges,
      sealed,
      kernels: async () => plainKernels(),
      demandExpelledList: () => undefined,
      random,
      identity: () => hospital.identity,
      revocations: () => undefined,
      stateFolder: hospital.folder,
      disk: testDisk(hospital.folder),
      now,
      log,
      send: (message) => send(message.take()),
      upload: async (upload) => {
        if (upload.content === null) throw new RangeError("the simulation has no streams for large vectors");
        send({ frame: "vector", vector: { ...upload.take(), content: Buffer.from(upload.content) } });
      },
      fetch: (study, { sha256 }) => of.network.fetch(study, sha256),
    });
    this.hello = () =>
      send({
        frame: "hello",
        hello: {
          versions: { ...protocolVersions, software: "simulated" },
          tables: [],
          nowMs: now(),
          instance: Buffer.alloc(16),
        },
      });
  }

  /** Greets the aggregator on a fresh connection. */
  readonly hello: () => void;

  received(frame: AggregatorFrame__Output): void {
    if (this.life.isOver) return;
    const message = readAggregatorFrame(frame);
    switch (message.kind) {
      case "invitation":
      case "task":
      case "studyEnded":
        this.#participant.handle(message);
    }
  }
}

function openLedger(store: Store, identity: Identity, now: () => number): Ledger {
  return Ledger.open(store, () => ({ ...identity, site: identity.id }), now);
}

/** RFC 8410, section 7: an Ed25519 key in PKCS#8 is this prefix and its seed. */
function keyFrom(seed: Uint8Array): KeyObject {
  const prefix = Buffer.from("302e020100300506032b657004220420", "hex");
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: "der", type: "pkcs8" });
}
