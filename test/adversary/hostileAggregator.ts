import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import { parseStudyId, type Sha256, type SiteId, type StudyId } from "@consilium/core/ids";
import { protocolVersions } from "@consilium/core/limits";
import { unwrap } from "@consilium/core/result";
import { broadcastBytes } from "@consilium/core/study/broadcast";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { type Plan, planStudy } from "@consilium/core/study/plan";
import { planHash, planText } from "@consilium/core/study/planFacts";
import { type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { sha256Bytes } from "@consilium/proto/fields";
import { outboundBytes } from "@consilium/proto/frames";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { BroadcastItem } from "@consilium/proto/generated/consilium/v1/BroadcastItem";
import type { Chunk } from "@consilium/proto/generated/consilium/v1/Chunk";
import type { EnrollRequest__Output } from "@consilium/proto/generated/consilium/v1/EnrollRequest";
import type { EnrollResponse } from "@consilium/proto/generated/consilium/v1/EnrollResponse";
import type { FederationHandlers } from "@consilium/proto/generated/consilium/v1/Federation";
import type { FetchRequest__Output } from "@consilium/proto/generated/consilium/v1/FetchRequest";
import type { Member as RosterEntry } from "@consilium/proto/generated/consilium/v1/Member";
import type { SiteFrame__Output } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import type { Task } from "@consilium/proto/generated/consilium/v1/Task";
import type { UploadHeader__Output } from "@consilium/proto/generated/consilium/v1/UploadHeader";
import type { UploadReply } from "@consilium/proto/generated/consilium/v1/UploadReply";
import type { UploadRequest__Output } from "@consilium/proto/generated/consilium/v1/UploadRequest";
import { Federation } from "@consilium/proto/load";
import { rosterBytes } from "@consilium/proto/roster";
import { issueLeaf } from "@consilium/runtime/identity/authority";
import { confirmRevocations } from "@consilium/runtime/identity/confirmRevocations";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { pemChainToDer, x509 } from "@consilium/runtime/identity/x509";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { closeGrpc, createGrpcServer, listenGrpc } from "@consilium/runtime/tls/grpcServer";
import { MutualTlsServerCredentials } from "@consilium/runtime/tls/serverCredentials";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { buildRoster, type Roster } from "@consilium/secure-sum/roster";
import type { SetupDelivery, SetupPost } from "@consilium/secure-sum/setup";
import type {
  Server,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  sendUnaryData,
} from "@grpc/grpc-js";
import { status } from "@grpc/grpc-js";
import { waitUntil } from "../../scripts/localFederation.js";
import { deliveriesFor, Peer } from "./peer.js";

type AttendCall = ServerDuplexStream<SiteFrame__Output, AggregatorFrame>;

/** An upload as far as it came. */
export interface ReceivedUpload {
  readonly method: "SendVector" | "SendRows";
  readonly studyId: string;
  readonly step: string;
  readonly attempt: number;
  readonly bytes: Buffer;
  readonly header: UploadHeader__Output;
}

/** One message as it came over the wire. */
export interface ReceivedMessage {
  /** Of the service. */
  readonly method: string;
  /** Which frame of the stream it is, or which part of an upload. A small vector's frame stands as its header. */
  readonly kind: string;
  readonly bytes: Buffer;
}

/**
 * An aggregator that holds the federation's real issuing key and does whatever a test wants, to the one site that
 * dials it. It keeps all that it receives.
 */
export class HostileAggregator {
  readonly federation: TestFederation;
  readonly address: string;
  /** Every message of the site, oldest first, as the bytes that came. */
  readonly messages: readonly ReceivedMessage[];
  /** Every frame of the site but heartbeats, oldest first. */
  readonly frames: SiteFrame__Output[] = [];
  readonly uploads: ReceivedUpload[] = [];
  /** Study and step of every upload that was begun, whether or not it came to its end. */
  readonly begun: { readonly studyId: string; readonly step: string }[] = [];
  /** What each enrolled site has shown. */
  readonly enrolled = new Map<
    SiteId,
    { readonly chain: readonly Buffer[]; readonly signingKey: Uint8Array }
  >();
  /** SHA-256 of every broadcast that was asked for, hexadecimal. */
  readonly fetches: string[] = [];
  /** What FetchVector serves under a hash; `null` stalls. */
  readonly served = new Map<string, Buffer | null>();
  /** What an honest welcome asks of the site: after four of them without an answer it dials anew. */
  heartbeatMs = 1_000;
  /** Instead of an honest welcome. */
  greeting: AggregatorFrame[] | null = null;
  /** The list of expelled sites that the site is sent after each welcome. */
  newestList: Uint8Array;
  hellos = 0;
  readonly #server: Server;
  #stream: AttendCall | null = null;

  private constructor(
    federation: TestFederation,
    server: Server,
    address: string,
    messages: readonly ReceivedMessage[],
  ) {
    this.federation = federation;
    this.newestList = issueRevocations(federation.root, undefined, []);
    this.messages = messages;
    this.#server = server;
    this.address = address;
  }

  static async start(): Promise<HostileAggregator> {
    // Made some days ago, so that what it signs can be old.
    const federation = await testFederation("harbour", Date.now() - 3 * 86_400_000);
    const leaf = await federation.leaf("aggregator", "aggregator", { now: Date.now() });
    const server = createGrpcServer();
    const handlers: { current?: FederationHandlers } = {};
    const messages: ReceivedMessage[] = [];
    server.addService(recording(Federation.service, messages), {
      Enroll: (call, callback) => handlers.current!.Enroll(call, callback),
      Check: (call, callback) => handlers.current!.Check(call, callback),
      Attend: (call) => handlers.current!.Attend(call),
      SendVector: (call) => handlers.current!.SendVector(call),
      SendRows: (call) => handlers.current!.SendRows(call),
      FetchVector: (call) => handlers.current!.FetchVector(call),
    } satisfies FederationHandlers);
    const rootPem = federation.root.certificatePem;
    const credentials = new MutualTlsServerCredentials({ ...leaf, rootPem });
    const port = await listenGrpc(server, { host: "127.0.0.1", port: 0 }, credentials);
    const aggregator = new HostileAggregator(federation, server, `127.0.0.1:${port}`, messages);
    handlers.current = aggregator.#handlers();
    return aggregator;
  }

  stop(): Promise<void> {
    return closeGrpc(this.#server, 200);
  }

  async peer(site: string, from: TestFederation = this.federation): Promise<Peer> {
    return new Peer(site, await from.leaf("site", site, { now: Date.now() }));
  }

  send(frame: AggregatorFrame): void {
    if (this.#stream === null) throw new Error("no site is connected");
    this.#stream.write(frame);
  }

  /** Waits until the site has greeted (again). */
  async connected(hellos = 1): Promise<void> {
    await waitUntil(
      async () => (this.#stream !== null && this.hellos >= hellos ? true : null),
      60_000,
      "the site to connect",
    );
  }

  async frame<K extends NonNullable<SiteFrame__Output["frame"]>>(
    kind: K,
    matches: (frame: NonNullable<SiteFrame__Output[K]>) => boolean,
    what: string,
    timeoutMs = 60_000,
  ): Promise<NonNullable<SiteFrame__Output[K]>> {
    return waitUntil(
      async () => {
        for (const frame of this.frames) {
          const content = frame[kind];
          if (frame.frame === kind && content !== null && content !== undefined && matches(content))
            return content;
        }
        return null;
      },
      timeoutMs,
      what,
    );
  }

  async upload(studyId: StudyId, step: string, attempt = 1): Promise<ReceivedUpload> {
    return waitUntil(
      async () =>
        this.uploads.find((one) => one.studyId === studyId && one.step === step && one.attempt === attempt) ??
        null,
      60_000,
      `the upload of ${step}`,
    );
  }

  /** Keeps a broadcast to serve, and describes it. */
  broadcast(stage: string, name: string, values: Float64Array): BroadcastItem {
    const bytes = Buffer.from(broadcastBytes(values));
    const hash = sha256(bytes);
    this.served.set(hash, bytes);
    return { stage, name, length: values.length, sha256: sha256Bytes(hash) };
  }

  #handlers(): FederationHandlers {
    return {
      Enroll: (call, callback) => void this.#enroll(call, callback),
      // Nothing that a site does rests on what it would answer.
      Check: (_call, callback) => callback({ code: status.UNIMPLEMENTED }),
      Attend: (call) => this.#attend(call),
      SendVector: (call) => void this.#receive(call, "SendVector"),
      SendRows: (call) => void this.#receive(call, "SendRows"),
      FetchVector: (call) => void this.#fetch(call),
    };
  }

  async #enroll(
    call: ServerUnaryCall<EnrollRequest__Output, EnrollResponse>,
    callback: sendUnaryData<EnrollResponse>,
  ): Promise<void> {
    const request = new x509.Pkcs10CertificateRequest(call.request.certificateRequest);
    const site = request.subject.replace("CN=", "") as SiteId;
    const chainPem = await issueLeaf(this.federation.issuer, {
      federation: "harbour",
      role: "site",
      id: site,
      tlsPublicKey: createPublicKey({
        key: Buffer.from(request.publicKey.rawData),
        format: "der",
        type: "spki",
      }),
      signingKey: call.request.signingKey,
      lifetimeMs: 86_400_000,
      now: Date.now(),
    });
    const chain = pemChainToDer(chainPem).slice(0, 2);
    this.enrolled.set(site, { chain, signingKey: new Uint8Array(call.request.signingKey) });
    callback(null, { federation: "harbour", siteId: site, chain });
  }

  /**
   * A list of expelled sites, confirmed as the newest.
   * @param list - left out, the newest
   * @param confirmedAt - milliseconds since 1970
   */
  revocations(list = this.newestList, confirmedAt = Date.now()): AggregatorFrame {
    const { sequence } = JSON.parse(Buffer.from(list).toString("utf8").split("\n")[0]!) as {
      sequence: number;
    };
    const confirmation = confirmRevocations(this.federation.issuer, { bytes: list, sequence }, confirmedAt);
    return {
      frame: "revocations",
      revocations: { list: Buffer.from(list), confirmation: Buffer.from(confirmation) },
    };
  }

  #attend(call: AttendCall): void {
    call.on("error", () => undefined);
    call.on("end", () => call.end());
    call.on("cancelled", () => {
      if (this.#stream === call) this.#stream = null;
    });
    call.on("data", (frame: SiteFrame__Output) => {
      if (frame.frame === "heartbeat") {
        call.write({ frame: "heartbeat", heartbeat: { sequence: 1 } });
        return;
      }
      this.frames.push(frame);
      if (frame.frame === "vector") {
        const header = frame.vector!;
        const { studyId, step, attempt, content } = header;
        this.begun.push({ studyId, step });
        this.uploads.push({ method: "SendVector", studyId, step, attempt, bytes: content, header });
      }
      if (frame.frame !== "hello") return;
      const { heartbeatMs } = this;
      const welcome = {
        protocol: protocolVersions.highest,
        software: "0.0.0",
        federation: "harbour",
        heartbeatMs,
      };
      const greetings = this.greeting ?? [{ frame: "welcome", welcome } as const, this.revocations()];
      for (const greeting of greetings) call.write(greeting);
      this.#stream = call;
      this.hellos++;
    });
  }

  async #receive(
    call: ServerDuplexStream<UploadRequest__Output, UploadReply>,
    method: ReceivedUpload["method"],
  ): Promise<void> {
    call.on("error", () => undefined);
    let entry: (ReceivedUpload & { bytes: Buffer }) | null = null;
    let total = 0;
    try {
      for await (const part of call) {
        const { header, chunk } = part as UploadRequest__Output;
        if (header) {
          const { studyId, step, attempt } = header;
          total = header.totalBytes;
          entry = { method, studyId, step, attempt, bytes: Buffer.alloc(0), header };
          this.begun.push({ studyId, step });
          call.write({ received: 0, complete: false });
        } else if (chunk && entry !== null) {
          entry.bytes = Buffer.concat([entry.bytes, chunk.data]);
          if (entry.bytes.length < total) continue;
          this.uploads.push(entry);
          call.write({ received: total, complete: true });
        }
      }
      call.end();
    } catch {
      // The site hung up.
    }
  }

  async #fetch(call: ServerWritableStream<FetchRequest__Output, Chunk>): Promise<void> {
    call.on("error", () => undefined);
    const hash = call.request.sha256.toString("hex");
    this.fetches.push(hash);
    const bytes = this.served.get(hash);
    if (bytes === null) {
      await once(call, "cancelled");
      return;
    }
    if (bytes !== undefined) call.write({ offset: 0, data: bytes });
    call.end();
  }
}

