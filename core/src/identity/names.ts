import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { base64urlOf, fromBase64url } from "../bytes.js";
import { ConsiliumError } from "../errors.js";
import { parseSiteId, type Sha256, type SiteId } from "../ids.js";
import { err, ok, type Result } from "../result.js";

/** What a peer may be. `authority` names the root and the issuing certificate and is no peer. */
export type Role = "site" | "aggregator" | "publisher";

const roles: readonly string[] = ["site", "aggregator", "publisher"] satisfies Role[];

/**
 * Who a leaf certificate speaks for, as it stands in the certificate's subject alternative names:
 * `consilium:<federation>/<role>/<id>` and `consilium-signing-key:<base64url of the 32 bytes>`.
 * Both are URIs of RFC 3986 (a scheme and a rootless path).
 */
export interface IdentityName {
  readonly federation: string;
  readonly role: Role;
  /** All ids follow the rules of a site's; `aggregator` and `publisher` are the usual ones of the others. */
  readonly id: SiteId;
}

const identityScheme = "consilium:";
const signingKeyScheme = "consilium-signing-key:";

/** A federation's name follows the rules of a site id: a-z, 0-9 and single hyphens, at most 40 characters. */
export function parseFederation(raw: unknown): Result<string, ConsiliumError> {
  const parsed = parseSiteId(raw);
  if (parsed.ok) return ok(parsed.value);
  return err(
    new ConsiliumError("CONFIG_INVALID", "not a valid federation name", {
      remedy: "use a-z, 0-9 and single hyphens, at most 40 characters",
    }),
  );
}

export function identityUri(name: IdentityName): string {
  return `${identityScheme}${name.federation}/${name.role}/${name.id}`;
}

/** The name in the root and in the issuing certificate. */
export function authorityUri(federation: string, part: "root" | "issuer"): string {
  return `${identityScheme}${federation}/authority/${part}`;
}

export function signingKeyUri(raw: Uint8Array): string {
  return `${signingKeyScheme}${base64urlOf(raw)}`;
}

/** The name and signing key among a leaf's URIs; undefined unless each is there exactly once and well formed. */
export function readIdentityUris(
  uris: readonly string[],
): { name: IdentityName; signingKey: Uint8Array } | undefined {
  const names = uris.filter((uri) => uri.startsWith(identityScheme));
  const keys = uris.filter((uri) => uri.startsWith(signingKeyScheme));
  if (names.length !== 1 || keys.length !== 1) return undefined;
  const parts = names[0]!.slice(identityScheme.length).split("/");
  if (parts.length !== 3) return undefined;
  const [federation, role, rawId] = parts as [string, string, string];
  const id = parseSiteId(rawId);
  if (!parseFederation(federation).ok || !roles.includes(role) || !id.ok) return undefined;
  const encoded = keys[0]!.slice(signingKeyScheme.length);
  const signingKey = fromBase64url(encoded);
  if (signingKey?.length !== 32) return undefined;
  return { name: { federation, role: role as Role, id: id.value }, signingKey };
}

/** The federation that a root or issuing certificate is for. */
export function readAuthorityUri(uris: readonly string[], part: "root" | "issuer"): string | undefined {
  if (uris.length !== 1) return undefined;
  const federation = uris[0]!.slice(identityScheme.length).split("/")[0]!;
  return parseFederation(federation).ok && uris[0] === authorityUri(federation, part)
    ? federation
    : undefined;
}

/** SHA-256 of an Ed25519 public key's 32 bytes: what policies pin and revocations name. */
export function signingKeyFingerprint(raw: Uint8Array): Sha256 {
  return sha256(raw);
}
