import type { KeyObject } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unwrapSum } from "@consilium/core/errors";
import {
  addInto,
  newRingVector,
  type RingVector,
  ringVectorFromBytes,
  widened,
} from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { flowProposal, flowTable } from "@consilium/core/learning/flowTable";
import { stageTable } from "@consilium/core/learning/stageTable";
import { streamed } from "@consilium/core/learning/sums";
import { plainKernels } from "@consilium/core/linalg/plain";
import { siteSideOf } from "@consilium/core/method/method";
import type { RandomSource } from "@consilium/core/random";
import { ok } from "@consilium/core/result";
import { type Broadcast, boundHash, broadcastBytes, broadcastsHash } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { flowStageId } from "@consilium/core/study/flow";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { type Plan, planStudy, type StagePlan, type SumStage } from "@consilium/core/study/plan";
import { type PlanFacts, planFacts, planHash, planText } from "@consilium/core/study/planFacts";
import type { StudyDocument } from "@consilium/core/study/study";
import { answerOf } from "@consilium/gate/answer";
import { type ChargedEvent, chargedEvent, epsilonAt, type Patients, rhoOf } from "@consilium/gate/cost";
import { Door, type OutboundMessage, type OutboundUpload } from "@consilium/gate/door";
import type { ControlFrame } from "@consilium/gate/frames";
import type { Part } from "@consilium/gate/part";
import type { Terms } from "@consilium/gate/query";
import type { RecordBlock } from "@consilium/gate/record";
import { allMethods } from "@consilium/methods-paper/all";
import { outboundBytes } from "@consilium/proto/frames";
import type { Identity } from "@consilium/runtime/identity/files";
import { createLogger } from "@consilium/runtime/log";
import { openStore } from "@consilium/runtime/store/store";
import {
  type AggregatorSumContext,
  type AggregatorSumEvent,
  type AggregatorSumRequest,
  type AggregatorSumState,
  awaited,
  openSum,
  requestFor,
  stepAggregator,
} from "@consilium/secure-sum/aggregator";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { rawPublicKey, signMessage } from "@consilium/secure-sum/crypto/sign";
import { addMasks } from "@consilium/secure-sum/masks";
import type { AdvertisedKeys, KeysPost, SharesPost } from "@consilium/secure-sum/messages";
import { sumParameters } from "@consilium/secure-sum/parameters";
import { buildRoster, joinMessage, type Roster } from "@consilium/secure-sum/roster";
import type { SetupDelivery, SetupPost } from "@consilium/secure-sum/setup";
import { unresolvedTables } from "@consilium/site-agent/data/tableSources";
import type { RowTables } from "@consilium/site-agent/data/tables";
import type { SharedStage } from "@consilium/site-agent/engines/stage";
import { Anchors } from "@consilium/site-agent/ledger/anchors";
import { ledgerCharges } from "@consilium/site-agent/ledger/charges";
import { Ledger } from "@consilium/site-agent/ledger/ledger";
import { policySchema } from "@consilium/site-agent/policy/policy";
import type { BroadcastEntry, SiteTask } from "@consilium/site-agent/rpc/toDomain";
import { migrations } from "@consilium/site-agent/store/schema";
import { SealedStorage } from "@consilium/site-agent/store/sealedStorage";
import { PairwiseSums } from "@consilium/site-agent/studies/pairwiseSums";
import { PublishedStudies } from "@consilium/site-agent/studies/publishedStudies";
import { SiteRecords } from "@consilium/site-agent/studies/records";
import { StageWork, type StageWorkContext } from "@consilium/site-agent/studies/stageWork";
import { StudyFolder } from "@consilium/site-agent/studies/studyFolder";
import type { StudyView } from "@consilium/site-agent/studies/studyView";
import type { SumsContext } from "@consilium/site-agent/studies/sumsContext";
import { TablesHere } from "@consilium/site-agent/tables/tablesHere";
import { unitOfTable } from "./tables.js";

/** All sites of a study in this process: the agent's own code, with a table in memory and nothing sent. */

/** What a site is: its key, and what it draws from. */
export interface FleetSite {
  readonly site: SiteId;
  readonly signingKey: KeyObject;
  readonly random: RandomSource;
  readonly blocks: readonly ColumnBlock[];
  /** What the study's flow counts of the table; of a study without one nothing. */
  readonly flow: readonly RecordBlock[];
}