/** The service, with the bytes of every request kept before anything reads them. */
function recording(
  service: typeof Federation.service,
  messages: ReceivedMessage[],
): typeof Federation.service {
  const methods = Object.entries(service).map(([method, definition]) => {
    const requestDeserialize = (bytes: Buffer) => {
      const content = definition.requestDeserialize(bytes) as Partial<SiteFrame__Output> & { part?: string };
      const { vector } = content;
      if (vector == null)
        messages.push({ method, kind: content.frame ?? content.part ?? "", bytes: Buffer.from(bytes) });
      else {
        const header = { ...vector, content: Buffer.alloc(0) };
        messages.push({ method, kind: "header", bytes: Buffer.from(outboundBytes({ header })) });
      }
      return content;
    };
    return [method, { ...definition, requestDeserialize }];
  });
  return Object.fromEntries(methods) as typeof Federation.service;
}

let counter = 0;

/** One study with the site under test and peers that the test plays. */
export class Play {
  readonly aggregator: HostileAggregator;
  readonly document: StudyDocument;
  readonly plan: Plan;
  readonly id: StudyId;
  readonly peers: Peer[];
  readonly site: SiteId;
  members: RosterEntry[] = [];
  roster!: Roster;
  /** What was posted, by step. */
  readonly posts = new Map<string, Map<SiteId, SetupPost>>();
  broadcasts: BroadcastItem[] = [];

