import type { ServerResponse } from "node:http";
import type { AccountRole, AccountView, OneTimeLinkView, SetupLinkView } from "@consilium/core/access/views";
import type { ConsiliumError } from "@consilium/core/errors";
import type { RandomSource } from "@consilium/core/random";
import { nameOf } from "@consilium/core/said";
import { fault } from "../../fault.js";
import type { AccessRecords, AccountRecord, SetupLinkRecord } from "../../store/accessRecords.js";
import { Attempts } from "./attempts.js";
import type { Passwords } from "./password.js";
import { mintSecret, secretHash } from "./secrets.js";
import type { OpenSession, Sessions } from "./sessions.js";

const linkLifetimeMs = 24 * 3_600_000;
/** A browser is known at an account for so long after it has signed in there. */
export const deviceLifetimeMs = 180 * 86_400_000;

/** Records an action in the process's audit log. */
export interface AccessEvent {
  readonly actor: string | null;
  readonly kind: string;
  readonly detail: string;
}

interface AccountsContext {
  readonly records: AccessRecords;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  /** The first has full access. */
  readonly roles: readonly [AccountRole, ...AccountRole[]];
  readonly random: RandomSource;
  readonly now: () => number;
  /** The address at which browsers reach the pages, without a slash at the end. */
  readonly pagesUrl: () => string;
  readonly record: (event: AccessEvent) => void;
  /** The link of the first run has done its work, or will never do it. */
  readonly onFirstAccount?: () => Promise<void>;
}

export interface SignedIn {
  readonly secret: string;
  readonly session: OpenSession;
  readonly account: AccountRecord;
  /** For a cookie of its own, by which the browser is known at this account from now on. Null without a password. */
  readonly device: string | null;
}

/** Who has an account here, and what proves it. */
export class Accounts {
  readonly #context: AccountsContext;
  readonly #attempts: Attempts;

  constructor(context: AccountsContext) {
    this.#context = context;
    this.#attempts = new Attempts(context.now);
  }

  /** Whether nobody can sign in yet. */
  get isEmpty(): boolean {
    return !this.#context.records.accounts().some(isUsable);
  }

  list(): AccountView[] {
    return this.#context.records.accounts().map(viewOf);
  }

  get(name: string): AccountRecord | null {
    return this.#context.records.account(name);
  }

  /**
   * @param from.device - what the browser's device cookie holds
   * @throws ConsiliumError SIGN_IN_FAILED, RATE_LIMITED, SIGN_IN_BUSY
   */
  async signIn(
    given: { readonly name: string; readonly password: string },
    from: { readonly address: string; readonly device: string | undefined },
  ): Promise<SignedIn> {
    const { records, passwords, record } = this.#context;
    const name = given.name.toLowerCase();
    const account = records.account(name);
    const device = account === null ? null : this.#knownDevice(from.device, account.name);
    const succeed = this.#attempts.begin({ address: from.address, account: name, device });
    if (!(await passwords.verify(given.password, account?.password ?? null, device !== null))) {
      if (account !== null) record({ actor: null, kind: "sign-in failed", detail: account.name });
      throw fault("SIGN_IN_FAILED", "access.wrong-password", {});
    }
    succeed();
    // It may have been removed, or its password changed, while the hash was made.
    const current = records.account(name);
    if (current === null || current.password !== account!.password) {
      throw fault("SIGN_IN_FAILED", "access.changed", {});
    }
    return this.begin(current, "signed in");
  }

  /** Begins a session of an account that has proved to be there. */
  begin(account: AccountRecord, kind: string): SignedIn {
    const { records, sessions, random, now, record } = this.#context;
    const device = account.password === null ? null : mintSecret(random);
    const opened = records.transaction(() => {
      records.signedIn(account.name, now());
      if (device !== null) records.addDevice(secretHash(device)!, account.name, now());
      record({ actor: account.name, kind, detail: "" });
      return sessions.open({ account: account.name });
    });
    return { ...opened, account, device };
  }

