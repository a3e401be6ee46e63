import { z } from "zod";

/**
 * What sign-in shows and takes, as JSON: the same at the aggregator, at a site and, without accounts, at the publisher.
 *
 *   GET    /api/session                        Session, or 401 with SignedOut
 *   POST   /api/session {name, password}       Session and a cookie; at the publisher {token}
 *   DELETE /api/session                        204
 *   POST   /api/session/password               Session; every other session of the account ends
 *   POST   /api/setup/link {secret}            SetupLink: for whom a one-time link is
 *   POST   /api/setup {secret, name, password} 201, Session
 *   GET    /api/oidc/login                     to the identity provider
 *   GET    /api/oidc/callback                  from it, and on to `/`
 *   GET    /api/accounts                       Account[]
 *   POST   /api/accounts {name, role}          201, OneTimeLink
 *   POST   /api/accounts/:name/link            OneTimeLink: to set a new password
 *   POST   /api/accounts/:name/role {role}     Account
 *   DELETE /api/accounts/:name                 204
 *   POST   /api/links {role}                   OneTimeLink: anyone who opens it chooses the account's name
 *   GET    /api/tokens                         ApiToken[]
 *   POST   /api/tokens {role, label, …}        201, MadeToken
 *   DELETE /api/tokens/:id                     204
 *   GET    /api/audit?before=&limit=           Audit, newest first
 */

/** Who may use a route. The first of a server's roles may do everything, the last reads and little else. */
export const accountRoleSchema = z.enum(["operator", "viewer", "administrator", "approver"]);
export type AccountRole = z.output<typeof accountRoleSchema>;

const passwordMinLength = 12;
const passwordMaxLength = 256;

const accountNamePattern = /^[a-z0-9](?:[a-z0-9._@-]{0,62}[a-z0-9])?$/;
const accountNameSchema = z
  .string()
  .trim()
  .toLowerCase()
  .regex(accountNamePattern, "small letters, digits, and . _ @ - between them, at most 64");
const passwordSchema = z
  .string()
  .min(passwordMinLength, `at least ${passwordMinLength} characters`)
  .max(passwordMaxLength, `at most ${passwordMaxLength} characters`);
/** Of a link, a reader's token: 256 random bits behind a prefix at most. */
const secretSchema = z.string().max(100);

export const signInBody = z.strictObject({
  name: z.string().max(64),
  password: z.string().max(passwordMaxLength),
});
export const readerSignInBody = z.strictObject({ token: secretSchema });
export const setupLinkBody = z.strictObject({ secret: secretSchema });
export const setupBody = z.strictObject({
  secret: secretSchema,
  name: accountNameSchema,
  password: passwordSchema,
});
export const passwordBody = z.strictObject({
  current: z.string().max(passwordMaxLength),
  password: passwordSchema,
});
export const accountBody = z.strictObject({ name: accountNameSchema, role: accountRoleSchema });
export const roleBody = z.strictObject({ role: accountRoleSchema });
export const tokenBody = z.strictObject({
  role: accountRoleSchema,
  label: z.string().min(1).max(200),
  expiresInMs: z
    .int()
    .min(60_000)
    .max(3_660 * 86_400_000)
    .optional()
    .describe("Left out: it does not expire."),
});

const signInMethodsSchema = z
  .object({
    password: z.boolean().describe("A name and a password."),
    token: z.boolean().describe("A reader's token, at the publisher."),
    oidc: z
      .object({ label: z.string() })
      .nullable()
      .describe("An identity provider, by `GET /api/oidc/login`."),
  })
  .meta({ id: "SignInMethods", description: "How one can sign in here." });
export type SignInMethods = z.output<typeof signInMethodsSchema>;

