import { createCipheriv, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import {
  addInto,
  newRingVector,
  type RingBits,
  type RingVector,
} from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import {
  type AggregatorSumContext,
  type AggregatorSumEvent,
  type AggregatorSumState,
  awaited,
  openSum,
  requestFor,
  stepAggregator,
} from "@consilium/secure-sum/aggregator";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { generateSigningKey, signMessage } from "@consilium/secure-sum/crypto/sign";
import { sumParameters } from "@consilium/secure-sum/parameters";
import { buildRoster, joinMessage } from "@consilium/secure-sum/roster";
import {
  addMasks,
  advertise,
  type MaskKey,
  type SiteSumContext,
  type SiteSumMessage,
  type SiteSumOutput,
  type SiteSumState,
  stepSite,
} from "@consilium/secure-sum/site";
import type { SumPlace } from "@consilium/secure-sum/transcript";
import { type BenchOptions, type BenchRow, compare, printReport } from "./report.js";

interface Options extends BenchOptions {
  readonly sites: number;
  readonly length: number;
  readonly dropped: number;
  readonly bits: RingBits;
}

const random: RandomSource = { bytes: (count) => new Uint8Array(randomBytes(count)) };
const broadcastsHash = "b".repeat(64) as Sha256;

/** One whole secure sum in one process, computation only: a site's masking and the aggregator's unmasking, timed. */
export async function run(args: string[]): Promise<void> {
  const options = parse(args);
  // As the aggregator and the sites do when they start.
  installTransfer();
  const { sites, length, dropped, bits } = options;
  const { place, keys } = placeOf(options);
  const { threshold, graph } = place.parameters;
  if (sites - dropped < threshold)
    throw new RangeError(`${dropped} of ${sites} may not drop: ${threshold} are the threshold`);

  const start = performance.now();
  const sum = new Sum(place, keys, options);
  const finished = sum.play();
  const elapsed = (performance.now() - start) / 1000;

  const width = bits / 8;
  const rows: BenchRow[] = [
    compare("a site's masking (ms)", finished.maskingMs, finished.keystreamWithAdditionsMs, 1.5, "lower"),
    compare(
      "the aggregator's unmasking (ms)",
      finished.unmaskingMs,
      finished.correctionKeystreamMs,
      2,
      "lower",
    ),
    compare("all that a site sends (KB)", finished.sentBytes / 1000, (length * width) / 1000, 1.05, "lower"),
  ];
  const neighbours = finished.siteMasks - 1;
  const perNeighbour = (bytes: number) => Math.round(bytes / neighbours);
  const streamed = finished.siteMasks * length * width;
  printReport(
    {
      bench: "secure-sum",
      unit: `${sites} sites × ${length} entries of ${bits} bits, ${dropped} dropped after masking`,
      reference:
        "reference: the bare AES-256-CTR keystreams of the same bytes, for masking with plain additions; the packed vector",
      better: "lower",
      rows,
      notes: [
        `threshold ${threshold}; graph ${graph.kind === "complete" ? "complete" : `circulant of degree ${graph.degree}`}`,
        `a site adds ${finished.siteMasks} keystreams: ${(streamed / finished.maskingMs / 1e6).toFixed(2)} GB/s with all else that masking takes`,
        `the aggregator adds ${finished.corrections} keystreams`,
        `keys, shares, masks' keys and answer take a site ${finished.protocolMs.toFixed(1)} ms, once the study's keys have served; ` +
          `for each neighbour it sends ${perNeighbour(finished.protocolSent)} bytes of them and is sent ${perNeighbour(finished.protocolReceived)}`,
        `the whole sum in one process: ${elapsed.toFixed(1)} s with the repeats, ${Math.round(process.memoryUsage.rss() / 1e6)} MB resident; the opened sum is exact`,
      ],
    },
    options,
  );
}

function parse(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: "boolean", default: false },
      repeats: { type: "string", default: "5" },
      sites: { type: "string", default: "20" },
      length: { type: "string", default: "1e6" },
      dropped: { type: "string", default: "5" },
      bits: { type: "string", default: "32" },
    },
  });
  const whole = (name: "repeats" | "sites" | "length" | "dropped", least: number) => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least)
      throw new RangeError(`--${name} is a whole number from ${least}`);
    return value;
  };
  if (values.bits !== "32" && values.bits !== "64") throw new RangeError("--bits is 32 or 64");
  return {
    json: values.json,
    repeats: whole("repeats", 1),
    sites: whole("sites", 3),
    length: whole("length", 1),
    dropped: whole("dropped", 0),
    bits: values.bits === "32" ? 32 : 64,
  };
}

type SiteKeys = Pick<SiteSumContext, "signingKey" | "exchange">;