/** The data that all sites computed and sent for a stage. */
export interface StageTrace {
  readonly stage: string;
  readonly attempt: number;
  /** By site, of what its records come to, before noise and mask. */
  readonly exact: Sha256[];
  /** By kind, SHA-256 over the frames of all sites in order. */
  readonly frames: Record<string, Sha256>;
}

/** What the gate charges for a stage, computed from what the method proposes. */
export interface StageCharges {
  readonly stage: string;
  readonly terms: Terms | null;
  readonly patients: Patients | null;
  readonly event: unknown;
  readonly rho: number | null;
}

/** Sites of a roster on which noise is sized for more of them than were asked for. */
const largerRoster = 12;

/** What a study would cost on another roster, by its plan alone. */
function plannedFor(invited: StudyDocument, sites: number) {
  const { study } = documentOnRoster(invited, sites);
  const plan = planStudy(study);
  const stages = plan.stages.map(({ id, disclosure: { event } }) => {
    const rho = rhoOf(event as ChargedEvent);
    return { stage: id, event, rho: Number.isFinite(rho) ? rho : null };
  });
  return { sites, planHash: planHash(study, plan), epsilon: plan.claim.epsilon, stages };
}

interface Charges {
  readonly larger: ReturnType<typeof plannedFor>;
  readonly planHash: Readonly<Record<"invited" | "running", Sha256>>;
  readonly plan: PlanFacts;
  readonly stages: readonly (StageCharges & { readonly epsilon: number | null })[];
  readonly ledger: readonly object[];
}

/** What goes wrong at a stage. */
export interface Trouble {
  /** Attempts that are given up after every vector has left. */
  readonly givenUp?: number;
  /** Who sends no vector in the last attempt. */
  readonly absent?: readonly SiteId[];
}

interface Sum {
  readonly sum: BigUint64Array;
  readonly survivors: readonly SiteId[];
}

const startMs = Date.UTC(2026, 0, 2);

export class Fleet {
  readonly plan: Plan;
  readonly document: StudyDocument;
  readonly roster: Roster;
  readonly studyId: StudyId;
  readonly members: readonly Member[];
  readonly traces: StageTrace[] = [];
  readonly attempts: {
    readonly stage: StageId;
    readonly attempt: number;
    readonly survivors: SiteId[] | null;
  }[] = [];
  readonly #items: BroadcastEntry[] = [];
  #deliveries = new Map<SiteId, (SetupDelivery & { readonly step: string })[]>();
  /** By site, what was sent along with the stage before. */
  #carried: { stage: StageId; keys: Map<SiteId, KeysPost>; shares: Map<SiteId, SharesPost> } | null = null;

  private constructor(members: readonly Member[], roster: Roster, document: StudyDocument) {
    this.members = members;
    this.roster = roster;
    this.document = document;
    this.plan = planStudy(document.study);
    this.studyId = roster.studyId;
  }

  /** @param folder - an empty one, for the agents' files */
  static async open(options: {
    readonly document: StudyDocument;
    readonly studyId: StudyId;
    readonly federation: string;
    readonly sites: readonly FleetSite[];
    readonly folder: string;
  }): Promise<Fleet> {
    const { document, studyId, sites } = options;
    const joins = sites.map(({ site, signingKey, random }) => {
      const secret = generateExchangeKey(random);
      const exchange = new ExchangeKey(secret);
      const message = joinMessage(studyId, document.hash, site, exchange.publicKey);
      const joinSignature = signMessage(signingKey, message);
      const member = {
        site,
        signingKey: rawPublicKey(signingKey),
        exchangeKey: exchange.publicKey,
        joinSignature,
      };
      return { secret, exchange, member };
    });
    const { minimumSites } = document.study.participation;
    const roster = unwrapSum(
      buildRoster(
        { id: studyId, hash: document.hash, minimumSites },
        joins.map(({ member }) => member),
      ),
    );
    const running = documentOnRoster(document, sites.length);
    const members: Member[] = [];
    for (const [i, one] of sites.entries()) {
      const { secret, exchange, member } = joins[i]!;
      members.push(
        await Member.join({ ...options, document: running, roster, one, secret, exchange, member }),
      );
    }
    return new Fleet(members, roster, running);
  }

