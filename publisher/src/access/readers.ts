import type { RandomSource } from "@consilium/core/random";
import {
  type OidcSettings,
  readClientSecret,
  type readersOidcSchema,
} from "@consilium/runtime/http/access/config";
import { cookieName } from "@consilium/runtime/http/access/cookies";
import { Oidc } from "@consilium/runtime/http/access/oidc";
import { isOwnPage, type OriginRules } from "@consilium/runtime/http/access/origin";
import { bearerOf, cookieOf } from "@consilium/runtime/http/access/secrets";
import { type OpenSession, Sessions } from "@consilium/runtime/http/access/sessions";
import type { Logger } from "@consilium/runtime/log";
import { readerTokenHash } from "@consilium/runtime/release/readerTokens";
import { AccessRecords } from "@consilium/runtime/store/accessRecords";
import type { Store } from "@consilium/runtime/store/store";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Opens, Tokens } from "../catalogue/tokens.js";

export interface ReadersOptions {
  readonly tokens: Tokens;
  readonly store: Store;
  readonly rules: OriginRules;
  readonly oidc?: z.output<typeof readersOidcSchema> | undefined;
  /** Files that the configuration names lie beside it. */
  readonly configPath: string;
  /** The address at which browsers reach the catalogue, without a slash at the end. */
  readonly pagesUrl: () => string;
  readonly random: RandomSource;
  readonly now: () => number;
  readonly log: Logger;
}

/** Whose session it is, as the store has it. */
const holderSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("token"), sha256: z.string() }),
  z.strictObject({ kind: z.literal("oidc"), name: z.string(), groups: z.array(z.string()) }),
]);
export type Holder = z.output<typeof holderSchema>;

export interface Reader {
  readonly name: string;
  readonly opens: Opens;
  readonly session: OpenSession;
}

/**
 * Who reads: by a token with each request, or by a browser's session, which a token or the identity provider has begun.
 * What a session opens is judged anew with every request, so that it ends with the token that began it, and follows
 * the groups' releases in the configuration.
 */
export class Readers {
  readonly sessions: Sessions;
  readonly rules: OriginRules;
  readonly tokens: Tokens;
  readonly oidc: Oidc | null;
  readonly settings: ReadersOptions["oidc"];
  readonly log: Logger;
  readonly pagesUrl: () => string;

  constructor(options: ReadersOptions, clientSecret: string | null) {
    const { rules, tokens, oidc, random, now, log, pagesUrl } = options;
    this.sessions = new Sessions({ records: new AccessRecords(options.store), random, now });
    this.rules = rules;
    this.tokens = tokens;
    this.settings = oidc;
    this.log = log;
    this.pagesUrl = pagesUrl;
    this.oidc =
      oidc === undefined ? null : new Oidc({ settings: oidc, clientSecret, pagesUrl, random, now, log });
  }

  /** Which releases a request may know of, besides the open ones. A token that is sent is all that counts. */
  async opens(request: FastifyRequest): Promise<Opens> {
    const bearer = bearerOf(request.headers.authorization);
    if (bearer !== undefined) return this.tokens.permits(bearer);
    return (await this.of(request))?.opens ?? (() => false);
  }

  /** Whose session a browser has; null without one, and for what another site's page asks. */
  async of(request: FastifyRequest): Promise<Reader | null> {
    const session = this.sessionOf(request);
    if (session?.holder == null || !isOwnPage(request, this.rules)) return null;
    const holder = holderSchema.parse(JSON.parse(session.holder));
    if (holder.kind === "oidc")
      return { name: holder.name, opens: this.opensOfGroups(holder.groups), session };
    const found = await this.tokens.ofHash(holder.sha256);
    if (found.length > 0) return { name: found[0]!.label || "a reader", opens: opensAll(found), session };
    // The token has expired or was revoked.
    this.sessions.end(session.hash);
    return null;
  }

  sessionOf(request: FastifyRequest): OpenSession | null {
    return this.sessions.find(cookieOf(request.headers.cookie, cookieName("session", request, this.rules)));
  }

  /** The holder of a session that this token begins; null if it opens nothing. */
  async holderOf(token: string): Promise<Holder | null> {
    const sha256 = readerTokenHash(token).toString("hex");
    return (await this.tokens.ofHash(sha256)).length > 0 ? { kind: "token", sha256 } : null;
  }

  opensOfGroups(groups: readonly string[]): Opens {
    const opened = new Set(
      (this.settings?.releases ?? [])
        .filter(({ group }) => groups.includes(group))
        .flatMap(({ releases }) => releases),
    );
    return (release) => opened.has("*") || opened.has(release);
  }
}

/** @throws ConsiliumError CONFIG_INVALID when the identity provider's secret cannot be read */
export async function createReaders(options: ReadersOptions): Promise<Readers> {
  const settings: OidcSettings | undefined = options.oidc;
  const secret =
    settings === undefined
      ? null
      : await readClientSecret(settings, options.configPath, "signIn.oidc.clientSecretFile");
  return new Readers(options, secret);
}

function opensAll(tokens: readonly { readonly release: string }[]): Opens {
  const opened = new Set(tokens.map(({ release }) => release));
  return (release) => opened.has("*") || opened.has(release);
}
