import type { AccountRole } from "@consilium/core/access/views";
import type { PeopleView } from "@consilium/core/hospital/agentApi";
import type { Store } from "./store.js";

export interface AccountRecord {
  readonly name: string;
  readonly role: AccountRole;
  readonly password: string | null;
  readonly oidcIssuer: string | null;
  readonly oidcSubject: string | null;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

interface SessionRecord {
  readonly hash: string;
  readonly account: string | null;
  readonly holder: string | null;
  readonly createdAt: number;
  readonly usedAt: number;
}

export interface ApiTokenRecord {
  readonly id: string;
  readonly hash: string;
  readonly role: AccountRole;
  readonly label: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface SetupLinkRecord {
  readonly hash: string;
  readonly account: string | null;
  readonly role: AccountRole;
  readonly isFirst: number;
  readonly expiresAt: number;
}

/** Who may use a site's console, in counts. */
export function peopleOf(records: Pick<AccessRecords, "accounts" | "tokens">): PeopleView {
  const accounts = records.accounts();
  return {
    administrators: accounts.filter(({ role }) => role === "administrator").length,
    approvers: accounts.filter(({ role }) => role === "approver").length,
    byProvider: accounts.filter(({ oidcSubject }) => oidcSubject !== null).length,
    tokens: records.tokens().length,
  };
}

/** Kept per account; the oldest go first. */
const maxSessions = 20;
const maxDevices = 20;

const accountColumns = `name, role, password, oidc_issuer AS oidcIssuer, oidc_subject AS oidcSubject,
  created_at AS createdAt, last_sign_in_at AS lastSignInAt`;
const sessionColumns = "hash, account, holder, created_at AS createdAt, used_at AS usedAt";
const tokenColumns = `id, hash, role, label, created_by AS createdBy, created_at AS createdAt,
  expires_at AS expiresAt, last_used_at AS lastUsedAt`;
const linkColumns = "hash, account, role, is_first AS isFirst, expires_at AS expiresAt";

export class AccessRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  transaction<T>(work: () => T): T {
    return this.#store.transaction(work);
  }

  accounts(): AccountRecord[] {
    return this.#store.all(
      `SELECT ${accountColumns} FROM accounts ORDER BY name`,
    ) as unknown as AccountRecord[];
  }

  account(name: string): AccountRecord | null {
    return (
      (this.#store.get(`SELECT ${accountColumns} FROM accounts WHERE name = ?`, name) as unknown as
        | AccountRecord
        | undefined) ?? null
    );
  }

