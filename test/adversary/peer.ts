import type { KeyObject } from "node:crypto";
import { randomBytes } from "node:crypto";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { parseSiteId } from "@consilium/core/ids";
import type { RandomSource } from "@consilium/core/random";
import { unwrap } from "@consilium/core/result";
import { boundHash } from "@consilium/core/study/broadcast";
import { type ColumnBlock, designColumns } from "@consilium/core/study/design";
import { studyOnRoster } from "@consilium/core/study/onRoster";
import { planStudy } from "@consilium/core/study/plan";
import { planHash } from "@consilium/core/study/planFacts";
import type { Study } from "@consilium/core/study/study";
import { momentsVector } from "@consilium/methods-paper/elfed-pca/moments";
import { asPaperPca } from "@consilium/methods-paper/elfed-pca/study";
import { ed25519Raw, pemChainToDer } from "@consilium/runtime/identity/x509";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import { addDealtMask } from "@consilium/secure-sum/dealer";
import { joinMessage, type Roster } from "@consilium/secure-sum/roster";
import {
  beginSetup,
  continueSetup,
  type SetupContext,
  type SetupDelivery,
  type SetupPost,
  type SetupState,
} from "@consilium/secure-sum/setup";
import { setupSteps } from "@consilium/secure-sum/setupSteps";

export const osRandom: RandomSource = { bytes: (count) => new Uint8Array(randomBytes(count)) };

/** A certificate of the federation with its two keys. */
export interface PeerIdentity {
  readonly tlsKeyPem: string;
  readonly chainPem: string;
  readonly signingKey: KeyObject;
}

/** A site played by a test, with the protocol's own mathematics: honest as far as the test lets it be. */
export class Peer {
  readonly site: SiteId;
  readonly identity: PeerIdentity;
  readonly signingKey: Uint8Array;
  /** DER of leaf and issuing certificate. */
  readonly chain: readonly Buffer[];
  readonly #exchanges = new Map<StudyId, ExchangeKey>();
  readonly #states = new Map<StudyId, SetupState>();

  constructor(site: string, identity: PeerIdentity) {
    this.site = unwrap(parseSiteId(site));
    this.identity = identity;
    this.signingKey = ed25519Raw(identity.signingKey);
    this.chain = pemChainToDer(identity.chainPem).slice(0, 2);
  }

  join(study: StudyId, hash: Sha256): { exchangeKey: Uint8Array; signature: Uint8Array } {
    const exchangeKey = this.exchangeOf(study).publicKey;
    const message = joinMessage(study, hash, this.site, exchangeKey);
    return { exchangeKey, signature: signMessage(this.identity.signingKey, message) };
  }

  exchangeOf(study: StudyId): ExchangeKey {
    const exchange = this.#exchanges.get(study) ?? new ExchangeKey(generateExchangeKey(osRandom));
    this.#exchanges.set(study, exchange);
    return exchange;
  }

  context(roster: Roster, needsSharedSeed: boolean): SetupContext {
    return {
      roster,
      self: this.site,
      exchange: this.exchangeOf(roster.studyId),
      signingPrivateKey: this.identity.signingKey,
      steps: setupSteps({ masks: "dealer", sharedSeed: needsSharedSeed }),
    };
  }

  deal(roster: Roster, needsSharedSeed: boolean): SetupPost {
    const { state, post } = beginSetup(this.context(roster, needsSharedSeed), osRandom);
    this.#states.set(roster.studyId, state);
    return post;
  }

  /** The next post; null when the setup is complete. */
  goOn(roster: Roster, needsSharedSeed: boolean, deliveries: readonly SetupDelivery[]): SetupPost | null {
    const context = this.context(roster, needsSharedSeed);
    const { state, post } = unwrap(
      continueSetup(context, this.#states.get(roster.studyId)!, deliveries, osRandom),
    );
    this.#states.set(roster.studyId, state);
    return post;
  }

  /** Reveals another share of the seed than the one committed to. */
  lie(study: StudyId): void {
    const state = this.#states.get(study)!;
    if (state.phase !== "begun") throw new RangeError("too late to lie");
    this.#states.set(study, { ...state, share: new Uint8Array(32) });
  }

  /** Its masked vector of the stage `moments`. */
  async moments(study: Study, roster: Roster, rows: number): Promise<BigUint64Array> {
    const vector = await momentsVector(asPaperPca(study), blocksOf(study, rows), roster.members.length);
    const state = this.#states.get(roster.studyId)!;
    if (state.phase !== "ready") throw new RangeError("the setup is not complete");
    const sized = studyOnRoster(study, roster.members.length);
    addDealtMask(vector, state.mask!, {
      roster,
      stage: "moments" as StageId,
      attempt: 1,
      broadcastsHash: boundHash(planHash(sized, planStudy(sized)), []),
    });
    return vector;
  }
}

/** Made-up rows within the declared bounds. */
async function* blocksOf(study: Study, rows: number): AsyncGenerator<ColumnBlock> {
  const columns = study.features.map((feature) =>
    Float64Array.from({ length: rows }, (_, r) =>
      feature.type === "numeric"
        ? feature.min + ((feature.max - feature.min) * (r + 1)) / (rows + 1)
        : r % feature.levels.length,
    ),
  );
  const labels =
    study.label === undefined
      ? null
      : Uint16Array.from({ length: rows }, (_, r) => r % study.label!.levels.length);
  yield { rows, columns, labels };
}

/** Half of every column's range: a mean that no site can refuse. */
export function middleOf(study: Study): Float64Array {
  return Float64Array.from(designColumns(study.features), ({ min, max }) =>
    asPaperPca(study).parameters.scale === "declared" ? 0.5 : (min + max) / 2,
  );
}

/** What the aggregator relays of `posts` to one site. */
export function deliveriesFor(posts: ReadonlyMap<SiteId, SetupPost>, to: SiteId): SetupDelivery[] {
  return [...posts]
    .filter(([from]) => from !== to)
    .map(([from, post]) => ({
      from,
      publicPart: post.publicPart,
      signature: post.signature,
      sealed: post.envelopes.find((envelope) => envelope.to === to)?.sealed ?? null,
    }));
}