function placeOf({ sites, length, bits }: Options): {
  place: SumPlace;
  keys: ReadonlyMap<SiteId, SiteKeys>;
} {
  const study = { id: "bench-0123456789" as StudyId, hash: "a".repeat(64) as Sha256, minimumSites: 3 };
  const keys = new Map<SiteId, SiteKeys>();
  const members = Array.from({ length: sites }, (_, i) => {
    const site = `site-${String(i).padStart(4, "0")}` as SiteId;
    const { publicKey: signingKey, privateKey } = generateSigningKey();
    const exchange = new ExchangeKey(generateExchangeKey(random));
    keys.set(site, { signingKey: privateKey, exchange });
    const exchangeKey = exchange.publicKey;
    const joinSignature = signMessage(privateKey, joinMessage(study.id, study.hash, site, exchangeKey));
    return { site, signingKey, exchangeKey, joinSignature };
  });
  const place: SumPlace = {
    roster: unwrap(buildRoster(study, members)),
    stage: "bench" as StageId,
    attempt: 1,
    ringBits: bits,
    length,
    parameters: sumParameters({ sites, minimumSites: 3, tolerateColluding: 1 }),
  };
  return { place, keys };
}

interface Finished {
  readonly maskingMs: number;
  readonly keystreamWithAdditionsMs: number;
  readonly unmaskingMs: number;
  readonly correctionKeystreamMs: number;
  readonly siteMasks: number;
  readonly corrections: number;
  readonly sentBytes: number;
  /** Of the first site: everything but the vector. */
  readonly protocolMs: number;
  readonly protocolSent: number;
  readonly protocolReceived: number;
}

/** Plays the protocol between real machines; vectors are made, masked, added and forgotten one after the other. */
class Sum {
  readonly #place: SumPlace;
  readonly #options: Options;
  readonly #contexts: ReadonlyMap<SiteId, SiteSumContext>;
  readonly #states = new Map<SiteId, SiteSumState>();
  readonly #aggregator: AggregatorSumContext;
  #state: AggregatorSumState;
  /** Of the first site: all bytes but the vector's. */
  #sent = 0;
  #received = 0;
  #protocolMs = 0;