  /** The exchanges before the first stage. */
  async setUp(): Promise<void> {
    for (const step of this.plan.setup) {
      const posts = new Map<SiteId, SetupPost>();
      const place = { step: step as string as StageId, attempt: 1 };
      for (const member of this.members) {
        const deliveries = this.#deliveries.get(member.site) ?? [];
        await member.answer({
          kind: "exchange",
          studyId: this.studyId,
          ...place,
          roster: null,
          planHash: this.#planHash,
          deliveries,
        });
        const { exchangePost } = member.sent("exchangePost");
        posts.set(member.site, exchangePost as unknown as SetupPost);
      }
      this.#trace(place.step, 1);
      this.#deliveries = new Map(
        this.members.map(({ site }) => [
          site,
          [...posts]
            .filter(([from]) => from !== site)
            .map(([from, { publicPart, signature, envelopes }]) => ({
              from,
              publicPart,
              signature,
              sealed: envelopes.find(({ to }) => to === site)?.sealed ?? null,
              step,
            })),
        ]),
      );
    }
  }

  #stage<K extends StagePlan["kind"]>(id: StageId, kind: K): Extract<StagePlan, { kind: K }> {
    const stage = this.plan.stages.find((one) => one.id === id);
    if (stage?.kind !== kind) throw new RangeError(`the plan has no ${kind} stage ${id}`);
    return stage as Extract<StagePlan, { kind: K }>;
  }

  #tell(stage: StageId, broadcast: Broadcast): void {
    for (const [name, values] of Object.entries(broadcast)) {
      const bytes = broadcastBytes(values);
      this.#items.push({ stage, name, length: values.length, sha256: sha256(bytes), values: bytes });
    }
  }

  /** What is broadcast travels with the task of its stage; of what came before, a site has the values. */
  #broadcasts(stage: StageId): BroadcastEntry[] {
    return this.#items.map((item) => (item.stage === stage ? item : { ...item, values: null }));
  }

  async sum(id: StageId, broadcast: Broadcast, { givenUp = 0, absent = [] }: Trouble = {}): Promise<Sum> {
    const stage = this.#stage(id, "sum");
    this.#tell(id, broadcast);
    if (this.plan.masking === "dealer") return this.#dealt(stage);
    for (let attempt = 1; attempt <= givenUp; attempt++) {
      await this.#pairwise(stage, attempt, [], true);
      this.attempts.push({ stage: id, attempt, survivors: null });
    }
    return (await this.#pairwise(stage, givenUp + 1, absent, false))!;
  }

  async #dealt(stage: SumStage): Promise<Sum> {
    const total = new BigUint64Array(stage.length);
    for (const member of this.members) {
      const { bytes } = await this.#upload(member, stage, { kind: "sum", shares: [] });
      addInto(total, widened(ringVectorFromBytes(bytes, 64)));
    }
    const survivors = this.members.map(({ site }) => site);
    this.#trace(stage.id, 1);
    this.attempts.push({ stage: stage.id, attempt: 1, survivors });
    return { sum: total, survivors };
  }

  /** Reduced rows, or tags with counts. @returns by site, the file that leaves */
  async open(id: StageId, kind: "rows" | "tags", broadcast: Broadcast): Promise<string[]> {
    const stage = this.#stage(id, kind);
    this.#tell(id, broadcast);
    const paths: string[] = [];
    for (const member of this.members) paths.push((await this.#upload(member, stage, { kind: "rows" })).path);
    this.#trace(id, 1);
    this.attempts.push({ stage: id, attempt: 1, survivors: this.members.map(({ site }) => site) });
    return paths;
  }

  async #upload(
    member: Member,
    { id }: StagePlan,
    work: { kind: "rows" } | { kind: "sum"; shares: [] },
  ): Promise<{ bytes: Uint8Array; path: string }> {
    const deliveries = this.#deliveries.get(member.site) ?? [];
    const place = {
      studyId: this.studyId,
      step: id,
      attempt: 1,
      roster: null,
      planHash: this.#planHash,
      deliveries,
    };
    await member.answer({ ...place, ...work, broadcasts: this.#broadcasts(id) });
    return member.uploaded();
  }

  // ---- pairwise masks -----------------------------------------------------------------------------------------

  #context(stage: SumStage, attempt: number): AggregatorSumContext {
    const { minimumSites, tolerateColluding } = this.document.study.participation;
    const parameters = sumParameters({ sites: this.members.length, minimumSites, tolerateColluding });
    const { id, ringBits, length } = stage;
    return {
      place: { roster: this.roster, stage: id, attempt, ringBits, length, parameters },
      broadcastsHash: boundHash(this.#planHash, this.#items),
    };
  }

  async #pairwise(
    stage: SumStage,
    attempt: number,
    absent: readonly SiteId[],
    isGivenUp: boolean,
  ): Promise<Sum | null> {
    const context = this.#context(stage, attempt);
    const carried = this.#carried?.stage === stage.id && attempt === 1 ? this.#carried : null;
    const next = { keys: new Map<SiteId, KeysPost>(), shares: new Map<SiteId, SharesPost>() };
    const vectors = new Map<SiteId, RingVector>();
    let after: { stage: SumStage; context: AggregatorSumContext; state: AggregatorSumState } | null = null;
    let state = openSum(context.place);
    const step = (event: AggregatorSumEvent) => {
      state = unwrapSum(stepAggregator(context, state, event));
    };
    for (;;) {
      if (state.phase === "unmasked" || state.phase === "failed") break;
      if (state.phase === "keys" || state.phase === "shares") {
        const kind = state.phase;
        for (const [site, post] of carried?.[kind] ?? []) step({ kind, site, post } as AggregatorSumEvent);
      }
      for (const site of awaited(context, state)) {
        if (state.phase === "masked" && absent.includes(site)) continue;
        const member = this.members.find((one) => one.site === site)!;
        const request = requestFor(context, state, site);
        const nextKeys = after === null ? [] : this.#nextKeys(after, site);
        await member.answer({ ...this.#place(stage, attempt), ...this.#task(stage, request, nextKeys) });
        if (request.kind === "masked") {
          const { bytes, frame } = await member.uploaded();
          vectors.set(site, ringVectorFromBytes(bytes, stage.ringBits));
          if (frame.nextKeys !== null) next.keys.set(site, frame.nextKeys);
          step({ kind: "masked", site, transcriptSignature: frame.transcriptSignature });
          continue;
        }
        const { event, nextShares } = eventOf(site, member.sent("sumPost").sumPost);
        if (nextShares !== null) next.shares.set(site, nextShares);
        step(event);
      }
      if (state.phase === "masked" && isGivenUp) {
        this.#trace(stage.id, attempt);
        this.#carried = null;
        return null;
      }
      if (state.phase === "masked") after = this.#prepare(stage, next.keys);
      step({ kind: "close" });
    }
    if (state.phase === "failed") throw state.error;
    this.#trace(stage.id, attempt);
    this.#carried = after === null ? null : { stage: after.stage.id, ...next };
    const sum = newRingVector(stage.ringBits, stage.length);
    for (const site of state.survivors) addInto(sum, vectors.get(site)!);
    addMasks(sum, state.corrections);
    const survivors = [...state.survivors];
    this.attempts.push({ stage: stage.id, attempt, survivors });
    return { sum: widened(sum), survivors };
  }

  #place(stage: SumStage, attempt: number) {
    return {
      studyId: this.studyId,
      step: stage.id,
      attempt,
      roster: null,
      planHash: this.#planHash,
      deliveries: [],
    } as const;
  }

  /** The plan's next sum, where everybody's keys for it are there: shares for it ride with what opens this one. */
  #prepare(stage: SumStage, keys: ReadonlyMap<SiteId, KeysPost>) {
    const sums = this.plan.stages.filter((one) => one.kind === "sum");
    const next = sums[sums.indexOf(stage) + 1];
    if (next === undefined || keys.size < this.members.length) return null;
    const context = this.#context(next, 1);
    let state = openSum(context.place);
    for (const [site, post] of keys)
      state = unwrapSum(stepAggregator(context, state, { kind: "keys", site, post }));
    return { stage: next, context, state: unwrapSum(stepAggregator(context, state, { kind: "close" })) };
  }

  #nextKeys(
    { context, state }: { context: AggregatorSumContext; state: AggregatorSumState },
    site: SiteId,
  ): readonly AdvertisedKeys[] {
    const request = requestFor(context, state, site);
    return request.kind === "shares" ? request.keys : [];
  }

  #task(stage: SumStage, request: AggregatorSumRequest, nextKeys: readonly AdvertisedKeys[]) {
    switch (request.kind) {
      case "keys":
        return { kind: "sumKeys" } as const;
      case "shares":
        return { kind: "sumShares", keys: request.keys } as const;
      case "masked":
        return { kind: "sum", shares: request.deliveries, broadcasts: this.#broadcasts(stage.id) } as const;
      case "survivors":
        return { kind: "sumSurvivors", survivors: request.survivors, nextKeys } as const;
      case "unmask": {
        const { survivors, signatures } = request;
        return { kind: "sumUnmask", survivors, signatures, nextKeys } as const;
      }
    }
  }

  /** Of everything broadcast so far. */
  get broadcastsHash(): Sha256 {
    return broadcastsHash(this.#items);
  }

  get #planHash(): Sha256 {
    return planHash(this.document.study, this.plan);
  }

  /** What the study costs a hospital that counts what the study counts: by the gate, in plans and in its ledger. */
  charges(invited: StudyDocument): Charges {
    const [member] = this.members;
    const { delta } = this.plan.claim;
    return {
      planHash: { invited: planHash(invited.study, planStudy(invited.study)), running: this.#planHash },
      plan: planFacts(this.document.study, this.plan),
      stages: member!.chargedStages().map((stage) => ({
        ...stage,
        epsilon: stage.rho === null || delta === null ? null : epsilonAt(stage.rho, delta),
      })),
      larger: plannedFor(invited, largerRoster),
      ledger: member!.ledger.entries().map(({ entry }) => {
        // Of keys and chance.
        const { previous: _, blind: __, ...rest } = entry as typeof entry & { signingKey?: string };
        delete rest.signingKey;
        return rest;
      }),
    };
  }

  /** Takes what the sites have sent and computed since the last time. */
  #trace(stage: StageId, attempt: number): void {
    const exact: Sha256[] = [];
    const byKind = new Map<string, string[]>();
    for (const member of this.members) {
      const { computed, frames } = member.taken();
      exact.push(...computed);
      for (const { kind, hash } of frames) byKind.set(kind, [...(byKind.get(kind) ?? []), hash]);
    }
    const frames = Object.fromEntries([...byKind].map(([kind, hashes]) => [kind, sha256(hashes.join("\n"))]));
    this.traces.push({ stage, attempt, exact, frames });
  }
}

