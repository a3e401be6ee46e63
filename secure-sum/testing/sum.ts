import { createHash } from "node:crypto";
import {
  type AggregatorSumContext,
  type AggregatorSumEvent,
  type AggregatorSumState,
  awaited,
  openSum,
  requestFor,
  stepAggregator,
} from "../src/aggregator.js";
import { ExchangeKey } from "../src/crypto/exchange.js";
import { generateSigningKey, type SigningKeyPair, signMessage } from "../src/crypto/sign.js";
import type { SumError } from "../src/errors.js";
import type { Sha256, SiteId, StageId, StudyId } from "../src/ids.js";
import type { SumPhase } from "../src/messages.js";
import { sumParameters } from "../src/parameters.js";
import type { RandomSource } from "../src/random.js";
import { type Result, unwrap } from "../src/result.js";
import { addInto, newRingVector, type RingBits, type RingVector } from "../src/ring.js";
import { buildRoster, joinMessage, type Roster } from "../src/roster.js";
import {
  abortSite,
  addMasks,
  advertise,
  restoreSiteSum,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
  storeSiteSum,
} from "../src/site.js";
import type { SumPlace } from "../src/transcript.js";

/** A deterministic source for tests only: SHAKE256 of a seed and a counter. */
export function testRandom(seed: string): RandomSource {
  let counter = 0;
  return {
    bytes: (count) =>
      new Uint8Array(createHash("shake256", { outputLength: count }).update(`${seed}/${counter++}`).digest()),
  };
}

export const noBroadcasts = "b".repeat(64) as Sha256;

export interface TestPlaceOptions {
  readonly sites: number;
  readonly ringBits?: RingBits;
  readonly length?: number;
  readonly minimumSites?: number;
  readonly tolerateColluding?: number;
  readonly stage?: string;
  readonly attempt?: number;
}

export const siteName = (i: number) => `site-${String(i).padStart(3, "0")}` as SiteId;

const identities: SigningKeyPair[] = [];

/** A signing key for each site of all tests: drawing them is slow. */
export function identity(i: number): SigningKeyPair {
  while (identities.length <= i) identities.push(generateSigningKey());
  return identities[i]!;
}

const exchanges: ExchangeKey[] = [];

/** A site's exchange key, the same in all tests: it does its work once. */
export function exchangeOf(i: number): ExchangeKey {
  while (exchanges.length <= i)
    exchanges.push(new ExchangeKey(testRandom(`exchange ${exchanges.length}`).bytes(32)));
  return exchanges[i]!;
}

const rosters = new Map<number, Roster>();

function testRoster(sites: number): Roster {
  const known = rosters.get(sites);
  if (known !== undefined) return known;
  const study = {
    id: "sums-0123456789" as StudyId,
    hash: "a".repeat(64) as Sha256,
    minimumSites: 2,
  };
  const members = Array.from({ length: sites }, (_, i) => {
    const site = siteName(i);
    const { publicKey: signingKey, privateKey } = identity(i);
    const exchangeKey = exchangeOf(i).publicKey;
    const joinSignature = signMessage(privateKey, joinMessage(study.id, study.hash, site, exchangeKey));
    return { site, signingKey, exchangeKey, joinSignature };
  });
  const roster = unwrap(buildRoster(study, members));
  rosters.set(sites, roster);
  return roster;
}

export function testPlace(options: TestPlaceOptions): SumPlace {
  const { sites, minimumSites = 2, tolerateColluding = Math.min(1, sites - 2) } = options;
  return {
    roster: testRoster(sites),
    stage: (options.stage ?? "moments") as StageId,
    attempt: options.attempt ?? 1,
    ringBits: options.ringBits ?? 64,
    length: options.length ?? 3,
    parameters: sumParameters({ sites, minimumSites, tolerateColluding }),
  };
}

/** One site in a test: its machine, its vector, and everything that it let out. */
export class TestSite {
  readonly site: SiteId;
  readonly context: SiteSumContext;
  readonly random: RandomSource;
  readonly vector: RingVector;
  readonly outputs: SiteSumOutput[] = [];
  /** Every state that it was in, with its secrets. */
  readonly states: SiteSumState[] = [];
  masked: RingVector | null = null;
  state: SiteSumState | null = null;

  constructor(place: SumPlace, index: number, options: Partial<SiteSumContext> = {}) {
    this.site = siteName(index);
    this.context = {
      place,
      self: this.site,
      signingKey: identity(index).privateKey,
      exchange: exchangeOf(index),
      distrusted: 0,
      tolerateColluding: Math.min(1, place.roster.members.length - 2),
      requiredSurvivors: null,
      ...options,
    };
    this.random = testRandom(`${this.site} ${place.stage} ${place.attempt}`);
    this.vector = testVector(place, index);
  }

  advertise(): AggregatorSumEvent {
    const { state, post } = advertise(this.context, this.random);
    this.#enter(state);
    return { kind: "keys", site: this.site, post };
  }

