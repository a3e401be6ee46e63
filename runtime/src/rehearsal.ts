/**
 * A secure sum of three made-up sites in this process's memory, of no study and no record: with keys of its own, which nothing else
 * ever uses. A process that has just started compiles what it runs; a rehearsal does that while nobody waits.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  type AggregatorSumRequest,
  awaited,
  openSum,
  requestFor,
  stepAggregator,
} from "@consilium/secure-sum/aggregator";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey, signMessage } from "@consilium/secure-sum/crypto/sign";
import type { SiteId, StageId, StudyId } from "@consilium/secure-sum/ids";
import { sumParameters } from "@consilium/secure-sum/parameters";
import type { RandomSource } from "@consilium/secure-sum/random";
import { unwrap } from "@consilium/secure-sum/result";
import { addInto, newRingVector } from "@consilium/secure-sum/ring";
import { buildRoster, joinMessage } from "@consilium/secure-sum/roster";
import {
  addMasks,
  advertise,
  restoreSiteSum,
  type SiteSumMessage,
  type SiteSumState,
  stepSite,
  storeSiteSum,
} from "@consilium/secure-sum/site";
import type { SumPlace } from "@consilium/secure-sum/transcript";
import { osRandom } from "./random.js";

const study = { id: "rehearsal" as StudyId, hash: sha256("rehearsal"), minimumSites: 3 };
const length = 10_000;

/** By then a process that has started has met its peers, and has taken up what waited for it. */
const afterMs = 10_000;
const pauseMs = 20;

/**
 * Once a process has stood for a while. `CONSILIUM_REHEARSAL=off` leaves it out, where many processes are started and stopped again.
 */
export async function rehearse(): Promise<void> {
  if (process.env.CONSILIUM_REHEARSAL === "off") return;
  const wait = (ms: number) => delay(ms, undefined, { ref: false });
  await wait(afterMs);
  // What is wrong with sums on this machine is told by the first one that somebody waits for.
  await rehearseSum(osRandom, () => wait(pauseMs)).catch(() => undefined);
}

/**
 * @param pause - awaited between two steps, so that what comes meanwhile waits for one step at most
 * @returns the sum's first entry: 6
 */
export async function rehearseSum(random: RandomSource, pause: () => Promise<void>): Promise<number> {
  const sites = ["a", "b", "c"].map((name) => {
    const { privateKey, publicKey } = generateSigningKey();
    const [site, exchange] = [name as SiteId, new ExchangeKey(generateExchangeKey(random))];
    const exchangeKey = exchange.publicKey;
    const joinSignature = signMessage(privateKey, joinMessage(study.id, study.hash, site, exchangeKey));
    return {
      site,
      privateKey,
      exchange,
      member: { site, signingKey: publicKey, exchangeKey, joinSignature },
    };
  });
  const members = sites.map(({ member }) => member);
  const place: SumPlace = {
    roster: unwrap(buildRoster(study, members)),
    stage: "rehearsal" as StageId,
    attempt: 1,
    ringBits: 32,
    length,
    parameters: sumParameters({ sites: 3, minimumSites: 3, tolerateColluding: 1 }),
  };
  const context = { place, broadcastsHash: sha256("") };
  const sum = newRingVector(place.ringBits, length) as Uint32Array;
  const states = new Map<SiteId, SiteSumState>();

  const answer = (at: number, request: AggregatorSumRequest): Parameters<typeof stepAggregator>[2] => {
    const { site: self, privateKey: signingKey, exchange } = sites[at]!;
    const trust = { distrusted: 0, tolerateColluding: 1, requiredSurvivors: null };
    const mine = { place, self, signingKey, exchange, ...trust };
    if (request.kind === "keys") {
      const { state, post } = advertise(mine, random);
      states.set(self, state);
      return { kind: "keys", site: self, post };
    }
    const { broadcastsHash } = context;
    const message: SiteSumMessage =
      request.kind === "shares"
        ? { ...request, kind: "keys" }
        : request.kind === "masked"
          ? { ...request, kind: "shares", broadcastsHash }
          : request;
    const before = restoreSiteSum(storeSiteSum(states.get(self)!));
    const { state, output } = unwrap(stepSite(mine, before, message, random));
    states.set(self, state);
    if (output.kind === "masked") {
      const masked = new Uint32Array(length).fill(at + 1);
      addMasks(masked, output.masks);
      addInto(sum, masked);
    }
    return { ...output, site: self };
  };

  let state = openSum(place);
  while (state.phase !== "unmasked") {
    if (state.phase === "failed") throw state.error;
    for (const site of awaited(context, state)) {
      await pause();
      const at = sites.findIndex((one) => one.site === site);
      state = unwrap(stepAggregator(context, state, answer(at, requestFor(context, state, site))));
    }
    state = unwrap(stepAggregator(context, state, { kind: "close" }));
  }
  addMasks(sum, state.corrections);
  return sum[0]!;
}
