import type { ServerResponse } from "node:http";
import type { RandomSource } from "@consilium/core/random";
import type { AccessRecords } from "../../store/accessRecords.js";
import { csrfOf, mintSecret, secretHash } from "./secrets.js";

/** A session ends when it was not used for so long, */
export const sessionIdleMs = 8 * 3_600_000;
/** and so long after it began in any case. */
export const sessionLifetimeMs = 7 * 86_400_000;
/** The time of the last use is written at most this often. */
const touchMs = 60_000;
/** Sessions without an account that are kept in all: anyone who has a reader's token can make them. */
const maxSessions = 20_000;

/** Whose session it is: an account of this process, or somebody whom something else vouches for. */
type SessionHolder = { readonly account: string } | { readonly holder: string };

export interface OpenSession {
  readonly hash: string;
  readonly account: string | null;
  readonly holder: string | null;
  readonly csrf: string;
  readonly endsAt: number;
}

/** Sessions of browsers. What the cookie holds is a random secret; the store has its hash. */
export class Sessions {
  readonly #records: AccessRecords;
  readonly #random: RandomSource;
  readonly #now: () => number;
  /** Answers under way, such as streams of events: they end with the session. */
  readonly #answers = new Map<string, Set<ServerResponse>>();

  constructor(context: {
    readonly records: AccessRecords;
    readonly random: RandomSource;
    readonly now: () => number;
  }) {
    this.#records = context.records;
    this.#random = context.random;
    this.#now = context.now;
  }

  /** Begins a session, with a secret that nobody has seen before. */
  open(whose: SessionHolder): { readonly secret: string; readonly session: OpenSession } {
    const now = this.#now();
    this.#records.removeStaleSessions(now - sessionLifetimeMs, now - sessionIdleMs);
    if (this.#records.sessionCount() >= maxSessions) this.#records.removeOldestSession();
    const secret = mintSecret(this.#random);
    const hash = secretHash(secret)!;
    const account = "account" in whose ? whose.account : null;
    const holder = "holder" in whose ? whose.holder : null;
    this.#records.addSession({ hash, account, holder, createdAt: now, usedAt: now });
    return {
      secret,
      session: { hash, account, holder, csrf: csrfOf(secret), endsAt: now + sessionLifetimeMs },
    };
  }

  /** The session of a cookie, used by this; null if there is none or it has ended. */
  find(secret: string | undefined): OpenSession | null {
    const hash = secretHash(secret);
    const record = hash === null ? null : this.#records.session(hash);
    if (record === null) return null;
    const now = this.#now();
    const endsAt = record.createdAt + sessionLifetimeMs;
    if (now >= endsAt || now >= record.usedAt + sessionIdleMs) {
      this.end(record.hash);
      return null;
    }
    if (now - record.usedAt >= touchMs) this.#records.useSession(record.hash, now);
    const { account, holder } = record;
    return { hash: record.hash, account, holder, csrf: csrfOf(secret!), endsAt };
  }

  end(hash: string, keep?: ServerResponse): void {
    this.#records.removeSession(hash);
    this.closeAnswers(hash, keep);
  }

  /** Ends every session of an account. */
  endOf(account: string, options: { readonly keep?: ServerResponse | undefined } = {}): void {
    const ended = this.#records.sessionsOf(account);
    this.#records.removeSessionsOf(account);
    for (const hash of ended) this.closeAnswers(hash, options.keep);
  }

  /** Remembers an answer that is under way for a session's or a token's hash, so that it ends with it. */
  holdAnswer(hash: string, answer: ServerResponse): void {
    // A reader that has gone already sends no further close.
    if (answer.destroyed) return;
    const answers = this.#answers.get(hash) ?? new Set();
    this.#answers.set(hash, answers.add(answer));
    answer.once("close", () => {
      answers.delete(answer);
      if (answers.size === 0 && this.#answers.get(hash) === answers) this.#answers.delete(hash);
    });
  }

  closeAnswers(hash: string, keep?: ServerResponse): void {
    for (const answer of this.#answers.get(hash) ?? []) if (answer !== keep) answer.destroy();
  }
}
