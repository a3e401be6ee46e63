import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { DoctorView } from "@consilium/core/hospital/doctorView";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { check, fail, ok } from "@consilium/runtime/doctor/check";
import { checkDisk } from "@consilium/runtime/doctor/disk";
import { checkNetwork } from "@consilium/runtime/doctor/network";
import { parseInvitation } from "@consilium/runtime/identity/invitation";
import { proxyFor } from "@consilium/runtime/network/proxy";
import { proxyConfigSchema } from "@consilium/runtime/network/proxyConfig";
import { parseAddress } from "@consilium/runtime/tls/address";
import type { Session } from "../session.js";
import { type ProxyOptions, proxyOption } from "../site/proxyOptions.js";

/**
 * Checks the path to an aggregator before a site enrols: the token holds its address and pins its root certificate. The
 * token itself is neither used nor sent.
 * @throws ConsiliumError TOKEN_INVALID
 */
export async function examineInvitation(
  session: Session,
  token: string,
  options: ProxyOptions & { readonly timeoutMs: number; readonly state: string | null },
): Promise<DoctorView> {
  const now = Date.now();
  // An expired token still holds the aggregator's address.
  const invitation = unwrap(parseInvitation(token, 0));
  const address = unwrap(parseAddress(invitation.address));
  const expires = new Date(invitation.expiresAt).toISOString();
  const proxy = proxyFor(address, {
    config: proxyConfigSchema.parse(proxyOption(session, options) ?? "environment"),
    configPath: session.path("config.yaml"),
    environment: session.io.environment,
  });
  const state = options.state === null ? session.home.site(invitation.siteId) : session.path(options.state);
  const validity =
    now >= invitation.expiresAt
      ? fail(`it expired at ${expires}`, "ask the operator for a new one: `consilium invite`")
      : ok(`for site ${invitation.siteId}, valid until ${expires}`);
  return {
    checkedAt: new Date(now).toISOString(),
    software: softwareVersion,
    subject: "invitation",
    name: invitation.siteId,
    aggregator: invitation.address,
    checks: [
      check("identity", "Invitation token", validity),
      check("disk", "State folder location", await checkDisk(await nearest(state), { isOwn: false })),
      ...(await checkNetwork({
        address,
        proxy,
        serverRole: "aggregator",
        rootFingerprint: invitation.rootFingerprint,
        now: Date.now,
        timeoutMs: options.timeoutMs,
      })),
    ],
  };
}

/** The folder itself, or its nearest existing parent. */
async function nearest(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await stat(at).catch(() => null);
    if (found !== null || dirname(at) === at) return at;
  }
}
