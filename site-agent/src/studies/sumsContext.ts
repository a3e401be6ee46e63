import type { RandomSource } from "@consilium/core/random";
import type { Door, OutboundMessage, OutboundUpload } from "@consilium/gate/door";
import type { Identity } from "@consilium/runtime/identity/files";
import type { Logger } from "@consilium/runtime/log";
import type { PolicyFile } from "../policy/policyFile.js";
import type { SealedStorage } from "../store/sealedStorage.js";
import type { Charges } from "./charges.js";
import type { SiteRecords } from "./records.js";

/** What this site's part in sums needs of its process, whichever way they are masked. */
export interface SumsContext {
  readonly records: SiteRecords;
  readonly door: Door;
  readonly sealed: SealedStorage;
  readonly charges: Charges;
  readonly policy: Pick<PolicyFile, "read">;
  readonly random: RandomSource;
  readonly identity: () => Identity;
  readonly now: () => number;
  readonly log: Logger;
  readonly send: (message: OutboundMessage) => void;
  readonly upload: (upload: OutboundUpload) => Promise<void>;
}