  constructor(
    aggregator: HostileAggregator,
    options: {
      study: Record<string, unknown>;
      peers: Peer[];
      site: SiteId;
    },
  ) {
    this.aggregator = aggregator;
    this.document = studyDocument(unwrap(parseStudy(options.study)));
    this.plan = planStudy(this.document.study);
    const digits = (++counter).toString(16).padStart(10, "0");
    this.id = unwrap(parseStudyId(`${this.document.study.name}-${digits}`));
    this.peers = options.peers;
    this.site = options.site;
  }

  /** Of the plan on the roster. */
  get planHash(): Sha256 {
    const { study } = documentOnRoster(this.document, this.members.length);
    return planHash(study, planStudy(study));
  }

  get needsSeed(): boolean {
    return this.plan.setup.includes("reveal");
  }

  invitation(change: { text?: string; hash?: Sha256; plan?: string } = {}): AggregatorFrame {
    return {
      frame: "invitation",
      invitation: {
        studyId: this.id,
        studyText: change.text ?? this.document.text,
        studyHash: sha256Bytes(change.hash ?? this.document.hash),
        plan: change.plan ?? planText(this.document.study, this.plan),
        deadlineInMs: 60_000,
      },
    };
  }

  decision() {
    return this.aggregator.frame("decision", (d) => d.studyId === this.id, `a decision on ${this.id}`);
  }