  #enter(state: SiteSumState): void {
    this.state = restoreSiteSum(storeSiteSum(state));
    this.states.push(this.state);
  }

  /** One step, with the state stored and read back in between; a refusal ends the site's part. */
  step(message: SiteSumMessage): Result<SiteSumOutput, SumError> {
    const result = stepSite(this.context, this.state!, message, this.random);
    this.#enter(result.ok ? result.value.state : abortSite(result.error));
    if (!result.ok) return result;
    const { output } = result.value;
    this.outputs.push(output);
    if (output.kind === "masked") {
      this.masked = this.vector.slice();
      addMasks(this.masked, output.masks);
    }
    return { ok: true, value: output };
  }

  /** The same as an event for the aggregator; throws a refusal. */
  answer(message: SiteSumMessage): AggregatorSumEvent {
    return eventOf(this.site, unwrap(this.step(message)));
  }

  code(message: SiteSumMessage): string {
    const result = this.step(message);
    return result.ok ? `answered ${result.value.kind}` : result.error.code;
  }
}

export function eventOf(site: SiteId, output: SiteSumOutput): AggregatorSumEvent {
  switch (output.kind) {
    case "shares":
      return { kind: "shares", site, post: output.post };
    case "masked":
      return { kind: "masked", site, transcriptSignature: output.transcriptSignature };
    case "survivors":
      return { kind: "survivors", site, signature: output.signature };
    case "unmask":
      return { kind: "unmask", site, post: output.post };
  }
}

/** Entries all over the ring, different for each site. */
function testVector(place: SumPlace, index: number): RingVector {
  const vector = newRingVector(place.ringBits, place.length);
  const bytes = testRandom(`vector ${index}`).bytes(vector.byteLength);
  new Uint8Array(vector.buffer).set(bytes);
  return vector;
}

export function plainSum(place: SumPlace, sites: readonly TestSite[]): RingVector {
  const sum = newRingVector(place.ringBits, place.length);
  for (const { vector } of sites) addInto(sum, vector);
  return sum;
}

export function testSites(place: SumPlace, options: Partial<SiteSumContext> = {}): TestSite[] {
  return place.roster.members.map((_, i) => new TestSite(place, i, options));
}

/** The message that a request of the aggregator's makes; null for keys, which need none. */
export function messageOf(
  request: ReturnType<typeof requestFor>,
  broadcastsHash: Sha256 = noBroadcasts,
): SiteSumMessage | null {
  switch (request.kind) {
    case "keys":
      return null;
    case "masked":
      return { kind: "shares", deliveries: request.deliveries, broadcastsHash };
    case "shares":
      return { kind: "keys", keys: request.keys };
    default:
      return request;
  }
}

/** Before which phase's post a site drops; `survivors` and `unmask` after its vector came. */
export type Fates = ReadonlyMap<SiteId, SumPhase>;

export const phaseOrder: readonly SumPhase[] = ["keys", "shares", "masked", "survivors", "unmask"];

export interface SumRun {
  readonly sites: readonly TestSite[];
  /** Each state the aggregator was in when it closed a phase, and the last. */
  readonly states: readonly AggregatorSumState[];
  readonly end: AggregatorSumState;
  readonly events: readonly AggregatorSumEvent[];
}

export interface RunOptions {
  readonly fates?: Fates;
  /** In what order the posts of a phase arrive. */
  readonly order?: (sites: readonly SiteId[]) => readonly SiteId[];
  readonly sites?: readonly TestSite[];
  /** Changes a post on its way, as a hostile site would make it. */
  readonly tamper?: (event: AggregatorSumEvent) => AggregatorSumEvent;
}

/** Plays one attempt in memory: every phase asks the awaited sites, and closes when all that still live have posted. */
export function runSum(place: SumPlace, options: RunOptions = {}): SumRun {
  const sites = options.sites ?? testSites(place);
  const byName = new Map(sites.map((site) => [site.site, site] as const));
  const order = options.order ?? ((names) => names);
  const context: AggregatorSumContext = { place, broadcastsHash: noBroadcasts };
  const events: AggregatorSumEvent[] = [];
  let state = openSum(place);
  const take = (event: AggregatorSumEvent) => {
    events.push(event);
    state = unwrap(stepAggregator(context, state, event));
  };
  const states: AggregatorSumState[] = [];
  while (state.phase !== "unmasked" && state.phase !== "failed") {
    const { phase } = state;
    for (const name of order(awaited(context, state))) {
      const site = byName.get(name)!;
      const fate = options.fates?.get(name);
      if (fate !== undefined && phaseOrder.indexOf(fate) <= phaseOrder.indexOf(phase)) continue;
      const message = messageOf(requestFor(context, state, name));
      const event = message === null ? site.advertise() : site.answer(message);
      take(options.tamper?.(event) ?? event);
    }
    states.push(state);
    take({ kind: "close" });
  }
  states.push(state);
  return { sites, states, end: state, events };
}

/** The unmasked sum: the survivors' masked vectors and the corrections. */
export function openedSum(place: SumPlace, run: SumRun): RingVector {
  if (run.end.phase !== "unmasked") throw new Error(`the sum ended ${run.end.phase}`);
  const sum = newRingVector(place.ringBits, place.length);
  const survivors = new Set(run.end.survivors);
  for (const site of run.sites) if (survivors.has(site.site)) addInto(sum, site.masked!);
  addMasks(sum, run.end.corrections);
  return sum;
}
