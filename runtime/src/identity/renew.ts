import { unwrap } from "@consilium/core/result";
import type { FederationClient } from "@consilium/proto/generated/consilium/v1/Federation";
import { fromServiceError } from "@consilium/proto/status";
import type { Logger } from "../log.js";
import { askForCertificate, chainOf, requestFields } from "./certificateCall.js";
import { spanOf, within } from "./certificateSpan.js";
import type { Identity } from "./files.js";
import { completeIdentity, prepareKeys } from "./newIdentity.js";
import { createRequest } from "./request.js";

interface Renewal {
  readonly client: FederationClient;
  readonly identity: Identity;
  readonly folder: string;
  readonly software: string;
  readonly now: () => number;
  /** Called with the request as it is sent, before it is sent. */
  readonly sending?: (request: Uint8Array) => void;
}

/**
 * Renews a site's certificate over a channel made with the present one, which may have expired. The signing key stays.
 * @returns the new identity, in place on disk
 */
async function renew(options: Renewal): Promise<Identity> {
  const { identity, folder, now } = options;
  const keys = await prepareKeys(folder);
  const request = await createRequest({ id: identity.id, ...keys });
  const response = await askForCertificate(
    options.client,
    {
      proof: "renewal",
      renewal: true,
      ...requestFields(request, options.software),
    },
    options.sending,
  );
  const { rootPem } = identity;
  const chainPem = chainOf(response, rootPem);
  // A clock that is wrong makes no certificate: the aggregator's is right for the connection that comes of it.
  const at = within(spanOf(chainPem), now());
  return unwrap(await completeIdentity(folder, { chainPem, rootPem, now: at }));
}

/** The same, told to the log; null where there is none yet. */
export async function renewed(options: Renewal & { readonly log: Logger }): Promise<Identity | null> {
  const { log } = options;
  try {
    const identity = await renew(options);
    log.info("the certificate was renewed", { notAfter: new Date(identity.notAfter).toISOString() });
    return identity;
  } catch (thrown) {
    const error = fromServiceError(thrown);
    log.warn("the certificate could not be renewed yet", { code: error.code, reason: error.message });
    return null;
  }
}