function eventOf(
  site: SiteId,
  post: Extract<ControlFrame, { frame: "sumPost" }>["sumPost"],
): { readonly event: AggregatorSumEvent; readonly nextShares: SharesPost | null } {
  switch (post.post) {
    case "keys":
      return { event: { kind: "keys", site, post: post.keys }, nextShares: null };
    case "shares":
      return {
        event: { kind: "shares", site, post: post.shares as unknown as SharesPost },
        nextShares: null,
      };
    case "survivorsSignature":
      return { event: { kind: "survivors", site, signature: post.survivorsSignature }, nextShares: null };
    case "unmask": {
      const shares = post.unmask.shares.map(({ of, selfMask, share }) => ({
        of: of as SiteId,
        secret: selfMask ? ("self-mask" as const) : ("mask-key" as const),
        share,
      }));
      const nextShares = post.unmask.nextShares as unknown as SharesPost | null;
      return { event: { kind: "unmask", site, post: { shares } }, nextShares };
    }
  }
}

/** Hashes what is computed from records on its way into the gate. */
class WatchedWork extends StageWork {
  readonly computed: Sha256[] = [];
  readonly terms: { readonly stage: StageId; readonly terms: Terms; readonly patients: Patients | null }[] =
    [];

  override async part(
    view: StudyView,
    stage: StageId,
    of: Pick<SharedStage, "broadcasts" | "entries">,
  ): Promise<Part | null> {
    const part = await super.part(view, stage, of);
    if (part !== null) this.computed.push(hashOf(part.exact));
    return part;
  }