  /** Invites the site and fixes an honest roster. */
  async join(): Promise<this> {
    this.aggregator.send(this.invitation());
    const { join, refusalCode } = await this.decision();
    if (!join) throw new Error(`the site refused: ${refusalCode}`);
    this.members = [
      { siteId: this.site, chain: [...this.aggregator.enrolled.get(this.site)!.chain], join: { ...join } },
      ...this.peers.map((peer) => this.entryOf(peer)),
    ].sort((a, b) => (a.siteId! < b.siteId! ? -1 : 1));
    this.roster = unwrap(
      buildRoster(
        { id: this.id, hash: this.document.hash, minimumSites: 3 },
        this.members.map((member) => ({
          site: member.siteId as SiteId,
          signingKey: this.#signingKeyOf(member.siteId as SiteId),
          exchangeKey: new Uint8Array(member.join!.exchangeKey as Buffer),
          joinSignature: new Uint8Array(member.join!.signature as Buffer),
        })),
      ),
    );
    return this;
  }

  entryOf(peer: Peer): RosterEntry {
    const { exchangeKey, signature } = peer.join(this.id, this.document.hash);
    return {
      siteId: peer.site,
      chain: [...peer.chain],
      join: { exchangeKey: Buffer.from(exchangeKey), signature: Buffer.from(signature) },
    };
  }

