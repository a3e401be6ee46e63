import { createReadStream } from "node:fs";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSha256, type Sha256 } from "@consilium/core/ids";
import { maxChunkBytes } from "@consilium/core/limits";
import { type ReleaseFile, releaseFileName } from "@consilium/core/release/certificate";
import { type ReleaseContent, releaseDataBytes } from "@consilium/core/release/content";
import type { DepositReply__Output } from "@consilium/proto/generated/consilium/v1/DepositReply";
import type { DepositRequest } from "@consilium/proto/generated/consilium/v1/DepositRequest";
import type { PublishedRelease__Output } from "@consilium/proto/generated/consilium/v1/PublishedRelease";
import type { ReleasesClient } from "@consilium/proto/generated/consilium/v1/Releases";
import { Releases } from "@consilium/proto/load";
import { fromServiceError } from "@consilium/proto/status";
import { proxyFromEnvironment } from "../network/proxy.js";
import type { Address } from "../tls/address.js";
import { clientChannel } from "../tls/clientCredentials.js";
import { depositMessageMaxBytes } from "./limits.js";

/**
 * A channel to a publisher, which must present a publisher's certificate of this federation. Close it after use.
 * @param options.identity - the aggregator's
 */
export function releasesClient(options: {
  readonly address: Address;
  readonly identity: { readonly tlsKeyPem: string; readonly chainPem: string };
  readonly rootPem: string;
}): ReleasesClient {
  const { identity, rootPem } = options;
  const proxy = proxyFromEnvironment(options.address, process.env);
  const channel = clientChannel(options.address, { identity, rootPem, serverRole: "publisher", proxy });
  return new Releases(channel.target, channel.credentials, {
    ...channel.options,
    "grpc.max_send_message_length": depositMessageMaxBytes,
  });
}

export interface Deposit {
  readonly client: ReleasesClient;
  readonly content: ReleaseContent;
  /** The rows as `releaseRowBytes` lays them out, row by row; null when the release has no columns. */
  readonly dataPath: string | null;
  /** Of the file at `dataPath`, or of no bytes. */
  readonly dataSha256: Sha256;
  /** The content's sums in its order, each as its bytes or the path of its file. */
  readonly sums: readonly (Uint8Array | string)[];
  /** Called once with what the publisher made of it, to list it in the certificate and sign that. */
  certify(files: readonly ReleaseFile[]): CertifiedFiles | Promise<CertifiedFiles>;
  readonly signal?: AbortSignal;
}

interface CertifiedFiles {
  /** The bytes of certificate.json. */
  readonly certificate: Uint8Array;
  /** The bytes of certificate.jws. */
  readonly signature: Uint8Array;
}

/** Most files a publisher may say it has of a release, sums included. */
const maxFiles = 10_100;

/**
 * Deposits a release at a publisher. It may be called again after any failure: nothing is visible until the whole
 * is, and a release that was committed already is answered as such.
 * @throws ConsiliumError PUBLISHER_UNREACHABLE when it is worth trying again, FIELD_INVALID for a malformed reply, or
 * the publisher's own code
 */
export async function deposit(options: Deposit): Promise<{ releaseId: string; url: string }> {
  try {
    return await converse(options);
  } catch (thrown) {
    throw depositFault(thrown);
  }
}

async function converse(options: Deposit): Promise<{ releaseId: string; url: string }> {
  const call = options.client.deposit();
  const abort = () => call.cancel();
  options.signal?.addEventListener("abort", abort, { once: true });
  // The iterator reports the failure of the call; an 'error' event without a listener would end the process.
  call.on("error", () => undefined);
  const replies = call[Symbol.asyncIterator]() as AsyncIterator<DepositReply__Output>;
  try {
    if (options.signal?.aborted) call.cancel();
    // Listening before sending: a publisher that has the release already answers the header and reads no further.
    const first = replies.next();
    const answered = { value: false };
    void first
      .catch(() => undefined)
      .then(() => {
        answered.value = true;
      });
    await send(call, {
      header: {
        content: JSON.stringify(options.content),
        dataBytes: releaseDataBytes(options.content),
        dataSha256: Buffer.from(options.dataSha256, "hex"),
      },
    });
    await sendData(call, options, answered);
    const reply = (await first).value as DepositReply__Output | undefined;
    if (reply?.part === "committed" && reply.committed) return committed(reply.committed, options);
    if (reply?.part !== "rendered" || !reply.rendered) throw unexpected("expected rendered or committed");
    const signed = await options.certify(readFiles(reply.rendered.files));
    await send(call, { certificate: { certificate: signed.certificate, signature: signed.signature } });
    const last = (await replies.next()).value as DepositReply__Output | undefined;
    if (last?.part !== "committed" || !last.committed) throw unexpected("no answer to the certificate");
    return committed(last.committed, options);
  } finally {
    options.signal?.removeEventListener("abort", abort);
    call.end();
    call.cancel();
  }
}