  /**
   * Every other session of the account ends, and so does this one: a new one begins.
   * @param keep - the answer to this very request
   * @throws ConsiliumError SIGN_IN_FAILED, RATE_LIMITED, SIGN_IN_BUSY
   */
  async changePassword(
    account: string,
    given: { readonly current: string; readonly password: string },
    from: { readonly address: string; readonly device: string | undefined },
    keep?: ServerResponse,
  ): Promise<SignedIn> {
    const { records, passwords, sessions } = this.#context;
    const before = this.#account(account);
    const device = this.#knownDevice(from.device, account);
    const succeed = this.#attempts.begin({ address: from.address, account, device });
    if (!(await passwords.verify(given.current, before.password, device !== null))) {
      throw fault("SIGN_IN_FAILED", "access.wrong-current", {});
    }
    succeed();
    const password = await passwords.hash(given.password);
    if (records.account(account)?.password !== before.password) {
      throw fault("SIGN_IN_FAILED", "access.changed", {});
    }
    records.setPassword(account, password);
    records.removeLinksOf(account);
    sessions.endOf(account, { keep });
    return this.begin(this.#account(account), "password changed");
  }

  /** The first run's link, made where there is no account yet; a former one is worth nothing then. */
  firstLink(): OneTimeLinkView {
    this.#context.records.removeFirstLinks();
    return this.#makeLink({ account: null, role: this.#context.roles[0], isFirst: true });
  }

  /** A link by which somebody makes an account and chooses its name. */
  openLink(role: AccountRole, actor: string): OneTimeLinkView {
    this.#requireRole(role);
    const link = this.#makeLink({ account: null, role, isFirst: false });
    this.#context.record({ actor, kind: "one-time link made", detail: role });
    return link;
  }

  /** A link to set a password, which ends every session of the account. Until then the present one continues. */
  linkFor(name: string, actor: string): OneTimeLinkView {
    const { records, record } = this.#context;
    const account = this.#account(name);
    this.#requirePasswords(account);
    records.removeLinksOf(name);
    const link = this.#makeLink({ account: name, role: account.role, isFirst: false });
    record({ actor, kind: "one-time link made", detail: name });
    return link;
  }

  /** An account without a password, and the link by which its person sets one. */
  add(name: string, role: AccountRole, actor: string): OneTimeLinkView {
    const { records, record, now } = this.#context;
    this.#requireRole(role);
    return records.transaction(() => {
      this.#insert({ name, role, password: null, oidcIssuer: null, oidcSubject: null, createdAt: now() });
      record({ actor, kind: "account added", detail: `${name}, ${role}` });
      return this.#makeLink({ account: name, role, isFirst: false });
    });
  }

  setRole(name: string, role: AccountRole, actor: string): AccountView {
    const { records, record } = this.#context;
    this.#requireRole(role);
    const account = this.#account(name);
    if (account.role !== role) {
      if (role !== this.#context.roles[0]) this.#requireAnother(account);
      records.transaction(() => {
        records.setRole(name, role);
        records.removeLinksOf(name);
        record({ actor, kind: "role changed", detail: `${name}, ${role}` });
      });
    }
    return viewOf(this.#account(name));
  }

  remove(name: string, actor: string, keep?: ServerResponse): void {
    const { records, sessions, record } = this.#context;
    const account = this.#account(name);
    this.#requireAnother(account);
    sessions.endOf(name, { keep });
    records.transaction(() => {
      records.removeAccount(name);
      record({ actor, kind: "account removed", detail: name });
    });
  }

  /** @throws ConsiliumError LINK_INVALID */
  showLink(secret: string): SetupLinkView {
    const { account, role, expiresAt } = this.#link(secret);
    return { name: account, role, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Whether a secret is that of a link which can be used. */
  isLink(secret: string): boolean {
    const hash = secretHash(secret);
    const link = hash === null ? null : this.#context.records.link(hash);
    return link !== null && link.expiresAt > this.#context.now();
  }

  /**
   * Uses a one-time link: makes its account, or sets the password of the one that it is for. Of several who use it at
   * once one succeeds.
   * @throws ConsiliumError LINK_INVALID, ACCOUNT_EXISTS, SIGN_IN_BUSY
   */
  async useLink(given: {
    readonly secret: string;
    readonly name: string;
    readonly password: string;
  }): Promise<SignedIn> {
    const { records, passwords, sessions, record, now, onFirstAccount } = this.#context;
    const before = this.#link(given.secret);
    if (before.account !== null && before.account !== given.name) {
      throw fault("FIELD_INVALID", "access.other-link", {}, "access.keep-name");
    }
    // Before the time-consuming part, so that a name that is taken costs nothing.
    if (before.account === null) this.#requireFree(given.name);
    const password = await passwords.hash(given.password);
    const link = records.transaction(() => {
      const link = this.#link(given.secret);
      if (!records.removeLink(link.hash)) throw linkInvalid();
      if (link.account === null) {
        const { role } = link;
        this.#insert({
          name: given.name,
          role,
          password,
          oidcIssuer: null,
          oidcSubject: null,
          createdAt: now(),
        });
        record({ actor: given.name, kind: "account made by one-time link", detail: role });
      } else {
        records.setPassword(link.account, password);
        record({ actor: link.account, kind: "password set by one-time link", detail: "" });
      }
      records.removeFirstLinks();
      return link;
    });
    if (link.account !== null) sessions.endOf(link.account);
    await onFirstAccount?.();
    return this.begin(this.#account(given.name), "signed in");
  }

  /**
   * The account of somebody whom the identity provider vouches for, made at the first time. Its role follows the
   * provider's groups at every sign-in.
   * @param suggested - the name that the provider gives; another is taken where an account has it
   */
  ofSubject(subject: {
    readonly issuer: string;
    readonly subject: string;
    readonly suggested: string;
    readonly role: AccountRole;
  }): AccountRecord {
    const { records, record, now, onFirstAccount } = this.#context;
    return records.transaction(() => {
      const known = records.accountOfSubject(subject.issuer, subject.subject);
      if (known !== null) {
        if (known.role !== subject.role) {
          records.setRole(known.name, subject.role);
          record({ actor: null, kind: "role changed", detail: `${known.name}, ${subject.role}` });
        }
        return this.#account(known.name);
      }
      const name = this.#freeName(subject.suggested);
      this.#insert({
        name,
        role: subject.role,
        password: null,
        oidcIssuer: subject.issuer,
        oidcSubject: subject.subject,
        createdAt: now(),
      });
      record({ actor: name, kind: "account made by identity provider", detail: subject.role });
      records.removeFirstLinks();
      void onFirstAccount?.();
      return this.#account(name);
    });
  }

  #makeLink(link: {
    readonly account: string | null;
    readonly role: AccountRole;
    readonly isFirst: boolean;
  }): OneTimeLinkView {
    const { records, random, now, pagesUrl } = this.#context;
    records.removeExpiredLinks(now());
    const secret = mintSecret(random);
    const expiresAt = now() + linkLifetimeMs;
    const { account, role, isFirst } = link;
    records.addLink({ hash: secretHash(secret)!, account, role, isFirst: isFirst ? 1 : 0, expiresAt });
    return {
      name: account,
      role,
      expiresAt: new Date(expiresAt).toISOString(),
      url: `${pagesUrl()}/setup#${secret}`,
    };
  }

