import { toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import { parseStudyId, type StudyId } from "@consilium/core/ids";
import type { ReleaseWithdrawal } from "@consilium/core/operator/consoleViews";
import {
  signedWithdrawal,
  verifyWithdrawal,
  type Withdrawal,
  type WithdrawalStatus,
  withdrawnFault,
} from "@consilium/core/release/withdrawal";
import { unwrap } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import type { PublishedRelease__Output } from "@consilium/proto/generated/consilium/v1/PublishedRelease";
import { verifySigned } from "@consilium/release/verify";
import type { Identity } from "@consilium/runtime/identity/files";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import type { Logger } from "@consilium/runtime/log";
import { checksUnder } from "@consilium/runtime/release/verifyFolder";
import type { Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { signMessage } from "@consilium/secure-sum/crypto/sign";
import type { AggregatorSays } from "@consilium/words/says/aggregator";

const fault = faults<AggregatorSays>();
const sentence = sentences<AggregatorSays>();

/** The publisher's side of it: `Describe` and `Withdraw` of proto/consilium/v1/releases.proto. */
export interface PublishedReleases {
  /** @throws ConsiliumError RELEASE_UNKNOWN, PUBLISHER_UNREACHABLE */
  describe(release: string): Promise<PublishedRelease__Output>;
  /** @param file - the bytes of withdrawal.jws */
  withdraw(file: Uint8Array): Promise<void>;
}

export interface WithdrawalsContext {
  readonly store: Store;
  readonly publisher: PublishedReleases;
  readonly identity: () => Pick<Identity, "rootPem" | "chainPem" | "signingKey" | "federation">;
  readonly now: () => number;
  readonly log: Logger;
  /** The publisher shows it: the study's sites are to be told. */
  published(study: StudyId): void;
}

/** What an operator asks for. */
export interface WithdrawalRequest {
  readonly release: string;
  readonly status: WithdrawalStatus;
  readonly reason: string;
  readonly supersededBy: string | null;
  readonly actor: string;
}

interface Row {
  readonly release: string;
  readonly status: WithdrawalStatus;
  readonly reason: string;
  readonly supersededBy: string | null;
  readonly issuedAt: number;
  readonly actor: string;
  readonly file: Uint8Array;
  readonly deliveredAt: number | null;
}

const columns =
  "release, status, reason, superseded_by AS supersededBy, issued_at AS issuedAt, actor, file, delivered_at AS deliveredAt";

/**
 * Withdrawals of releases: signed by the key that signs releases, stored, then sent to the publisher until it has taken
 * them, over restarts of both.
 */
export class Withdrawals {
  readonly #context: WithdrawalsContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: WithdrawalsContext) {
    this.#context = context;
  }

  /** Oldest first. */
  list(): ReleaseWithdrawal[] {
    return this.#rows("true").map(viewOf);
  }

  /**
   * Withdraws a release, or says which one supersedes it. The same request again answers what was signed the first time.
   * @returns with `deliveredAt` null if the publisher went away in between: it is sent again then
   * @throws ConsiliumError RELEASE_UNKNOWN, RELEASE_WITHDRAWN or RELEASE_SUPERSEDED if something else was said of it before,
   *   FIELD_INVALID, PUBLISHER_UNREACHABLE
   */
  request(request: WithdrawalRequest): Promise<ReleaseWithdrawal> {
    return this.#serially(() => this.#request(request));
  }

  /** Sends what the publisher has yet to take. @param all - what it took before too: it may have been restored since */
  deliver(all = false): Promise<void> {
    return this.#serially(async () => {
      for (const row of this.#rows(all ? "true" : "delivered_at IS NULL")) {
        try {
          await this.#deliver(row);
        } catch (thrown) {
          const { log } = this.#context;
          log.warn(
            "cannot deliver a withdrawal; retrying",
            { release: row.release },
            toConsiliumError(thrown),
          );
        }
      }
    });
  }

  #serially<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #request(request: WithdrawalRequest): Promise<ReleaseWithdrawal> {
    const { release, status, supersededBy } = request;
    const before = this.#rows("release = ?", release);
    const same = before.find((row) => row.status === status);
    if (same !== undefined) {
      if (same.supersededBy !== supersededBy) throw conflict(same);
      return viewOf(await this.#deliverIfThere(same));
    }
    if (before.some((row) => row.status === "withdrawn")) throw conflict(before.at(-1)!);
    const { publisher, store, now, identity } = this.#context;
    const published = await publisher.describe(release);
    const certificateSha256 = this.#certified(release, published);
    if (published.withdrawal.length > 0) this.#demandSuccession(request, published.withdrawal);
    if (supersededBy !== null) await this.#demandSuccessor(release, supersededBy);
    const { federation, chainPem, signingKey } = identity();
    const issuedAt = now();
    const withdrawal: Withdrawal = {
      format: "consilium-withdrawal/1",
      federation,
      release,
      certificateSha256,
      status,
      reason: request.reason,
      issuedAt: new Date(issuedAt).toISOString(),
      supersededBy,
    };
    const file = signedWithdrawal(withdrawal, pemChainToDer(chainPem).slice(0, 2), (message) =>
      signMessage(signingKey, message),
    );
    store.run(
      `INSERT INTO withdrawals (release, status, reason, superseded_by, issued_at, actor, file)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      release,
      status,
      request.reason,
      supersededBy,
      issuedAt,
      request.actor,
      file,
    );
    return viewOf(await this.#deliverIfThere(this.#row(release, status)));
  }

  /**
   * That the publisher has this release of this federation. A certificate whose figures are wrong is one to withdraw, so
   * only its signature is verified.
   * @returns the SHA-256 of its certificate.json
   */
  #certified(release: string, { certificate, signature }: PublishedRelease__Output): string {
    const { rootPem } = this.#context.identity();
    const signed = unwrap(verifySigned({ certificate, signature, ...checksUnder(rootPem) }));
    if (signed.certificate.release !== release)
      throw fault("RELEASE_CORRUPT", "released.other", { release: nameOf(release) });
    return sha256(certificate);
  }

  /** The store of this aggregator may be older than what it has signed. */
  #demandSuccession({ status }: WithdrawalRequest, file: Uint8Array): void {
    const { identify } = checksUnder(this.#context.identity().rootPem);
    const { withdrawal } = unwrap(verifyWithdrawal(file, { identify, of: null }));
    if (withdrawal.status === "withdrawn" || status === "superseded") throw conflict(withdrawal);
  }

  async #demandSuccessor(release: string, successor: string): Promise<void> {
    if (successor === release) {
      const remedy = sentence("released.name-other", {});
      throw fault("FIELD_INVALID", "released.by-itself", { release: nameOf(release) }, { remedy });
    }
    const published = await this.#context.publisher.describe(successor).catch((thrown: unknown) => {
      const error = toConsiliumError(thrown);
      if (error.code !== "RELEASE_UNKNOWN") throw error;
      throw fault("RELEASE_UNKNOWN", "released.unknown", { release: nameOf(successor) });
    });
    this.#certified(successor, published);
  }

  async #deliverIfThere(row: Row): Promise<Row> {
    try {
      await this.#deliver(row);
    } catch (thrown) {
      const error = toConsiliumError(thrown);
      if (error.code === "PUBLISHER_UNREACHABLE" || error.code === "DISK_FULL") {
        this.#context.log.warn("cannot deliver a withdrawal; retrying", { release: row.release }, error);
        return row;
      }
      // It will never take it: nothing was said of the release.
      const { release, status } = row;
      const sql = "DELETE FROM withdrawals WHERE release = ? AND status = ? AND delivered_at IS NULL";
      this.#context.store.run(sql, release, status);
      throw error;
    }
    return this.#row(row.release, row.status);
  }

  async #deliver({ release, status, file, deliveredAt }: Row): Promise<void> {
    const { publisher, store, now, published } = this.#context;
    await publisher.withdraw(file);
    if (deliveredAt !== null) return;
    const sql = "UPDATE withdrawals SET delivered_at = ? WHERE release = ? AND status = ?";
    store.run(sql, now(), release, status);
    const study = parseStudyId(release);
    if (study.ok) published(study.value);
  }

  #row(release: string, status: WithdrawalStatus): Row {
    return this.#rows("release = ? AND status = ?", release, status)[0]!;
  }

  #rows(where: string, ...values: string[]): Row[] {
    const sql = `SELECT ${columns} FROM withdrawals WHERE ${where} ORDER BY id`;
    return this.#context.store.all(sql, ...values) as unknown as Row[];
  }
}

function conflict(
  said: Pick<Row | Withdrawal, "release" | "status" | "reason" | "supersededBy" | "issuedAt">,
) {
  if (said.status === "withdrawn")
    return withdrawnFault({ ...said, issuedAt: new Date(said.issuedAt).toISOString() });
  const params = { release: nameOf(said.release), by: nameOf(`${said.supersededBy}`) };
  const remedy = sentence("released.withdraw-instead", {});
  return fault("RELEASE_SUPERSEDED", "released.superseded", params, { remedy });
}

function viewOf({ file: _, issuedAt, deliveredAt, ...row }: Row): ReleaseWithdrawal {
  return {
    ...row,
    issuedAt: new Date(issuedAt).toISOString(),
    deliveredAt: deliveredAt === null ? null : new Date(deliveredAt).toISOString(),
  };
}