  constructor(place: SumPlace, keys: ReadonlyMap<SiteId, SiteKeys>, options: Options) {
    this.#place = place;
    this.#options = options;
    this.#contexts = new Map(
      [...keys].map(([self, own]) => [
        self,
        { place, self, ...own, distrusted: 0, tolerateColluding: 1, requiredSurvivors: null },
      ]),
    );
    this.#aggregator = { place, broadcastsHash };
    this.#state = openSum(place);
  }

  get #names(): SiteId[] {
    return [...this.#contexts.keys()];
  }

  play(): Finished {
    const { ringBits, length } = this.#place;
    this.#phase();
    this.#phase();
    const masked = newRingVector(ringBits, length);
    const plain = newRingVector(ringBits, length);
    const timed = this.#maskAll(masked, plain);
    if (this.#state.phase === "survivors") this.#phase();
    const unmasked = this.#unmask(masked);
    masked.forEach((entry, i) => {
      if (entry !== plain[i]) throw new Error("the opened sum is not the survivors' sum");
    });
    return {
      ...timed,
      ...unmasked,
      sentBytes: this.#sent + masked.byteLength,
      protocolMs: this.#protocolMs,
      protocolSent: this.#sent,
      protocolReceived: this.#received,
    };
  }

  /** The fastest run of each, taken in turns. The first ones warm up. */
  #inTurns(ours: () => void, reference: () => void): readonly [number, number] {
    const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
    for (let repeat = 0; repeat <= this.#options.repeats; repeat++) {
      for (const [side, work] of [ours, reference].entries()) {
        const start = performance.now();
        work();
        if (repeat > 0) best[side] = Math.min(best[side]!, performance.now() - start);
      }
    }
    return best;
  }

  /** A phase without vectors: everybody who is awaited answers, but for those that dropped. */
  #phase(): void {
    for (const name of awaited(this.#aggregator, this.#state)) this.#take(this.#answer(name));
    this.#take({ kind: "close" });
  }

  #take(event: AggregatorSumEvent): void {
    if (event.kind !== "close" && event.site === this.#names[0]) this.#sent += bytesIn(event);
    this.#state = unwrap(stepAggregator(this.#aggregator, this.#state, event));
  }

  #answer(name: SiteId): AggregatorSumEvent {
    const context = this.#contexts.get(name)!;
    const message = this.#messageFor(name);
    if (message === null) {
      const { state, post } = this.#ofProtocol(name, message, () => advertise(context, random));
      this.#states.set(name, state);
      return { kind: "keys", site: name, post };
    }
    const before = this.#states.get(name)!;
    const { state, output } = this.#ofProtocol(name, message, () =>
      unwrap(stepSite(context, before, message, random)),
    );
    this.#states.set(name, state);
    return eventOf(name, output);
  }

  /** One step, which is timed at the first site: the fastest run, after one that warms up. */
  #ofProtocol<T>(name: SiteId, message: SiteSumMessage | null, step: () => T): T {
    if (name !== this.#names[0]) return step();
    this.#received += bytesIn(message);
    const [ms] = this.#inTurns(step, () => undefined);
    this.#protocolMs += ms;
    return step();
  }

  #messageFor(name: SiteId): SiteSumMessage | null {
    const request = requestFor(this.#aggregator, this.#state, name);
    switch (request.kind) {
      case "keys":
        return null;
      case "shares":
        return { kind: "keys", keys: request.keys };
      case "masked":
        return { kind: "shares", deliveries: request.deliveries, broadcastsHash };
      default:
        return request;
    }
  }

  /** Every site masks; the first one's masking is timed. The last ones drop after it: their vectors never come. */
  #maskAll(
    masked: RingVector,
    plain: RingVector,
  ): Pick<Finished, "maskingMs" | "keystreamWithAdditionsMs" | "siteMasks"> {
    const { ringBits, length } = this.#place;
    const names = this.#names;
    const survivors = names.slice(0, names.length - this.#options.dropped);
    const first = names[0]!;
    const before = this.#states.get(first)!;
    const message = this.#messageFor(first)!;
    const vector = newRingVector(ringBits, length);
    let masks: readonly MaskKey[] = [];
    const maskOnce = () => {
      const { output } = unwrap(stepSite(this.#contexts.get(first)!, before, message, random));
      if (output.kind !== "masked") throw new Error("the site masks");
      masks = output.masks;
      addMasks(vector, masks);
    };
    this.#ofProtocol(first, message, () =>
      unwrap(stepSite(this.#contexts.get(first)!, before, message, random)),
    );
    const [maskingMs, keystreamWithAdditionsMs] = this.#inTurns(maskOnce, () => plainlyMasked(vector, masks));
    for (const name of names) {
      const context = this.#contexts.get(name)!;
      const { state, output } = unwrap(
        stepSite(context, this.#states.get(name)!, this.#messageFor(name)!, random),
      );
      this.#states.set(name, state);
      if (output.kind !== "masked" || !survivors.includes(name)) continue;
      const own = vectorOf(ringBits, length, names.indexOf(name));
      addInto(plain, own);
      addMasks(own, output.masks);
      addInto(masked, own);
      this.#take(eventOf(name, output));
    }
    this.#take({ kind: "close" });
    return { maskingMs, keystreamWithAdditionsMs, siteMasks: masks.length };
  }

  #unmask(masked: RingVector): Pick<Finished, "unmaskingMs" | "correctionKeystreamMs" | "corrections"> {
    for (const name of awaited(this.#aggregator, this.#state)) this.#take(this.#answer(name));
    const before = this.#state;
    const scratch = masked.slice();
    let corrections: readonly MaskKey[] = [];
    const unmaskOnce = () => {
      const end = unwrap(stepAggregator(this.#aggregator, before, { kind: "close" }));
      if (end.phase !== "unmasked") throw new Error(`the sum ended ${end.phase}`);
      corrections = end.corrections;
      addMasks(scratch, corrections);
    };
    const [unmaskingMs, correctionKeystreamMs] = this.#inTurns(unmaskOnce, () =>
      keystreams(corrections, masked.byteLength),
    );
    addMasks(masked, corrections);
    return { unmaskingMs, correctionKeystreamMs, corrections: corrections.length };
  }
}

function eventOf(site: SiteId, output: SiteSumOutput): AggregatorSumEvent {
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

/** The bytes in a post, with each name in it; without what gRPC puts around them. */
function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array || typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + bytesIn(part), 0);
}

function vectorOf(bits: RingBits, length: number, seed: number): RingVector {
  const vector = newRingVector(bits, length);
  const cipher = createCipheriv("aes-256-ctr", Buffer.alloc(32, seed), Buffer.alloc(16, seed));
  new Uint8Array(vector.buffer).set(cipher.update(Buffer.alloc(vector.byteLength)));
  return vector;
}

const blockBytes = 64 * 1024;
const zeros = Buffer.alloc(blockBytes);

/** The bare keystreams, thrown away. */
function keystreams(masks: readonly MaskKey[], bytes: number): void {
  for (const { key } of masks) {
    const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
    for (let at = 0; at < bytes; at += blockBytes) cipher.update(zeros.subarray(0, bytes - at));
  }
}

/** The keystreams, each added entry by entry as it comes. */
function plainlyMasked(vector: RingVector, masks: readonly MaskKey[]): void {
  for (const { key } of masks) {
    const cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
    for (let at = 0; at < vector.byteLength; at += blockBytes) {
      const stream = cipher.update(zeros.subarray(0, vector.byteLength - at));
      const from = at / vector.BYTES_PER_ELEMENT;
      if (vector instanceof Uint32Array) {
        const words = new Uint32Array(stream.buffer, stream.byteOffset, stream.length / 4);
        for (let i = 0; i < words.length; i++) vector[from + i] = vector[from + i]! + words[i]!;
      } else {
        const words = new BigUint64Array(stream.buffer, stream.byteOffset, stream.length / 8);
        for (let i = 0; i < words.length; i++) vector[from + i] = vector[from + i]! + words[i]!;
      }
    }
  }
}