export const sessionSchema = z
  .object({
    account: z.object({ name: z.string(), role: z.enum([...accountRoleSchema.options, "analyst"]) }),
    csrf: z
      .string()
      .describe(
        "To be sent as `x-consilium-csrf` with every request that changes something. Bound to the session.",
      ),
    methods: signInMethodsSchema,
    endsAt: z.iso.datetime().describe("When the session ends even if it is used."),
    hasPassword: z.boolean().describe("Whether the password is kept here, so that it can be changed here."),
  })
  .meta({ id: "Session" });
export type SessionView = z.output<typeof sessionSchema>;

export const signedOutSchema = z
  .object({
    account: z.null().describe("Nobody is signed in."),
    setup: z
      .boolean()
      .describe("Whether there is no account yet: the one-time link of the first run makes it."),
    methods: signInMethodsSchema,
  })
  .meta({
    id: "SignedOut",
    description:
      "What `GET /api/session` answers to anyone who is not signed in: no failure, so that no browser complains of one.",
  });
export type SignedOutView = z.output<typeof signedOutSchema>;

export const setupLinkSchema = z
  .object({
    name: accountNameSchema.nullable().describe("Null: anyone who opens the link chooses it."),
    role: accountRoleSchema,
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: "SetupLink" });
export type SetupLinkView = z.output<typeof setupLinkSchema>;

export const oneTimeLinkSchema = setupLinkSchema
  .extend({
    url: z.string().describe("Shown this once. Its secret stands in the fragment, which no server is sent."),
  })
  .meta({ id: "OneTimeLink" });
export type OneTimeLinkView = z.output<typeof oneTimeLinkSchema>;

export const accountSchema = z
  .object({
    name: accountNameSchema,
    role: accountRoleSchema,
    createdAt: z.iso.datetime(),
    lastSignInAt: z.iso.datetime().nullable(),
    method: z
      .enum(["password", "oidc", "link"])
      .describe("`password`, `oidc`, or `link`: a one-time link is out and no password set."),
  })
  .meta({ id: "Account" });
export type AccountView = z.output<typeof accountSchema>;

export const apiTokenSchema = z
  .object({
    id: z.string(),
    role: accountRoleSchema,
    label: z.string(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: "ApiToken" });
export type ApiTokenView = z.output<typeof apiTokenSchema>;

export const madeTokenSchema = apiTokenSchema
  .extend({ token: z.string() })
  .meta({ id: "MadeToken", description: "`token` is shown this once; what is kept of it is a hash." });
export type MadeTokenView = z.output<typeof madeTokenSchema>;

export const auditQuery = z.strictObject({
  before: z.coerce
    .number()
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe("The `id` of the last event of the page before."),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe("Events on a page."),
  study: z.string().max(80).optional().describe("Only what is of this study."),
  site: z.string().max(40).optional().describe("Only what is of this site."),
  actor: z.string().max(300).optional().describe("Only what this account or token did."),
  kind: z.string().max(100).optional().describe("Only what is of this kind, as an event's `kind` says it."),
  from: z.iso.datetime().optional().describe("Only what happened at this moment or later."),
  until: z.iso.datetime().optional().describe("Only what happened before this moment."),
  people: z
    .stringbool()
    .optional()
    .describe(
      "Only what people and programs did: nothing of sites, and nothing that the process did by itself.",
    ),
});

const auditEventSchema = z
  .object({
    id: z.int(),
    at: z.iso.datetime(),
    actor: z
      .string()
      .nullable()
      .describe("The account's or the token's name; null: a site, or the process itself."),
    kind: z.string().describe("What was done."),
    study: z.string().nullable(),
    site: z.string().nullable(),
    detail: z.string(),
  })
  .meta({ id: "AuditEvent" });
export type AuditEventView = z.output<typeof auditEventSchema>;

export const auditSchema = z
  .object({
    events: z.array(auditEventSchema),
    next: z
      .int()
      .nullable()
      .describe("What to ask for as `before` for older ones; null: these were the oldest."),
  })
  .meta({ id: "Audit" });
export type AuditView = z.output<typeof auditSchema>;
