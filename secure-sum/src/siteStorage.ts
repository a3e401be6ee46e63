import type { HeldEnvelope, HeldShares, SiteSumState } from "./site.js";
import { asItIs, bytes, inBytes, listOf, oneOf, record, secret } from "./stored.js";
import type { PublicKeys } from "./transcript.js";

const held = record<HeldShares>({
  keysHash: asItIs(),
  transcript: asItIs(),
  sharing: asItIs(),
  sealPrivate: secret,
  ownShares: secret,
  envelopes: listOf(record<HeldEnvelope>({ from: asItIs(), sealKey: bytes, sealed: bytes })),
});

const state = inBytes(
  oneOf<SiteSumState, "phase">("phase", {
    advertised: record({ phase: asItIs(), maskPrivate: secret, sealPrivate: secret }),
    shared: record({
      phase: asItIs(),
      maskPrivate: secret,
      sealPrivate: secret,
      selfMaskSeed: secret,
      ownShares: secret,
      keys: listOf(record<PublicKeys>({ site: asItIs(), maskKey: bytes, sealKey: bytes })),
    }),
    masked: record({ phase: asItIs(), held }),
    agreed: record({ phase: asItIs(), held, survivors: asItIs() }),
    answered: record({ phase: asItIs(), transcript: asItIs(), survivors: asItIs() }),
    aborted: record({ phase: asItIs(), code: asItIs() }),
  }),
);

/** The state as bytes, secrets included: for the site's own sealed storage and nowhere else. */
export const storeSiteSum = state.store;

/** Reads back what `storeSiteSum` wrote; the caller's storage vouches for the bytes. */
export const restoreSiteSum = state.restore;
