import { ConsiliumError, type ErrorCode } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { nameOf, pathOf } from "@consilium/core/said";
import { Federation } from "@consilium/proto/load";
import { fault } from "../fault.js";
import type { WebProxy } from "../network/proxy.js";
import { lockState } from "../store/lock.js";
import { parseAddress } from "../tls/address.js";
import { clientChannel } from "../tls/clientCredentials.js";
import { fetchChain } from "../tls/fetchChain.js";
import { askForCertificate, chainOf, requestFields } from "./certificateCall.js";
import { loadIdentityWhenever } from "./certificateSpan.js";
import { rootFingerprint } from "./certificates.js";
import { noteEnrolmentSent } from "./enrolmentSent.js";
import { type Identity, identityFolder } from "./files.js";
import { type Invitation, parseInvitation } from "./invitation.js";
import { completeIdentity, prepareKeys } from "./newIdentity.js";
import { createRequest } from "./request.js";

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
  throw fault(
    "CONFIG_INVALID",
    "enrolment.other-site",
    { folder: pathOf(stateFolder), site: id, federation: nameOf(federation), invited: invitation.siteId },
    "enrolment.own-folder",
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
}): Promise<Identity & { readonly aggregator: string; readonly standbys: readonly string[] }> {
  const now = options.now ?? Date.now;
  const invitation = unwrap(parseInvitation(options.token, now()));
  const folder = identityFolder(options.stateFolder);
  // A running agent renews its certificate by itself; the two would overwrite each other's keys.
  const lock =
    (await enrolledBefore(options.stateFolder, invitation, now())) === null
      ? null
      : await lockState(options.stateFolder);
  try {
    const { address, standbys } = invitation;
    return { ...(await enrolAtAny(folder, invitation, { ...options, now })), aggregator: address, standbys };
  } finally {
    lock?.release();
  }
}

interface EnrolmentCall {
  readonly stateFolder: string;
  readonly software: string;
  readonly proxy?: WebProxy | null;
  readonly now: () => number;
}

/** Of the addresses in an invitation one is active. */
async function enrolAtAny(folder: string, invitation: Invitation, options: EnrolmentCall): Promise<Identity> {
  const passing = new Set<ErrorCode>(["AGGREGATOR_STANDBY", "UNREACHABLE"]);
  let first: unknown = null;
  for (const address of [invitation.address, ...invitation.standbys]) {
    try {
      return await enrolInto(folder, { ...invitation, address }, options);
    } catch (thrown) {
      if (!(thrown instanceof ConsiliumError) || !passing.has(thrown.code)) throw thrown;
      first ??= thrown;
    }
  }
  throw first;
}

async function enrolInto(folder: string, invitation: Invitation, options: EnrolmentCall): Promise<Identity> {
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
    const response = await askForCertificate(
      client,
      {
        proof: "tokenSecret",
        tokenSecret: Buffer.from(invitation.secret.reveal()),
        ...requestFields(request, options.software),
      },
      (sent) => noteEnrolmentSent(options.stateFolder, now(), sent),
    );
    return unwrap(
      await completeIdentity(folder, { chainPem: chainOf(response, rootPem), rootPem, now: now() }),
    );
  } finally {
    client.close();
  }
}