  override async asked(...asked: Parameters<StageWork["asked"]>): ReturnType<StageWork["asked"]> {
    const found = await super.asked(...asked);
    if (found !== null)
      this.terms.push({ stage: asked[1].stage.id, terms: found.terms, patients: found.patients });
    return found;
  }
}

const hashOf = (vector: BigUint64Array) =>
  sha256(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));

/** The tables' process, but for where it draws from: which rows a method is asked about together. */
class SeededTables extends TablesHere {
  readonly #site: FleetSite;

  constructor(site: FleetSite, ...given: ConstructorParameters<typeof TablesHere>) {
    super(...given);
    this.#site = site;
  }

  override async part({ document, stage, site, broadcasts }: SharedStage): Promise<Part | null> {
    const { study } = document;
    const { random, blocks, flow } = this.#site;
    if (stage === flowStageId) return answerOf(flowProposal(study), flowTable(study, streamed(flow), random));
    const { proposal } = await siteSideOf(study);
    if (proposal === undefined) return null;
    const table = stageTable(study, { blocks: streamed(blocks), kernels: plainKernels(), random });
    return answerOf(proposal(stage, { study, site, broadcasts }), table);
  }
}

interface Joining {
  readonly document: StudyDocument;
  readonly studyId: StudyId;
  readonly federation: string;
  readonly folder: string;
  readonly roster: Roster;
  readonly one: FleetSite;
  readonly secret: Uint8Array;
  readonly exchange: ExchangeKey;
  readonly member: { readonly exchangeKey: Uint8Array; readonly joinSignature: Uint8Array };
}

