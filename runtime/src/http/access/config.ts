import type { AccountRole } from "@consilium/core/access/views";
import { z } from "zod";
import { readSecretFile, resolveBeside } from "../../secretFile.js";
import { isLoopbackUrl } from "./origin.js";

const group = z.string().min(1).max(200);

/** The address at which browsers reach the pages, without a slash at the end. */
const pagesUrl = z
  .url({ protocol: /^https?$/, error: "write an address such as https://console.example.org" })
  .max(500)
  .refine((text) => /^https?:\/\/[^/?#]+\/?$/.test(text), "write it without a path")
  .transform((text) => text.replace(/\/$/, ""));

/** An identity provider that speaks OpenID Connect. */
const oidcFields = {
  /** As the provider names itself; its configuration is read below it. */
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine(
      (text) => text.startsWith("https://") || isLoopbackUrl(text),
      "the issuer must be reached by https",
    ),
  clientId: z.string().min(1).max(200),
  /** A file beside this one; left out for a client without a secret. */
  clientSecretFile: z.string().max(1_000).optional(),
  /** What the button on the sign-in page says. */
  label: z.string().min(1).max(100).default("Sign in with your organisation"),
  scopes: z.array(z.string().min(1).max(100)).max(20).default(["openid", "profile", "email"]),
  /** Of the ID token or of the user info: what the account is called, if it is not there the subject. */
  nameClaim: z.string().min(1).max(100).default("preferred_username"),
  /** Where the groups stand; a dot leads into an object, as in `realm_access.roles`. */
  groupsClaim: z.string().min(1).max(200).default("groups"),
};

export const trustedProxies = z.array(z.string().min(2).max(100)).max(20).default([]);

/** @param roles - from the one that may do everything; anyone who is in groups of several has the first */
export function oidcConfigSchema<R extends AccountRole>(roles: readonly [R, ...R[]]) {
  return z.strictObject({
    ...oidcFields,
    /** Which of the provider's groups have which role. Anyone who is in none of them is not let in. */
    roles: z.partialRecord(z.enum(roles), z.array(group).min(1).max(100)),
  });
}

/** As `oidcConfigSchema`, where groups open releases. */
export const readersOidcSchema = z.strictObject({
  ...oidcFields,
  /** Which groups may read which releases; `*` is every one. */
  releases: z
    .array(z.strictObject({ group, releases: z.array(z.string().min(1).max(100)).min(1).max(1_000) }))
    .min(1)
    .max(1_000),
});

/** @throws ConsiliumError CONFIG_INVALID */
export async function readClientSecret(
  settings: OidcSettings,
  configPath: string,
  key: string,
): Promise<string | null> {
  const { clientSecretFile } = settings;
  if (clientSecretFile === undefined) return null;
  const secret = await readSecretFile(resolveBeside(configPath, clientSecretFile), key);
  return Buffer.from(secret.reveal()).toString("utf8");
}

export type OidcSettings = Omit<z.output<typeof readersOidcSchema>, "releases">;

/** What the aggregator's and the site's `console:` have in common. */
export function consoleAccessFields<R extends AccountRole>(roles: readonly [R, ...R[]]) {
  return {
    /** Where browsers reach the pages when a proxy ends their TLS. With https, cookies are for that name and TLS only. */
    publicUrl: pagesUrl.optional(),
    /** Proxies in front, by address or network, whose X-Forwarded-For is believed. */
    trustedProxies,
    oidc: oidcConfigSchema(roles).optional(),
  };
}

export const hostNames = z
  .array(
    z
      .string()
      .max(260)
      .regex(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/, "write a name, or name:port"),
  )
  .max(50);