  #signingKeyOf(site: SiteId): Uint8Array {
    const peer = this.peers.find((one) => one.site === site);
    return peer?.signingKey ?? this.aggregator.enrolled.get(site)!.signingKey;
  }

  task(step: string, kind: "exchange" | "sum" | "rows", change: Partial<Task> = {}): AggregatorFrame {
    const body = kind === "exchange" ? {} : { broadcasts: this.broadcasts };
    return {
      frame: "task",
      task: {
        studyId: this.id,
        step,
        attempt: 1,
        deadlineInMs: 60_000,
        planHash: sha256Bytes(this.planHash),
        roster: rosterBytes({ members: this.members }),
        deliveries: this.deliveries(step).map(wireDelivery(this.before(step))),
        kind,
        [kind]: body,
        ...change,
      },
    };
  }

  /** The exchange whose posts a step brings. */
  before(step: string): string {
    const setup: readonly string[] = this.plan.setup;
    const position = setup.indexOf(step);
    return (position === -1 ? setup.at(-1) : setup[position - 1]) ?? "";
  }

  deliveries(step: string): SetupDelivery[] {
    if (this.plan.stages.findIndex((stage) => stage.id === step) > 0) return [];
    return deliveriesFor(this.posts.get(this.before(step)) ?? new Map(), this.site);
  }

  /** An exchange to its end: the site's post and those of the peers. */
  async exchange(step: "deal" | "reveal"): Promise<this> {
    const posts = new Map<SiteId, SetupPost>();
    const before = this.posts.get(this.before(step));
    for (const peer of this.peers) {
      const post =
        step === "deal"
          ? peer.deal(this.roster, this.needsSeed)
          : peer.goOn(this.roster, this.needsSeed, deliveriesFor(before!, peer.site));
      posts.set(peer.site, post!);
    }
    this.aggregator.send(this.task(step, "exchange"));
    const answered = await this.aggregator.frame(
      "exchangePost",
      (post) => post.studyId === this.id && post.step === step,
      `the post of ${step}`,
    );
    posts.set(this.site, {
      publicPart: new Uint8Array(answered.publicPart),
      signature: new Uint8Array(answered.signature),
      envelopes: answered.envelopes.map((e) => ({ to: e.to as SiteId, sealed: new Uint8Array(e.sealed) })),
    });
    this.posts.set(step, posts);
    return this;
  }

  async setup(): Promise<this> {
    await this.join();
    await this.exchange("deal");
    if (this.needsSeed) await this.exchange("reveal");
    return this;
  }

  /** To the end of the stage `moments`. */
  async moments(): Promise<this> {
    await this.setup();
    this.aggregator.send(this.task("moments", "sum"));
    await this.aggregator.upload(this.id, "moments");
    return this;
  }

  sent(stage: string, vectors: Record<string, Float64Array>): this {
    for (const [name, values] of Object.entries(vectors)) {
      this.broadcasts.push(this.aggregator.broadcast(stage, name, values));
    }
    return this;
  }

  /** The code with which the site refuses a step; it must not have sent anything for it. */
  async refusalOf(step: string): Promise<string> {
    const { code } = await this.aggregator.frame(
      "stepFault",
      (fault) => fault.studyId === this.id && fault.step === step,
      `a refusal of ${step}`,
    );
    return code;
  }

  /** Steps of which any byte left the site: posts and uploads. */
  left(): string[] {
    const posts = this.aggregator.frames.flatMap(({ exchangePost, sumPost }) =>
      [exchangePost, sumPost].flatMap((post) => (post?.studyId === this.id ? [post.step] : [])),
    );
    const uploads = this.aggregator.begun.filter((one) => one.studyId === this.id).map((one) => one.step);
    return [...posts, ...uploads];
  }
}

export const wireDelivery =
  (step: string) =>
  ({ from, publicPart, signature, sealed }: SetupDelivery) => ({
    step,
    from: from as string,
    publicPart: Buffer.from(publicPart),
    signature: Buffer.from(signature),
    sealed: Buffer.from(sealed ?? []),
  });