/** One site: what its agent is made of, without its process. */
class Member {
  readonly site: SiteId;
  readonly ledger: Ledger;
  readonly charges: ReturnType<typeof ledgerCharges>;
  readonly records: SiteRecords;
  readonly #joining: Joining;
  readonly #work: WatchedWork;
  readonly #pairwise: PairwiseSums;
  readonly #published: PublishedStudies;
  readonly #frames: { kind: string; hash: Sha256 }[] = [];
  #message: ControlFrame | null = null;
  #upload: OutboundUpload | null = null;

  private constructor(
    joining: Joining,
    parts: { ledger: Ledger; records: SiteRecords; sealed: SealedStorage },
  ) {
    const { document, one, folder } = joining;
    const { ledger, records, sealed } = parts;
    this.#joining = joining;
    this.site = one.site;
    this.ledger = ledger;
    this.records = records;
    const policy = policySchema.parse({
      variants: ["sound", "paper"],
      populations: { default: { epsilon: "unlimited" } },
    });
    const { table } = document.study;
    const unit = unitOfTable(document.study);
    const charges = ledgerCharges({
      ledger,
      anchors: new Anchors(folder),
      policy: () => policy,
      methods: allMethods,
      tables: unresolvedTables([{ name: table, unit }]),
      isApproved: () => true,
    });
    // Nothing is to be kept beside this database.
    this.charges = { ...charges, keepHead: async () => undefined };
    const state = join(folder, one.site);
    const kernels = async () => plainKernels();
    const blocks = () => streamed(one.blocks);
    const rows = { names: [table], read: blocks, reopen: blocks } as unknown as RowTables;
    const examine = () => Promise.reject(new Error("no doctor here"));
    let entry = startMs;
    const context: SumsContext & StageWorkContext = {
      records,
      sealed,
      charges: this.charges,
      door: new Door({
        log: () => undefined,
        charged: (study, stage, attempt) => this.charges.noteOf(study, stage, attempt),
        bytesOf: outboundBytes,
        now: () => startMs,
      }),
      policy: { read: () => ok(policy) },
      random: one.random,
      identity: () => ({ signingKey: one.signingKey }) as Identity,
      now: () => ++entry,
      log: createLogger({ service: "test", level: "silent" }),
      send: (message) => this.#send(message),
      upload: async (upload) => this.#uploads(upload),
      tables: new SeededTables(one, rows, { kernels, examine, tableCheck: examine }),
      kernels,
      fetch: (_, { sha256 }) => Promise.reject(new Error(`${sha256} is to travel with its task`)),
    };
    const studyFolder = new StudyFolder(state);
    this.#work = new WatchedWork(context, studyFolder);
    this.#published = new PublishedStudies(context, this.#work, studyFolder);
    this.#pairwise = new PairwiseSums(context, this.#work, studyFolder, async () => this.#published);
    const { work } = this.#published;
    const vector = work.vector.bind(work);
    work.vector = async (...asked) => {
      const made = await vector(...asked);
      this.#work.computed.push(hashOf(made));
      return made;
    };
  }

