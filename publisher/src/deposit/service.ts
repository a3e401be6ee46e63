import { ConsiliumError, toConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import { unwrap } from "@consilium/core/result";
import type { DepositReply } from "@consilium/proto/generated/consilium/v1/DepositReply";
import type { DepositRequest__Output } from "@consilium/proto/generated/consilium/v1/DepositRequest";
import type { ReleasesHandlers } from "@consilium/proto/generated/consilium/v1/Releases";
import { toServiceError } from "@consilium/proto/serviceError";
import { spokenError } from "@consilium/runtime/http/spoken";
import type { PeerIdentity } from "@consilium/runtime/identity/verify";
import type { ServerCall } from "@consilium/runtime/tls/peer";
import type { ServerDuplexStream, sendUnaryData } from "@grpc/grpc-js";
import type { MembersOnFile } from "../catalogue/publishedMembers.js";
import { type Depositing, receiveDeposit } from "./receive.js";
import type { Withdrawing } from "./withdraw.js";

type DepositCall = ServerDuplexStream<DepositRequest__Output, DepositReply>;

interface DepositServiceOptions extends Omit<Depositing, "peer"> {
  /** Who calls, if an aggregator of this federation. */
  authorise(call: ServerCall): Result<PeerIdentity, ConsiliumError>;
  /** Longest wait for the depositor's next message. */
  readonly idleTimeoutMs: number;
  readonly withdrawing: Withdrawing;
  readonly members: Pick<MembersOnFile, "replace">;
  /** Called after each deposit, with undefined when it went well. */
  onEnded(error: ConsiliumError | undefined): void;
}

/** The handlers of `Releases`. */
export function depositService(options: DepositServiceOptions): ReleasesHandlers {
  const { withdrawing, members, disk } = options;
  const answer = <Response>(
    call: ServerCall,
    callback: sendUnaryData<Response>,
    work: () => Promise<Response>,
  ) => {
    const answered = async () => {
      unwrap(options.authorise(call));
      return work();
    };
    answered().then(
      (response) => callback(null, response),
      (thrown: unknown) => callback(spokenAnswer(disk.failure(thrown)), null),
    );
  };
  return {
    Deposit(call: DepositCall) {
      void serve(call, options);
    },
    Describe(call, callback) {
      answer(call, callback, () => withdrawing.describe(call.request.releaseId));
    },
    Withdraw(call, callback) {
      answer(call, callback, async () => {
        await withdrawing.withdraw(call.request.withdrawal);
        return {};
      });
    },
    PublishMembers(call, callback) {
      answer(call, callback, async () => {
        await members.replace(Uint8Array.from(call.request.list));
        return {};
      });
    },
  };
}

async function serve(call: DepositCall, options: DepositServiceOptions): Promise<void> {
  try {
    const peer = unwrap(options.authorise(call));
    await receiveDeposit(requestsOf(call, options), replierOf(call), { ...options, peer });
    call.end();
    options.onEnded(undefined);
  } catch (thrown) {
    const error = call.cancelled
      ? new ConsiliumError("UPLOAD_TRUNCATED", "deposit: the depositor disconnected", { cause: thrown })
      : toConsiliumError(options.disk.failure(thrown));
    call.emit("error", spokenAnswer(error));
    options.onEnded(error);
  }
}

/**
 * Pulls one request at a time, so that gRPC's flow control holds the depositor back while the disk is busy. A deposit may
 * take hours: its certificate is judged at each message, the last one before the release is shown included.
 */
function requestsOf(
  call: DepositCall,
  { idleTimeoutMs, authorise }: DepositServiceOptions,
): () => Promise<DepositRequest__Output | undefined> {
  // An iterator that has come to the end destroys its stream, and with it the answer to a deposit that ended early.
  const iterator = call.iterator({ destroyOnReturn: false }) as AsyncIterator<DepositRequest__Output>;
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new ConsiliumError("UPLOAD_TRUNCATED", `deposit: stalled for ${idleTimeoutMs / 1000} s`));
      }, idleTimeoutMs);
    });
    try {
      const next = await Promise.race([iterator.next(), idle]);
      if (next.done) return undefined;
      unwrap(authorise(call));
      return next.value;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Of a call that has ended gRPC forgets what is written, and calls nobody back. */
export function replierOf(call: DepositCall): (reply: DepositReply) => Promise<void> {
  return (reply) =>
    new Promise((resolve, reject) => {
      const gone = () =>
        reject(new ConsiliumError("UPLOAD_TRUNCATED", "deposit: the depositor disconnected"));
      if (call.cancelled) return gone();
      call.once("cancelled", gone);
      call.write(reply, (cause: unknown) => {
        call.off("cancelled", gone);
        if (cause) reject(cause);
        else resolve();
      });
    });
}

/** Aggregators are answered in English: a code of this version may be one that theirs has no words for. */
function spokenAnswer(thrown: unknown): ReturnType<typeof toServiceError> {
  return toServiceError(spokenError(toConsiliumError(thrown)));
}
