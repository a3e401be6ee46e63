import type { AccountRole, ApiTokenView, MadeTokenView } from "@consilium/core/access/views";
import type { RandomSource } from "@consilium/core/random";
import { nameOf } from "@consilium/core/said";
import { fault } from "../../fault.js";
import type { AccessRecords, ApiTokenRecord } from "../../store/accessRecords.js";
import type { AccessEvent } from "./accounts.js";
import { mintSecret, secretHash } from "./secrets.js";

/** Lets scanners of repositories and logs recognise leaked tokens. */
const tokenPrefix = "consilium-api-";
/** The time of the last use is written at most this often. */
const touchMs = 60_000;
const maxTokens = 1_000;

/** Tokens of programs: each with a role, a label, and an end if it is given one. */
export class ApiTokens {
  readonly #context: {
    readonly records: AccessRecords;
    readonly roles: readonly AccountRole[];
    readonly random: RandomSource;
    readonly now: () => number;
    readonly record: (event: AccessEvent) => void;
  };

  constructor(context: {
    readonly records: AccessRecords;
    readonly roles: readonly AccountRole[];
    readonly random: RandomSource;
    readonly now: () => number;
    readonly record: (event: AccessEvent) => void;
  }) {
    this.#context = context;
  }

  list(): ApiTokenView[] {
    return this.#context.records.tokens().map(viewOf);
  }

  /** The token of a request, used by this; null if it is none or has expired. */
  find(token: string): ApiTokenRecord | null {
    const { records, now } = this.#context;
    const hash = secretHash(token);
    const found = hash === null ? null : records.token(hash);
    const at = now();
    if (found === null || (found.expiresAt !== null && found.expiresAt <= at)) return null;
    if (found.lastUsedAt === null || at - found.lastUsedAt >= touchMs) records.useToken(found.id, at);
    return found;
  }

  add(
    given: { readonly role: AccountRole; readonly label: string; readonly expiresInMs?: number | undefined },
    actor: string,
  ): MadeTokenView {
    const { records, roles, random, now, record } = this.#context;
    if (!roles.includes(given.role)) {
      throw fault(
        "FIELD_INVALID",
        "access.unknown-role",
        { role: nameOf(given.role) },
        { remedy: { code: "access.use-role", params: { roles: roles.map(nameOf) } } },
      );
    }
    if (records.tokens().length >= maxTokens) {
      throw fault("FIELD_INVALID", "access.tokens", { max: maxTokens }, "access.revoke-token");
    }
    const token = mintSecret(random, tokenPrefix);
    const made: ApiTokenRecord = {
      id: Buffer.from(random.bytes(6)).toString("hex"),
      hash: secretHash(token)!,
      role: given.role,
      label: given.label,
      createdBy: actor,
      createdAt: now(),
      expiresAt: given.expiresInMs === undefined ? null : now() + given.expiresInMs,
      lastUsedAt: null,
    };
    records.transaction(() => {
      records.addToken(made);
      record({ actor, kind: "token added", detail: `${made.id}, ${made.role}` });
    });
    return { ...viewOf(made), token };
  }

  /**
   * @returns its hash
   * @throws ConsiliumError API_TOKEN_UNKNOWN
   */
  revoke(id: string, actor: string): string {
    const { records, record } = this.#context;
    const token = records.tokens().find((each) => each.id === id);
    if (token === undefined) throw fault("API_TOKEN_UNKNOWN", "access.unknown-token", {});
    records.transaction(() => {
      records.removeToken(id);
      record({ actor, kind: "token revoked", detail: `${id}, ${token.role}` });
    });
    return token.hash;
  }
}

function viewOf(token: ApiTokenRecord): ApiTokenView {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const { id, role, label, createdBy } = token;
  return {
    id,
    role,
    label,
    createdBy,
    createdAt: new Date(token.createdAt).toISOString(),
    expiresAt: iso(token.expiresAt),
    lastUsedAt: iso(token.lastUsedAt),
  };
}