  static async join(joining: Joining): Promise<Member> {
    const { document, studyId, federation, folder, roster, one, secret, member } = joining;
    const { signingKey, random, site } = one;
    await mkdir(join(folder, site), { recursive: true });
    const store = openStore(":memory:", migrations);
    const owner = { federation, site, signingKey, signingPublicKey: rawPublicKey(signingKey) };
    let at = startMs;
    const ledger = Ledger.open(
      store,
      () => owner,
      () => ++at,
      random,
    );
    const records = new SiteRecords(store);
    const offered = { id: studyId, hash: document.hash, text: document.text, name: document.study.name };
    const { exchangeKey, joinSignature } = member;
    const contentHash = sha256(site);
    records.join(
      offered,
      { contentHash, rows: 1, exchangeKey, joinSignature, exchangeSecret: secret },
      startMs,
    );
    const made = new Member(joining, {
      ledger,
      records,
      sealed: await SealedStorage.open(join(folder, site), random),
    });
    made.charges.reserveStudy(records.study(studyId)!);
    records.fixRoster(studyId, roster.hash, JSON.stringify(roster.members.map(() => ({}))), startMs);
    const view = made.view();
    made.charges.reserveRunning(view);
    records.fixPlan(studyId, view.planHash, planText(view.document.study, view.plan));
    return made;
  }

  /** The study as this site has stored it by now. */
  view(): StudyView {
    const { document, studyId, roster, exchange } = this.#joining;
    const plan = planStudy(document.study);
    return {
      record: this.records.study(studyId)!,
      document,
      plan,
      planHash: planHash(document.study, plan),
      roster,
      self: this.site,
      exchange,
      distrusted: 0,
      isTrusted: () => true,
      policy: policySchema.parse({}),
    };
  }

  async answer(task: SiteTask): Promise<void> {
    this.#message = null;
    this.#upload = null;
    const view = this.view();
    switch (task.kind) {
      case "exchange":
      case "rows":
        return this.#published.answer(view, task);
      case "sum":
        return view.plan.masking === "dealer"
          ? this.#published.answer(view, task)
          : this.#pairwise.answer(view, task);
      case "countersign":
        throw new RangeError("the statement is signed elsewhere");
      default:
        return this.#pairwise.answer(view, task);
    }
  }

  #send(message: OutboundMessage): void {
    const frame = message.take();
    this.#message = frame;
    const kind = frame.frame === "sumPost" ? frame.sumPost.post : frame.frame;
    this.#frames.push({ kind, hash: sha256(outboundBytes(frame)) });
  }

  #uploads(upload: OutboundUpload): void {
    this.#upload = upload;
  }

  /** What the site has answered with. */
  sent<F extends ControlFrame["frame"]>(frame: F): Extract<ControlFrame, { frame: F }> {
    if (this.#message?.frame !== frame) throw new RangeError(`site ${this.site} sent no ${frame}`);
    return this.#message as Extract<ControlFrame, { frame: F }>;
  }

  async uploaded() {
    const upload = this.#upload;
    if (upload === null) throw new RangeError(`site ${this.site} uploaded nothing`);
    const frame = upload.take();
    const bytes = upload.content ?? new Uint8Array(await readFile(upload.path));
    const kind = upload.method;
    this.#frames.push({ kind, hash: sha256(outboundBytes({ header: frame }), bytes) });
    return { frame, bytes, path: upload.path };
  }

  taken(): { readonly computed: Sha256[]; readonly frames: { kind: string; hash: Sha256 }[] } {
    return { computed: this.#work.computed.splice(0), frames: this.#frames.splice(0) };
  }

  /** What the gate makes of each stage that was asked, by its query and the noise of the plan. */
  chargedStages(): StageCharges[] {
    const { plan } = this.view();
    return plan.stages.map((stage): StageCharges => {
      const asked = this.#work.terms.find((one) => one.stage === stage.id);
      if (stage.kind !== "sum" || asked === undefined)
        return { stage: stage.id, terms: null, patients: null, event: null, rho: null };
      const { terms, patients } = asked;
      const sized = stage.noise?.event;
      const noise =
        sized === undefined
          ? null
          : { shareVariance: sized.shareVariance, sites: sized.sites, shares: sized.noiseShares };
      const event = chargedEvent({ ...terms, patients, noise });
      const rho = rhoOf(event);
      return { stage: stage.id, terms, patients, event, rho: Number.isFinite(rho) ? rho : null };
    });
  }
}
