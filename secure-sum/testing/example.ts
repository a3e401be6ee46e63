import { randomBytes } from "node:crypto";
import { awaited, openSum, requestFor, stepAggregator } from "@consilium/secure-sum/aggregator";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey, signMessage } from "@consilium/secure-sum/crypto/sign";
import type { SiteId, StageId, StudyId } from "@consilium/secure-sum/ids";
import { sumParameters } from "@consilium/secure-sum/parameters";
import { unwrap } from "@consilium/secure-sum/result";
import { addInto, newRingVector } from "@consilium/secure-sum/ring";
import { buildRoster, joinMessage } from "@consilium/secure-sum/roster";
import {
  addMasks,
  advertise,
  type SiteSumMessage,
  type SiteSumState,
  stepSite,
} from "@consilium/secure-sum/site";
import type { SumPlace } from "@consilium/secure-sum/transcript";

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const study = { id: "beds-0123456789" as StudyId, hash: sha256("the study's text"), minimumSites: 3 };

// Each site has a signing key that all others know, and signs an exchange key that it drew for this study.
const sites = ["amber", "birch", "cedar"].map((name, i) => {
  const { privateKey, publicKey } = generateSigningKey();
  const [site, exchange] = [name as SiteId, new ExchangeKey(generateExchangeKey(random))];
  const exchangeKey = exchange.publicKey;
  const joinSignature = signMessage(privateKey, joinMessage(study.id, study.hash, site, exchangeKey));
  const member = { site, signingKey: publicKey, exchangeKey, joinSignature };
  return { site, privateKey, exchange, member, vector: Uint32Array.of(i, 10 * i, 100 * i) };
});
const roster = unwrap(
  buildRoster(
    study,
    sites.map(({ member }) => member),
  ),
);
const parameters = sumParameters({ sites: 3, minimumSites: 3, tolerateColluding: 1 });
const place: SumPlace = {
  roster,
  stage: "totals" as StageId,
  attempt: 1,
  ringBits: 32,
  length: 3,
  parameters,
};
const context = { place, broadcastsHash: sha256("what the aggregator told all sites before") };

export const sum = newRingVector(place.ringBits, place.length);
const states = new Map<SiteId, SiteSumState>();
let state = openSum(place);
while (state.phase !== "unmasked") {
  if (state.phase === "failed") throw state.error;
  for (const site of awaited(context, state)) {
    const post = answer(site, requestFor(context, state, site));
    state = unwrap(stepAggregator(context, state, post));
  }
  state = unwrap(stepAggregator(context, state, { kind: "close" }));
}
addMasks(sum, state.corrections);

/** A site's part. In a network it stores `states` and its answer durably before the answer leaves. */
function answer(self: SiteId, request: ReturnType<typeof requestFor>): Parameters<typeof stepAggregator>[2] {
  const { privateKey: signingKey, exchange, vector } = sites.find(({ site }) => site === self)!;
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
  const { state, output } = unwrap(stepSite(mine, states.get(self)!, message, random));
  states.set(self, state);
  if (output.kind === "masked") {
    const masked = vector.slice();
    addMasks(masked, output.masks);
    addInto(sum, masked); // The masked vector goes to the aggregator, which adds up those of the survivors.
  }
  return { ...output, site: self };
}
