import { SecretBytes } from "../crypto/secretBytes.js";
import type { ErrorCode } from "../errors.js";
import type { Sha256, SiteId } from "../ids.js";
import { assertNever } from "../result.js";
import type { HeldShares, SiteSumState } from "./site.js";
import type { PublicKeys } from "./transcript.js";

interface StoredKeys {
  site: SiteId;
  maskKey: string;
  sealKey: string;
}

interface StoredHeld {
  keysHash: Sha256;
  transcript: Sha256;
  sharing: readonly SiteId[];
  sealPrivate: string;
  ownShares: string;
  envelopes: { from: SiteId; sealKey: string; sealed: string }[];
}

type Stored =
  | { phase: "advertised"; maskPrivate: string; sealPrivate: string }
  | {
      phase: "shared";
      maskPrivate: string;
      sealPrivate: string;
      selfMaskSeed: string;
      ownShares: string;
      keys: StoredKeys[];
    }
  | { phase: "masked"; held: StoredHeld }
  | { phase: "agreed"; held: StoredHeld; survivors: readonly SiteId[] }
  | { phase: "answered"; transcript: Sha256; survivors: readonly SiteId[] }
  | { phase: "aborted"; code: ErrorCode };

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "hex"));
const conceal = (secret: SecretBytes) => hex(secret.reveal());
const secretOf = (text: string) => new SecretBytes(unhex(text));

/** The state as bytes, secrets included: for the site's own sealed storage and nowhere else. */
export function storeSiteSum(state: SiteSumState): Uint8Array {
  return Buffer.from(JSON.stringify(toStored(state)));
}

/** Reads back what `storeSiteSum` wrote; the caller's storage vouches for the bytes. */
export function restoreSiteSum(bytes: Uint8Array): SiteSumState {
  return fromStored(JSON.parse(Buffer.from(bytes).toString()) as Stored);
}

function toStored(state: SiteSumState): Stored {
  switch (state.phase) {
    case "advertised":
      return {
        phase: "advertised",
        maskPrivate: conceal(state.maskPrivate),
        sealPrivate: conceal(state.sealPrivate),
      };
    case "shared":
      return {
        phase: "shared",
        maskPrivate: conceal(state.maskPrivate),
        sealPrivate: conceal(state.sealPrivate),
        selfMaskSeed: conceal(state.selfMaskSeed),
        ownShares: conceal(state.ownShares),
        keys: state.keys.map((one) => ({
          site: one.site,
          maskKey: hex(one.maskKey),
          sealKey: hex(one.sealKey),
        })),
      };
    case "masked":
      return { phase: "masked", held: storeHeld(state.held) };
    case "agreed":
      return { phase: "agreed", held: storeHeld(state.held), survivors: state.survivors };
    case "answered":
    case "aborted":
      return state;
    default:
      return assertNever(state);
  }
}

function fromStored(stored: Stored): SiteSumState {
  switch (stored.phase) {
    case "advertised":
      return {
        phase: "advertised",
        maskPrivate: secretOf(stored.maskPrivate),
        sealPrivate: secretOf(stored.sealPrivate),
      };
    case "shared":
      return {
        phase: "shared",
        maskPrivate: secretOf(stored.maskPrivate),
        sealPrivate: secretOf(stored.sealPrivate),
        selfMaskSeed: secretOf(stored.selfMaskSeed),
        ownShares: secretOf(stored.ownShares),
        keys: stored.keys.map(
          (one): PublicKeys => ({
            site: one.site,
            maskKey: unhex(one.maskKey),
            sealKey: unhex(one.sealKey),
          }),
        ),
      };
    case "masked":
      return { phase: "masked", held: restoreHeld(stored.held) };
    case "agreed":
      return { phase: "agreed", held: restoreHeld(stored.held), survivors: stored.survivors };
    case "answered":
    case "aborted":
      return stored;
    default:
      return assertNever(stored);
  }
}

function storeHeld(held: HeldShares): StoredHeld {
  const { keysHash, transcript, sharing } = held;
  return {
    keysHash,
    transcript,
    sharing,
    sealPrivate: conceal(held.sealPrivate),
    ownShares: conceal(held.ownShares),
    envelopes: held.envelopes.map(({ from, sealKey, sealed }) => ({
      from,
      sealKey: hex(sealKey),
      sealed: hex(sealed),
    })),
  };
}

function restoreHeld(stored: StoredHeld): HeldShares {
  const { keysHash, transcript, sharing } = stored;
  return {
    keysHash,
    transcript,
    sharing,
    sealPrivate: secretOf(stored.sealPrivate),
    ownShares: secretOf(stored.ownShares),
    envelopes: stored.envelopes.map(({ from, sealKey, sealed }) => ({
      from,
      sealKey: unhex(sealKey),
      sealed: unhex(sealed),
    })),
  };
}
