import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { enrollRequestBytes } from "@consilium/proto/frames";
import type { EnrollRequest } from "@consilium/proto/generated/consilium/v1/EnrollRequest";
import type { EnrollResponse__Output } from "@consilium/proto/generated/consilium/v1/EnrollResponse";
import type { FederationClient } from "@consilium/proto/generated/consilium/v1/Federation";
import { maxCertificateBytes, maxChainLength, protocolVersions } from "@consilium/proto/limits";
import { Federation } from "@consilium/proto/load";
import { fromServiceError } from "@consilium/proto/status";
import type { WebProxy } from "../network/proxy.js";
import { lockState } from "../store/lock.js";
import { parseAddress } from "../tls/address.js";
import { clientChannel } from "../tls/clientCredentials.js";
import { fetchChain } from "../tls/fetchChain.js";
import { rootFingerprint } from "./authority.js";
import { noteEnrolmentSent } from "./enrolmentSent.js";
import { completeIdentity, type Identity, loadIdentityWhenever, prepareKeys } from "./files.js";
import { type Invitation, parseInvitation } from "./invitation.js";
import { createRequest } from "./request.js";
import { derToPem, pemToDer } from "./x509.js";

/** The identity's place below a state folder. */
export function identityFolder(stateFolder: string): string {
  return join(stateFolder, "identity");
}

/** How long one call of enrolment may take. */
const callMs = 20_000;

/**
 * The identity that a state folder holds, if there is one, for a site that enrols again: it keeps its signing key.
 * @param now - milliseconds since 1970
 * @throws ConsiliumError CONFIG_INVALID where it is another site's or another federation's than the invitation's
 */
export async function enrolledBefore(
  stateFolder: string,
  invitation: Invitation,
  now: number,
): Promise<Identity | null> {
  const loaded = await loadIdentityWhenever(identityFolder(stateFolder), now);
  if (!loaded.ok) return null;
  const { id, federation, rootPem } = loaded.value;
  if (id === invitation.siteId && rootFingerprint(rootPem) === invitation.rootFingerprint)
    return loaded.value;
  throw new ConsiliumError(
    "CONFIG_INVALID",
    `${stateFolder} belongs to site ${id} of federation ${federation}, but the token is for site ${invitation.siteId}` +
      (id === invitation.siteId ? " of another federation" : ""),
    { remedy: "give the state folder of the token's site, or a new one" },
  );
}

/**
 * Enrols a site with an invitation token: keys made here, a certificate back. A folder that has the site's signing key
 * keeps it, and everything else in it. Safe to repeat with the same token when the answer was lost.
 * @throws ConsiliumError TOKEN_INVALID, TOKEN_WITHDRAWN, TOKEN_EXPIRED, TOKEN_USED, SITE_ENROLLED, AUTHORITY_MISMATCH,
 *   UNREACHABLE, PROXY_FAILED, TLS_INTERCEPTED, CONFIG_INVALID when the folder holds another site's identity,
 *   STATE_LOCKED while an agent runs with it
 */
export async function enrol(options: {
  readonly token: string;
  readonly stateFolder: string;
  readonly software: string;
  /** Through which to reach the aggregator; null or absent for the direct way. */
  readonly proxy?: WebProxy | null;
  readonly now?: () => number;
}): Promise<Identity & { readonly aggregator: string }> {
  const now = options.now ?? Date.now;
  const invitation = unwrap(parseInvitation(options.token, now()));
  const folder = identityFolder(options.stateFolder);
  // A running agent renews its certificate by itself; the two would overwrite each other's keys.
  const lock =
    (await enrolledBefore(options.stateFolder, invitation, now())) === null
      ? null
      : await lockState(options.stateFolder);
  try {
    return await enrolInto(folder, invitation, { ...options, now });
  } finally {
    lock?.release();
  }
}

async function enrolInto(
  folder: string,
  invitation: Invitation,
  options: {
    readonly stateFolder: string;
    readonly software: string;
    readonly proxy?: WebProxy | null;
    readonly now: () => number;
  },
): Promise<Identity & { readonly aggregator: string }> {
  const { proxy = null, now } = options;
  const address = unwrap(parseAddress(invitation.address));
  const { rootPem } = unwrap(
    await fetchChain(address, {
      rootFingerprint: invitation.rootFingerprint,
      serverRole: "aggregator",
      now: now(),
      proxy,
    }),
  );
  const channel = clientChannel(address, { rootPem, serverRole: "aggregator", proxy, now });
  const client = new Federation(channel.target, channel.credentials, channel.options);
  try {
    const keys = await prepareKeys(folder);
    const request = await createRequest({ id: invitation.siteId, ...keys });
    const response = await call(
      client,
      {
        proof: "tokenSecret",
        tokenSecret: Buffer.from(invitation.secret.reveal()),
        ...wire(request, options.software),
      },
      (sent) => noteEnrolmentSent(options.stateFolder, now(), sent),
    );
    const identity = unwrap(
      await completeIdentity(folder, { chainPem: chainOf(response, rootPem), rootPem, now: now() }),
    );
    return { ...identity, aggregator: invitation.address };
  } finally {
    client.close();
  }
}

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
  const response = await call(
    options.client,
    {
      proof: "renewal",
      renewal: true,
      ...wire(request, options.software),
    },
    options.sending,
  );
  const { rootPem } = identity;
  return unwrap(
    await completeIdentity(folder, { chainPem: chainOf(response, rootPem), rootPem, now: now() }),
  );
}

function wire(
  request: { csrDer: Uint8Array; signingKey: Uint8Array; signature: Uint8Array },
  software: string,
) {
  return {
    certificateRequest: Buffer.from(request.csrDer),
    signingKey: Buffer.from(request.signingKey),
    signingKeyProof: Buffer.from(request.signature),
    versions: { ...protocolVersions, software },
  };
}

function call(
  client: FederationClient,
  request: EnrollRequest,
  sending: ((request: Uint8Array) => void) | undefined,
): Promise<EnrollResponse__Output> {
  sending?.(enrollRequestBytes(request));
  return new Promise((resolve, reject) => {
    client.enroll(request, { deadline: Date.now() + callMs }, (error, response) => {
      if (error) reject(fromServiceError(error));
      else if (response === undefined)
        reject(new ConsiliumError("FIELD_INVALID", "enrolment: empty response"));
      else resolve(response);
    });
  });
}

/** Leaf and issuing certificate as answered, then the root that was pinned. */
function chainOf(response: EnrollResponse__Output, rootPem: string): string {
  const { chain } = response;
  if (
    chain.length < 2 ||
    chain.length > maxChainLength ||
    chain.some((der) => der.length > maxCertificateBytes)
  ) {
    throw new ConsiliumError("FIELD_INVALID", "enrolment: expected a chain of two certificates");
  }
  return [...chain.slice(0, 2), pemToDer(rootPem)].map((der) => derToPem(der)).join("");
}
