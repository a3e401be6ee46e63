import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { ConsiliumError } from "@consilium/core/errors";
import type { RandomSource } from "@consilium/core/random";
import * as openid from "openid-client";
import { fault } from "../../fault.js";
import type { Logger } from "../../log.js";
import type { OidcSettings } from "./config.js";
import { isLoopbackUrl } from "./origin.js";

/**
 * Sign-in by an identity provider: OpenID Connect Core 1.0, section 3.1 (authorization code), with PKCE (RFC 7636),
 * `state` and `nonce`. The ID token's signature is checked although it comes from the provider itself.
 */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  /** As the provider calls them. */
  readonly name: string;
  readonly groups: readonly string[];
}

interface OidcOptions {
  readonly settings: OidcSettings;
  readonly clientSecret: string | null;
  /** The address at which browsers reach the pages, without a slash at the end. */
  readonly pagesUrl: () => string;
  readonly random: RandomSource;
  readonly now: () => number;
  readonly log: Logger;
}

/** Between going to the provider and coming back. */
export const oidcLoginMs = 10 * 60_000;
/** The provider's configuration and keys are read again so long after. */
const discoveryMs = 3_600_000;
const timeoutS = 10;
const maxGroups = 1_000;

interface Login {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly expiresAt: number;
}

export class Oidc {
  readonly #options: OidcOptions;
  /** Of this process's life: a login that a restart interrupts begins anew. */
  readonly #key: Uint8Array;
  /** Logins that have come back, until they would have expired: none is used twice. */
  readonly #used = new Map<string, number>();
  #provider: { readonly at: number; readonly configuration: Promise<openid.Configuration> } | undefined;

  constructor(options: OidcOptions) {
    this.#options = options;
    this.#key = options.random.bytes(32);
  }

  /**
   * Where to send the browser, and what it must bring back with it.
   * @throws ConsiliumError OIDC_FAILED when the provider does not answer
   */
  async begin(): Promise<{ readonly url: string; readonly sealed: string }> {
    const { settings, now } = this.#options;
    const configuration = await this.#configuration();
    const login: Login = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
      expiresAt: now() + oidcLoginMs,
    };
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri(),
      scope: settings.scopes.join(" "),
      state: login.state,
      nonce: login.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(login.verifier),
      code_challenge_method: "S256",
    });
    return { url: url.href, sealed: this.#seal(login) };
  }

  /**
   * Who came back.
   * @param query - of the address that the provider sent the browser to
   * @param sealed - what `begin` gave this browser
   * @throws ConsiliumError OIDC_FAILED
   */
  async finish(query: string, sealed: string | undefined): Promise<OidcPerson> {
    const login = this.#open(sealed);
    if (login === null) throw fault("OIDC_FAILED", "access.no-sign-in", {});
    this.#use(login);
    const configuration = await this.#configuration();
    const { settings } = this.#options;
    try {
      const tokens = await openid.authorizationCodeGrant(
        configuration,
        new URL(`${this.#redirectUri()}?${query}`),
        {
          pkceCodeVerifier: login.verifier,
          expectedState: login.state,
          expectedNonce: login.nonce,
          idTokenExpected: true,
        },
      );
      const idToken = tokens.claims()!;
      let claims: Readonly<Record<string, unknown>> = idToken;
      const isWhole = claimAt(claims, settings.groupsClaim) !== undefined;
      if (!isWhole && configuration.serverMetadata().userinfo_endpoint !== undefined) {
        const info = await openid.fetchUserInfo(configuration, tokens.access_token, idToken.sub);
        claims = { ...info, ...claims };
      }
      return {
        issuer: idToken.iss,
        subject: idToken.sub,
        name: nameOf(claims, settings.nameClaim) ?? idToken.sub,
        groups: groupsOf(claims, settings.groupsClaim),
      };
    } catch (thrown) {
      throw this.#refused(thrown);
    }
  }

  async #configuration(): Promise<openid.Configuration> {
    const { now } = this.#options;
    const known = this.#provider;
    if (known !== undefined && now() - known.at < discoveryMs) return known.configuration;
    const provider = { at: now(), configuration: this.#discover() };
    this.#provider = provider;
    try {
      return await provider.configuration;
    } catch (thrown) {
      if (this.#provider === provider) this.#provider = undefined;
      throw this.#refused(thrown);
    }
  }

  async #discover(): Promise<openid.Configuration> {
    const { settings, clientSecret } = this.#options;
    const execute = [openid.enableNonRepudiationChecks];
    if (isLoopbackUrl(settings.issuer)) execute.push(openid.allowInsecureRequests);
    const configuration = await openid.discovery(
      new URL(settings.issuer),
      settings.clientId,
      {},
      clientSecret === null ? openid.None() : undefined,
      { execute, timeout: timeoutS },
    );
    if (clientSecret === null) return configuration;
    // Section 9 of OpenID Connect Core: client_secret_basic unless the provider says otherwise.
    const supported = configuration.serverMetadata().token_endpoint_auth_methods_supported;
    const isBasic = supported?.includes("client_secret_basic") ?? true;
    const authentication = isBasic
      ? openid.ClientSecretBasic(clientSecret)
      : openid.ClientSecretPost(clientSecret);
    const authenticated = new openid.Configuration(
      configuration.serverMetadata(),
      settings.clientId,
      {},
      authentication,
    );
    for (const apply of execute) apply(authenticated);
    authenticated.timeout = timeoutS;
    return authenticated;
  }

  #redirectUri(): string {
    return `${this.#options.pagesUrl()}/api/oidc/callback`;
  }

  /** @throws ConsiliumError OIDC_FAILED when it came back before */
  #use(login: Login): void {
    const now = this.#options.now();
    for (const [state, expiresAt] of this.#used) if (expiresAt <= now) this.#used.delete(state);
    const key = createHash("sha256").update(login.state).digest("base64url");
    if (this.#used.has(key)) throw fault("OIDC_FAILED", "access.completed", {});
    this.#used.set(key, login.expiresAt);
  }

  #seal(login: Login): string {
    const iv = this.#options.random.bytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(login), "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Null for what this process did not seal, or too long ago. */
  #open(sealed: string | undefined): Login | null {
    const bytes = Buffer.from(sealed ?? "", "base64url");
    if (bytes.length < 29 || bytes.length > 2_000) return null;
    const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(12, 28));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
      const login = JSON.parse(text) as Login;
      return login.expiresAt > this.#options.now() ? login : null;
    } catch {
      return null;
    }
  }

  /** What the library says may quote the provider's answer, so the log gets its code, and the browser not even that. */
  #refused(thrown: unknown): ConsiliumError {
    if (thrown instanceof ConsiliumError) return thrown;
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
    const reason = /^[A-Z][A-Z0-9_]{1,80}$/.test(code) ? code : "unknown";
    this.#options.log.warn("the identity provider rejected the sign-in", { reason }, thrown);
    return fault("OIDC_FAILED", "access.provider", {});
  }
}

/** `realm_access.roles` leads into an object, unless there is a claim of just that name. */
function claimAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function nameOf(claims: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const name = claimAt(claims, path);
  return typeof name === "string" && name.trim() !== "" ? name.slice(0, 200) : undefined;
}

function groupsOf(claims: Readonly<Record<string, unknown>>, path: string): string[] {
  const groups = claimAt(claims, path);
  const list = typeof groups === "string" ? [groups] : Array.isArray(groups) ? groups : [];
  return list.filter((group): group is string => typeof group === "string").slice(0, maxGroups);
}