  accountOfSubject(issuer: string, subject: string): AccountRecord | null {
    return (
      (this.#store.get(
        `SELECT ${accountColumns} FROM accounts WHERE oidc_issuer = ? AND oidc_subject = ?`,
        issuer,
        subject,
      ) as unknown as AccountRecord | undefined) ?? null
    );
  }

  addAccount(account: AccountRecord): void {
    this.#store.run(
      `INSERT INTO accounts (name, role, password, oidc_issuer, oidc_subject, created_at, last_sign_in_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      account.name,
      account.role,
      account.password,
      account.oidcIssuer,
      account.oidcSubject,
      account.createdAt,
      account.lastSignInAt,
    );
  }

  setPassword(name: string, password: string): void {
    this.#store.run("UPDATE accounts SET password = ? WHERE name = ?", password, name);
  }

  setRole(name: string, role: AccountRole): void {
    this.#store.run("UPDATE accounts SET role = ? WHERE name = ?", role, name);
  }

  signedIn(name: string, at: number): void {
    this.#store.run("UPDATE accounts SET last_sign_in_at = ? WHERE name = ?", at, name);
  }

  /** With its sessions, devices and links. */
  removeAccount(name: string): boolean {
    return this.#store.run("DELETE FROM accounts WHERE name = ?", name) > 0;
  }

  session(hash: string): SessionRecord | null {
    return (
      (this.#store.get(`SELECT ${sessionColumns} FROM sessions WHERE hash = ?`, hash) as unknown as
        | SessionRecord
        | undefined) ?? null
    );
  }

  addSession(session: SessionRecord): void {
    this.#store.transaction(() => {
      this.#store.run(
        "INSERT INTO sessions (hash, account, holder, created_at, used_at) VALUES (?, ?, ?, ?, ?)",
        session.hash,
        session.account,
        session.holder,
        session.createdAt,
        session.usedAt,
      );
      if (session.account !== null) this.#keepNewest("sessions", session.account, maxSessions);
    });
  }

  useSession(hash: string, at: number): void {
    this.#store.run("UPDATE sessions SET used_at = ? WHERE hash = ?", at, hash);
  }

  removeSession(hash: string): void {
    this.#store.run("DELETE FROM sessions WHERE hash = ?", hash);
  }

  sessionsOf(account: string): string[] {
    return this.#store
      .all("SELECT hash FROM sessions WHERE account = ?", account)
      .map(({ hash }) => String(hash));
  }

  removeOldestSession(): void {
    this.#store.run(
      "DELETE FROM sessions WHERE hash = (SELECT hash FROM sessions ORDER BY used_at, hash LIMIT 1)",
    );
  }

  removeSessionsOf(account: string): void {
    this.#store.run("DELETE FROM sessions WHERE account = ?", account);
  }

  /** Those that began or were last used too long ago. */
  removeStaleSessions(createdBefore: number, usedBefore: number): void {
    this.#store.run("DELETE FROM sessions WHERE created_at <= ? OR used_at <= ?", createdBefore, usedBefore);
  }

  sessionCount(): number {
    return Number(this.#store.get("SELECT COUNT(*) AS n FROM sessions")?.n);
  }

  addDevice(hash: string, account: string, at: number): void {
    this.#store.transaction(() => {
      this.#store.run("INSERT INTO devices (hash, account, created_at) VALUES (?, ?, ?)", hash, account, at);
      this.#keepNewest("devices", account, maxDevices);
    });
  }

  isDeviceOf(hash: string, account: string, createdAfter: number): boolean {
    const found = this.#store.get(
      "SELECT 1 AS n FROM devices WHERE hash = ? AND account = ? AND created_at > ?",
      hash,
      account,
      createdAfter,
    );
    return found !== undefined;
  }

  tokens(): ApiTokenRecord[] {
    return this.#store.all(
      `SELECT ${tokenColumns} FROM api_tokens ORDER BY created_at, id`,
    ) as unknown as ApiTokenRecord[];
  }

  token(hash: string): ApiTokenRecord | null {
    return (
      (this.#store.get(`SELECT ${tokenColumns} FROM api_tokens WHERE hash = ?`, hash) as unknown as
        | ApiTokenRecord
        | undefined) ?? null
    );
  }

  addToken(token: ApiTokenRecord): void {
    this.#store.run(
      `INSERT INTO api_tokens (id, hash, role, label, created_by, created_at, expires_at, last_used_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      token.id,
      token.hash,
      token.role,
      token.label,
      token.createdBy,
      token.createdAt,
      token.expiresAt,
      token.lastUsedAt,
    );
  }

  useToken(id: string, at: number): void {
    this.#store.run("UPDATE api_tokens SET last_used_at = ? WHERE id = ?", at, id);
  }

  removeToken(id: string): boolean {
    return this.#store.run("DELETE FROM api_tokens WHERE id = ?", id) > 0;
  }

  link(hash: string): SetupLinkRecord | null {
    return (
      (this.#store.get(`SELECT ${linkColumns} FROM setup_links WHERE hash = ?`, hash) as unknown as
        | SetupLinkRecord
        | undefined) ?? null
    );
  }

  addLink(link: SetupLinkRecord): void {
    this.#store.run(
      "INSERT INTO setup_links (hash, account, role, is_first, expires_at) VALUES (?, ?, ?, ?, ?)",
      link.hash,
      link.account,
      link.role,
      link.isFirst,
      link.expiresAt,
    );
  }

  /** @returns whether it was there: of two who use it at once, one is told so */
  removeLink(hash: string): boolean {
    return this.#store.run("DELETE FROM setup_links WHERE hash = ?", hash) > 0;
  }

  removeLinksOf(account: string): void {
    this.#store.run("DELETE FROM setup_links WHERE account = ?", account);
  }

  removeFirstLinks(): void {
    this.#store.run("DELETE FROM setup_links WHERE is_first = 1");
  }

  removeExpiredLinks(now: number): void {
    this.#store.run("DELETE FROM setup_links WHERE expires_at <= ?", now);
  }

  #keepNewest(table: "sessions" | "devices", account: string, count: number): void {
    this.#store.run(
      `DELETE FROM ${table} WHERE account = ? AND hash NOT IN
         (SELECT hash FROM ${table} WHERE account = ? ORDER BY created_at DESC, hash LIMIT ?)`,
      account,
      account,
      count,
    );
  }
}
