import { createHash } from "node:crypto";
import type { AccountRole, SignInMethods } from "@consilium/core/access/views";
import type { RandomSource } from "@consilium/core/random";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { commandLineName } from "../../commandLineName.js";
import { fault } from "../../fault.js";
import type { Logger } from "../../log.js";
import { AccessRecords } from "../../store/accessRecords.js";
import type { Store } from "../../store/store.js";
import type { Access, Caller } from "../roles.js";
import type { HttpServer } from "../server.js";
import type { operatorRoles, siteRoles } from "./accountRoles.js";
import { Accounts } from "./accounts.js";
import { ApiTokens } from "./apiTokens.js";
import { type oidcConfigSchema, readClientSecret } from "./config.js";
import { Gate, setSessionCookies, type TrailEvent } from "./gate.js";
import { Oidc } from "./oidc.js";
import { type OidcRoutesContext, routeOidc } from "./oidcRoutes.js";
import type { OriginRules } from "./origin.js";
import { type PasswordLimits, Passwords } from "./password.js";
import { routeAccounts, routeSession } from "./routes.js";
import { Sessions } from "./sessions.js";
import { announceSetupLink, removeSetupLink } from "./setupLink.js";

export interface ConsoleAccessOptions {
  readonly store: Store;
  readonly roles: typeof operatorRoles | typeof siteRoles;
  /** `console:` of the process's configuration. */
  readonly configuration: ConsoleConfiguration;
  /** Files that the configuration names lie beside it. */
  readonly configPath: string;
  /** A token with full access, and its name in the audit log. */
  readonly rootToken?: { readonly token: string; readonly name: string };
  readonly stateFolder: string;
  readonly random: RandomSource;
  readonly now: () => number;
  readonly log: Logger;
  /** Records sign-ins and changes. */
  readonly record: (event: TrailEvent) => void;
  readonly passwords?: PasswordLimits;
}

interface ConsoleConfiguration extends Omit<OriginRules, "tls"> {
  /** Certificate and key, where the server itself speaks TLS. */
  readonly tls?: object | undefined;
  readonly oidc?: z.output<ReturnType<typeof oidcConfigSchema<AccountRole>>> | undefined;
}

/** Sign-in of a service that has accounts. */
export interface ConsoleAccess {
  /** For the HTTP platform. */
  readonly judge: Access;
  /** Whether a request is of somebody who is known, so that limits on strangers do not hold for them. */
  readonly recognises: (request: FastifyRequest) => boolean;
  /** The routes and hooks of sign-in, before any other route. */
  readonly route: (server: HttpServer) => void;
  /** Accounts and tokens on a server that only the state folder's owner can reach, before any other route. */
  readonly routeForOwner: (server: HttpServer) => void;
  /**
   * Once the server listens: where nobody has an account, makes the one-time link.
   * @param pagesUrl - the address at which browsers reach the pages, if the configuration has none
   * @param terminal - shows the link; standard error where that is a terminal
   */
  readonly announce: (pagesUrl: string, terminal?: { write(text: string): unknown } | null) => Promise<void>;
  /** Where browsers reach the pages, without a slash at the end: as configured, or announced. */
  readonly pagesUrl: () => string;
}

/** Anyone who uses a socket that only the state folder's owner can open. */
export function commandLineCaller(role: AccountRole): Caller {
  return { name: commandLineName(), role };
}

/** @throws ConsiliumError CONFIG_INVALID when the identity provider's secret cannot be read */
export async function createConsoleAccess(options: ConsoleAccessOptions): Promise<ConsoleAccess> {
  const { roles, configuration, rootToken, stateFolder, random, now, log, record } = options;
  const { publicUrl, hosts } = configuration;
  const rules: OriginRules = { publicUrl, hosts, tls: configuration.tls !== undefined };
  const records = new AccessRecords(options.store);
  const sessions = new Sessions({ records, random, now });
  let listeningUrl = "";
  const pagesUrl = () => rules.publicUrl ?? listeningUrl;
  const accounts = new Accounts({
    records,
    sessions,
    passwords: new Passwords(random, options.passwords),
    roles,
    random,
    now,
    record,
    pagesUrl,
    onFirstAccount: () =>
      removeSetupLink(stateFolder).catch((thrown: unknown) =>
        log.warn("cannot remove the file of the one-time link", {}, thrown),
      ),
  });
  const tokens = new ApiTokens({ records, roles, random, now, record });
  const gate = new Gate({
    rules,
    sessions,
    accounts,
    tokens,
    roles,
    record,
    rootToken: rootToken && {
      hash: createHash("sha256").update(rootToken.token, "utf8").digest("hex"),
      name: rootToken.name,
    },
  });
  const settings = configuration.oidc;
  const oidc =
    settings &&
    new Oidc({
      settings,
      clientSecret: await readClientSecret(settings, options.configPath, "console.oidc.clientSecretFile"),
      pagesUrl,
      random,
      now,
      log,
    });
  const methods: SignInMethods = {
    password: true,
    token: false,
    oidc: settings === undefined ? null : { label: settings.label },
  };
  const letIn: OidcRoutesContext["letIn"] = (request, reply, person) => {
    const role = roles.find((each) => settings?.roles[each]?.some((group) => person.groups.includes(group)));
    if (role === undefined) {
      log.warn("a user of the identity provider has no role here", { subject: person.subject });
      throw fault("NOT_PERMITTED", "access.no-role", {});
    }
    const account = accounts.ofSubject({ ...person, suggested: person.name, role });
    const former = gate.sessionOf(request);
    const signedIn = accounts.begin(account, "signed in by identity provider");
    if (former !== null) sessions.end(former.hash, reply.raw);
    setSessionCookies(request, reply, rules, signedIn);
  };
  return {
    judge: gate.judge,
    recognises: (request) => gate.recognises(request),
    route: (server) => {
      gate.guard(server);
      routeSession(server, { gate, accounts, sessions, rules, methods, least: roles[1] });
      if (oidc !== undefined) routeOidc(server, { oidc, rules, log, letIn, home: () => `${pagesUrl()}/` });
      routeAccounts(server, { accounts, tokens, sessions, all: roles[0] });
    },
    routeForOwner: (server) => {
      gate.keepTrail(server);
      routeAccounts(server, { accounts, tokens, sessions, all: roles[0] });
    },
    pagesUrl,
    announce: async (pagesUrl, terminal = process.stderr.isTTY ? process.stderr : null) => {
      listeningUrl = pagesUrl;
      await announceSetupLink({ accounts, stateFolder, log, terminal });
    },
  };
}
