import { unwrap } from "@consilium/core/result";
import type { FederationClient } from "@consilium/proto/generated/consilium/v1/Federation";
import { askForCertificate, chainOf, requestFields } from "./certificateCall.js";
import type { Identity } from "./files.js";
import { completeIdentity, prepareKeys } from "./newIdentity.js";
import { createRequest } from "./request.js";

/**
 * Renews a site's certificate over a channel made with the present one. The signing key stays.
 * @returns the new identity, in place on disk
 */
export async function renew(options: {
  readonly client: FederationClient;
  readonly identity: Identity;
  readonly folder: string;
  readonly software: string;
  readonly now: () => number;
  /** Called with the request as it is sent, before it is sent. */
  readonly sending?: (request: Uint8Array) => void;
}): Promise<Identity> {
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
  return unwrap(
    await completeIdentity(folder, { chainPem: chainOf(response, rootPem), rootPem, now: now() }),
  );
}