type DepositCall = ReturnType<ReleasesClient["deposit"]>;

/** Sends one message and waits until the transport takes more, or the call has ended. */
function send(call: DepositCall, message: DepositRequest): Promise<void> {
  if (call.destroyed || call.write(message)) return Promise.resolve();
  return new Promise((resolve) => {
    const events = ["drain", "status", "close"] as const;
    const done = () => {
      for (const event of events) call.off(event, done);
      resolve();
    };
    for (const event of events) call.on(event, done);
  });
}

async function sendData(
  call: DepositCall,
  { dataPath, sums }: Pick<Deposit, "dataPath" | "sums">,
  answered: { readonly value: boolean },
): Promise<void> {
  let offset = 0;
  // No chunk holds bytes of two of them.
  for (const content of dataPath === null ? sums : [dataPath, ...sums])
    for await (const data of chunksOf(content)) {
      if (answered.value) return;
      await send(call, { data: { offset, data } });
      offset += data.length;
    }
}

async function* chunksOf(content: Uint8Array | string): AsyncGenerator<Buffer> {
  if (typeof content === "string") yield* createReadStream(content, { highWaterMark: maxChunkBytes });
  else
    for (let at = 0; at < content.length; at += maxChunkBytes)
      yield Buffer.from(content.subarray(at, at + maxChunkBytes));
}

function unexpected(what: string): ConsiliumError {
  return new ConsiliumError("FIELD_INVALID", `the publisher's reply to a deposit: ${what}`);
}

function committed(
  reply: { readonly releaseId: string; readonly url: string },
  options: Deposit,
): { releaseId: string; url: string } {
  if (reply.releaseId !== options.content.id) throw unexpected("it is for another release");
  if (!URL.canParse(reply.url) || reply.url.length > 2000) throw unexpected("its URL is malformed");
  return { releaseId: reply.releaseId, url: reply.url };
}

function readFiles(
  files: readonly { readonly name: string; readonly bytes: number; readonly sha256: Buffer }[],
): ReleaseFile[] {
  if (files.length > maxFiles) throw unexpected(`${files.length} files, at most ${maxFiles} are allowed`);
  return files.map((file) => {
    const sha256 = parseSha256(file.sha256.toString("hex"));
    if (!sha256.ok || !releaseFileName.test(file.name) || !Number.isSafeInteger(file.bytes)) {
      throw unexpected("a rendered file's name, size or hash is malformed");
    }
    return { name: file.name, bytes: file.bytes, sha256: sha256.value };
  });
}

/** How long the publisher may take over one of the answers below, milliseconds. */
const answerTimeoutMs = 30_000;

type Answer<T> = (error: unknown, reply?: T) => void;

async function answered<T>(call: (deadline: number, callback: Answer<T>) => unknown): Promise<T> {
  try {
    return await new Promise<T>((resolve, reject) => {
      call(Date.now() + answerTimeoutMs, (error, reply) => (error ? reject(error) : resolve(reply!)));
    });
  } catch (thrown) {
    throw depositFault(thrown);
  }
}

/** What is published under an id. @throws ConsiliumError RELEASE_UNKNOWN, PUBLISHER_UNREACHABLE */
export function describeRelease(
  client: ReleasesClient,
  releaseId: string,
): Promise<PublishedRelease__Output> {
  return answered((deadline, callback) => client.describe({ releaseId }, { deadline }, callback));
}

/**
 * Publishes a withdrawal.
 * @param withdrawal - the bytes of withdrawal.jws
 * @throws ConsiliumError PUBLISHER_UNREACHABLE when it is worth trying again, or the publisher's own code
 */
export async function withdrawRelease(client: ReleasesClient, withdrawal: Uint8Array): Promise<void> {
  await answered((deadline, callback) =>
    client.withdraw({ withdrawal: Buffer.from(withdrawal) }, { deadline }, callback),
  );
}

/**
 * Publishes the list of the federation's members.
 * @param list - as `issueMembers` made it
 * @throws ConsiliumError PUBLISHER_UNREACHABLE when it is worth trying again, or the publisher's own code
 */
export async function publishMembers(client: ReleasesClient, list: Uint8Array): Promise<void> {
  await answered((deadline, callback) =>
    client.publishMembers({ list: Buffer.from(list) }, { deadline }, callback),
  );
}

/** A connection that broke is worth another try; what the publisher said itself is not. */
function depositFault(thrown: unknown): ConsiliumError {
  const error = fromServiceError(thrown);
  if (error.code !== "UNREACHABLE") return error;
  return new ConsiliumError("PUBLISHER_UNREACHABLE", "lost the connection to the publisher", {
    cause: thrown,
  });
}