  #link(secret: string): SetupLinkRecord {
    const hash = secretHash(secret);
    const link = hash === null ? null : this.#context.records.link(hash);
    if (link === null || link.expiresAt <= this.#context.now()) throw linkInvalid();
    return link;
  }

  #insert(account: Omit<AccountRecord, "lastSignInAt">): void {
    this.#requireFree(account.name);
    this.#context.records.addAccount({ ...account, lastSignInAt: null });
  }

  #requireFree(name: string): void {
    if (this.#context.records.account(name) === null) return;
    throw fault("ACCOUNT_EXISTS", "access.exists", { account: nameOf(name) });
  }

  #freeName(suggested: string): string {
    const base =
      suggested
        .toLowerCase()
        .replace(/[^a-z0-9._@-]+/g, "-")
        .slice(0, 58)
        .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "") || "person";
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}-${number}`;
      if (this.#context.records.account(name) === null) return name;
    }
  }

  #account(name: string): AccountRecord {
    const account = this.#context.records.account(name);
    if (account === null) throw fault("ACCOUNT_UNKNOWN", "access.unknown", {});
    return account;
  }

  #requireRole(role: AccountRole): void {
    const { roles } = this.#context;
    if (roles.includes(role)) return;
    throw fault(
      "FIELD_INVALID",
      "access.unknown-role",
      { role: nameOf(role) },
      { remedy: { code: "access.use-role", params: { roles: roles.map(nameOf) } } },
    );
  }

  #requirePasswords(account: AccountRecord): void {
    if (account.oidcIssuer === null) return;
    throw fault(
      "FIELD_INVALID",
      "access.elsewhere",
      { account: nameOf(account.name) },
      "access.change-there",
    );
  }

  /** The last account with full access cannot be removed. */
  #requireAnother(account: AccountRecord): void {
    const [all] = this.#context.roles;
    const others = this.#context.records
      .accounts()
      .filter((other) => other.role === all && other.name !== account.name && isUsable(other));
    if (account.role !== all || !isUsable(account) || others.length > 0) return;
    throw fault("ACCOUNT_LAST", "access.last", { account: nameOf(account.name), role: nameOf(all) });
  }

  #knownDevice(device: string | undefined, account: string): string | null {
    const hash = secretHash(device);
    const { records, now } = this.#context;
    return hash !== null && records.isDeviceOf(hash, account, now() - deviceLifetimeMs) ? hash : null;
  }
}

function linkInvalid(): ConsiliumError {
  return fault("LINK_INVALID", "access.link", {});
}

/** Whether its person can sign in: a link is not yet a password. */
function isUsable({ password, oidcIssuer }: AccountRecord): boolean {
  return password !== null || oidcIssuer !== null;
}

function viewOf(account: AccountRecord): AccountView {
  const { name, role, createdAt, lastSignInAt, password, oidcIssuer } = account;
  return {
    name,
    role,
    createdAt: new Date(createdAt).toISOString(),
    lastSignInAt: lastSignInAt === null ? null : new Date(lastSignInAt).toISOString(),
    method: oidcIssuer !== null ? "oidc" : password === null ? "link" : "password",
  };
}
