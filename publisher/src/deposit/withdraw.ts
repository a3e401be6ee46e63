import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { certificateFile, signatureFile } from "@consilium/core/release/certificate";
import { releaseIdPattern } from "@consilium/core/release/content";
import {
  verifyWithdrawal,
  type Withdrawal,
  withdrawalFileMaxBytes,
  withdrawnFault,
} from "@consilium/core/release/withdrawal";
import { unwrap } from "@consilium/core/result";
import type { PublishedRelease } from "@consilium/proto/generated/consilium/v1/PublishedRelease";
import { identifySigner } from "@consilium/runtime/release/verifyFolder";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { ReleaseStore } from "../catalogue/store.js";
import type { WithdrawalLog } from "../catalogue/withdrawalLog.js";

export interface WithdrawingOptions {
  readonly store: Pick<ReleaseStore, "folderOf" | "has">;
  readonly withdrawals: WithdrawalLog;
  readonly rootPem: string;
  /** Called once a withdrawal is durable. */
  onWithdrawn(withdrawal: Withdrawal): void;
}

/** Takes signed withdrawals, one after another. */
export class Withdrawing {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: WithdrawingOptions) {}

  /** What is published under an id. @throws ConsiliumError RELEASE_UNKNOWN */
  async describe(id: string): Promise<PublishedRelease> {
    const folder = await this.#folderOf(id);
    return {
      certificate: await readFile(join(folder, certificateFile)),
      signature: await readFile(join(folder, signatureFile)),
      withdrawal: Buffer.from(this.options.withdrawals.get(id)?.file ?? []),
    };
  }

  /**
   * Durable, and shown, when this returns; the same bytes again change nothing. The signer need not be the aggregator that
   * calls: one that was given a new key sends what it signed under the former one again.
   * @param file - the bytes of withdrawal.jws
   * @throws ConsiliumError RELEASE_UNKNOWN, RELEASE_CORRUPT for a statement that is forged or of something else,
   *   RELEASE_WITHDRAWN or RELEASE_SUPERSEDED where another was published before, FIELD_INVALID
   */
  withdraw(file: Uint8Array): Promise<void> {
    const next = this.#last.then(() => this.#withdraw(file));
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #withdraw(file: Uint8Array): Promise<void> {
    const { withdrawals, rootPem } = this.options;
    if (withdrawals.has(file)) return;
    if (file.length > withdrawalFileMaxBytes) {
      throw new ConsiliumError("FIELD_INVALID", `the withdrawal exceeds ${withdrawalFileMaxBytes} bytes`);
    }
    const identify = identifySigner(rootPem);
    const { withdrawal } = unwrap(verifyWithdrawal(file, { identify, of: null }));
    const { release, supersededBy } = withdrawal;
    const certificate = await readFile(join(await this.#folderOf(release), certificateFile));
    unwrap(verifyWithdrawal(file, { identify, of: { release, certificateSha256: sha256(certificate) } }));
    const before = withdrawals.get(release)?.withdrawal;
    if (before?.status === "withdrawn") throw withdrawnFault(before);
    if (before !== undefined && withdrawal.status === "superseded") {
      throw new ConsiliumError(
        "RELEASE_SUPERSEDED",
        `release ${release} is already superseded, by ${before.supersededBy}`,
        { remedy: "withdraw it, or supersede the release that took its place" },
      );
    }
    if (supersededBy !== null) await this.#demandSuccessor(release, supersededBy);
    await withdrawals.append({ withdrawal, file });
    this.options.onWithdrawn(withdrawal);
  }

  /** It must be there and in force, and not lead back to the release. */
  async #demandSuccessor(release: string, successor: string): Promise<void> {
    await this.#folderOf(successor);
    const { withdrawals } = this.options;
    const after = withdrawals.get(successor)?.withdrawal;
    if (after?.status === "withdrawn") throw withdrawnFault(after);
    for (let id: string | null | undefined = successor; id != null; ) {
      if (id === release) {
        throw new ConsiliumError(
          "FIELD_INVALID",
          `release ${successor} is itself superseded by ${release}, directly or through others`,
          { remedy: "name another release" },
        );
      }
      id = withdrawals.get(id)?.withdrawal.supersededBy;
    }
  }

  async #folderOf(id: string): Promise<string> {
    const { store } = this.options;
    if (releaseIdPattern.test(id) && (await store.has(id))) return store.folderOf(id);
    throw new ConsiliumError("RELEASE_UNKNOWN", "the publisher has no such release");
  }
}
