import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { maxChunkBytes } from "@consilium/core/limits";
import type { Methods } from "@consilium/core/method/methods";
import { type ReleaseFile, sumFile, sumsFolder } from "@consilium/core/release/certificate";
import {
  depositedBytes,
  parseReleaseContent,
  privacyStatementMost,
  type ReleaseContent,
  releaseDataBytes,
} from "@consilium/core/release/content";
import { firstDifference } from "@consilium/core/release/difference";
import { replanned } from "@consilium/core/release/replanned";
import { signatureFileMaxBytes } from "@consilium/core/release/signature";
import { privacySentence } from "@consilium/core/release/wording";
import { unwrap } from "@consilium/core/result";
import { claimedUnit } from "@consilium/core/study/claimedUnit";
import type { DepositReply } from "@consilium/proto/generated/consilium/v1/DepositReply";
import type { DepositRequest__Output } from "@consilium/proto/generated/consilium/v1/DepositRequest";
import type { ShownCertificate } from "@consilium/release/certificate";
import { english } from "@consilium/runtime/http/spoken";
import type { PeerIdentity } from "@consilium/runtime/identity/verify";
import { certificateMaxBytes, contentMaxBytes, releaseDataMaxBytes } from "@consilium/runtime/release/limits";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import type { DiskSpace } from "@consilium/runtime/store/diskSpace";
import type { ReleaseStore, StagedRelease } from "../catalogue/store.js";
import { renderRelease } from "../formats/render.js";

/** A release's rows lie on the disk as they came, and as CSV, Parquet and what rendering needs beside. */
const renderedTimes = 4;

export interface Depositing {
  readonly store: ReleaseStore;
  readonly rootPem: string;
  /** By which a release's study is read and planned anew, which verifies nothing. */
  readonly methods: Pick<Methods, "read">;
  /** The aggregator that deposits. */
  readonly peer: PeerIdentity;
  readonly disk: Pick<DiskSpace, "demand" | "failure">;
  /** The URL of a release, ending in a slash. */
  urlOf(id: string): string;
  /** Called with the place of the first fact of a certificate that this version plans otherwise. */
  onPlannedOtherwise(id: string, place: string): void;
  /** Called once a release is visible. */
  onCommitted(id: string): Promise<void>;
}

type Requests = () => Promise<DepositRequest__Output | undefined>;
type Reply = (reply: DepositReply) => Promise<void>;

/**
 * Takes one deposit: header, rows and sums, certificate. Nothing is visible until the whole is rendered, certified and
 * durable; then one rename shows it. A release that is there already is answered as committed and left as it is.
 * @param next - the next request, undefined at the end
 * @throws ConsiliumError DEPOSIT_INVALID, FIELD_INVALID, UPLOAD_*, RELEASE_CORRUPT, DISK_FULL; what was staged is gone
 *   then
 */
export async function receiveDeposit(next: Requests, reply: Reply, options: Depositing): Promise<void> {
  const header = readHeader(await next());
  const { content } = header;
  const committed = { committed: { releaseId: content.id, url: options.urlOf(content.id) } };
  if (await options.store.has(content.id)) return reply(committed);
  options.disk.demand(`release ${content.id}`, renderedTimes * header.dataBytes);
  const staged = await options.store.stage(content.id);
  let certificate: ShownCertificate;
  try {
    await receiveData(next, header, staged);
    const files = await renderRelease({
      content,
      dataPath: staged.dataPath,
      folder: staged.releaseFolder,
      scratch: staged.scratch,
      baseUrl: options.urlOf(content.id),
    });
    await reply({
      rendered: {
        files: files.map((file) => ({ ...file, sha256: Buffer.from(file.sha256, "hex") })),
      },
    });
    await options.store.certify(staged, readCertificate(await next()));
    certificate = await checkCertified(staged, content, files, options);
    const isNew = await options.store.commit(staged);
    if (isNew) await options.onCommitted(content.id);
  } catch (thrown) {
    throw options.disk.failure(thrown);
  } finally {
    await options.store.discard(staged);
  }
  await reply(committed);
  // A remark, once the release is out.
  const remark = replanned(certificate.stated, certificate.study.text, options.methods);
  if (remark.kind === "otherwise") options.onPlannedOtherwise(content.id, remark.path);
}

interface Header {
  readonly content: ReleaseContent;
  readonly dataBytes: number;
  /** Lower-case hexadecimal. */
  readonly dataSha256: string;
}

function fieldInvalid(what: string): ConsiliumError {
  return new ConsiliumError("FIELD_INVALID", `deposit: ${what}`);
}

function readHeader(request: DepositRequest__Output | undefined): Header {
  if (request?.part !== "header" || !request.header) throw fieldInvalid("the first message must be a header");
  const { content: text, dataBytes, dataSha256 } = request.header;
  if (Buffer.byteLength(text) > contentMaxBytes) {
    throw fieldInvalid(`the content exceeds ${contentMaxBytes} bytes`);
  }
  if (dataSha256.length !== 32) throw fieldInvalid("the data's SHA-256 must have 32 bytes");
  const content = inOwnWords(unwrap(parseReleaseContent(text)));
  const expected = releaseDataBytes(content);
  if (expected > releaseDataMaxBytes) {
    throw fieldInvalid(`${expected} bytes of rows and sums, at most ${releaseDataMaxBytes} are allowed`);
  }
  if (dataBytes !== expected) {
    throw fieldInvalid(
      `${dataBytes} bytes of data declared, expected ${expected} for ${content.rows} rows of these columns`,
    );
  }
  return { content, dataBytes, dataSha256: dataSha256.toString("hex") };
}

/** What a release says of its privacy, from its figures: an aggregator of another version words it otherwise. */
function inOwnWords(content: ReleaseContent): ReleaseContent {
  const { verdict, protects } = content.privacy;
  const privacy = { ...content.privacy, ...claimedUnit(verdict, protects) };
  const privacyStatement = english(privacySentence(privacy));
  if (privacyStatement.length > privacyStatementMost)
    throw new ConsiliumError(
      "DEPOSIT_INVALID",
      `deposit ${content.id}: the reasons of its privacy are too long`,
    );
  return { ...content, privacy, privacyStatement };
}

/** The rows, and then each sum, into their files. */
async function receiveData(next: Requests, header: Header, staged: StagedRelease): Promise<void> {
  const { sums = [] } = header.content;
  const files = [
    { path: staged.dataPath, sha256: header.dataSha256 },
    ...sums.map(({ stage, attempt, sha256 }) => ({
      path: join(staged.releaseFolder, sumFile(stage, attempt)),
      sha256: sha256 as string,
    })),
  ];
  if (sums.length > 0) await mkdir(join(staged.releaseFolder, sumsFolder));
  let at = 0;
  for (const [index, bytes] of depositedBytes(header.content).entries()) {
    const end = at + bytes;
    const { path, sha256 } = files[index]!;
    const hash = createHash("sha256");
    const handle = await open(path, "wx", 0o600);
    try {
      while (at < end) {
        const request = await next();
        if (request === undefined) {
          throw new ConsiliumError(
            "UPLOAD_TRUNCATED",
            `deposit ${staged.id}: received ${at} of ${header.dataBytes} bytes`,
          );
        }
        const chunk = readChunk(request, at, end);
        hash.update(chunk);
        await handle.writeFile(chunk);
        at += chunk.length;
      }
    } finally {
      await handle.close();
    }
    if (hash.digest("hex") !== sha256)
      throw new ConsiliumError("UPLOAD_HASH", `deposit ${staged.id}: SHA-256 mismatch of the data`);
  }
}

function readChunk(request: DepositRequest__Output, received: number, dataBytes: number): Buffer {
  if (request.part !== "data" || !request.data) throw fieldInvalid("unexpected message among the data");
  const { offset, data } = request.data;
  if (offset !== received) {
    throw new ConsiliumError("UPLOAD_ORDER", `deposit: expected offset ${received}, got ${offset}`);
  }
  if (data.length === 0 || data.length > maxChunkBytes) {
    throw fieldInvalid(`a chunk of ${data.length} bytes, expected 1 to ${maxChunkBytes}`);
  }
  if (received + data.length > dataBytes) throw fieldInvalid("received more data than declared");
  return data;
}

function readCertificate(request: DepositRequest__Output | undefined): {
  bytes: Uint8Array;
  jws: Uint8Array;
} {
  if (request === undefined) {
    throw new ConsiliumError("UPLOAD_TRUNCATED", "deposit: ended before the certificate");
  }
  if (request.part !== "certificate" || !request.certificate) {
    throw fieldInvalid("expected the certificate, got another message");
  }
  const { certificate, signature } = request.certificate;
  if (certificate.length > certificateMaxBytes) {
    throw fieldInvalid(`the certificate exceeds ${certificateMaxBytes} bytes`);
  }
  if (signature.length > signatureFileMaxBytes) {
    throw fieldInvalid(`the signature exceeds ${signatureFileMaxBytes} bytes`);
  }
  return { bytes: certificate, jws: signature };
}

/** Verifies the staged folder as any reader will, and that its certificate is of this release, by this aggregator. */
async function checkCertified(
  staged: StagedRelease,
  content: ReleaseContent,
  files: readonly ReleaseFile[],
  options: Depositing,
): Promise<ShownCertificate> {
  const { certificate, signer } = unwrap(
    await verifyReleaseFolder(staged.releaseFolder, { rootPem: options.rootPem }),
  );
  const refuse = (what: string) => {
    throw new ConsiliumError("DEPOSIT_INVALID", `deposit ${staged.id}: the certificate ${what}`);
  };
  if (!Buffer.from(signer.signingKey).equals(options.peer.signingKey)) {
    refuse("is not signed by the depositor");
  }
  if (certificate.release !== content.id) refuse("belongs to another release");
  const { study } = content;
  for (const key of ["id", "name", "hash", "analysis", "method", "variant"] as const) {
    if (certificate.study[key] !== study[key]) refuse(`has a different study ${key} than the content`);
  }
  // What the README and the metadata show must be what is certified.
  const { proof: _, reasons: __, protects: ___, ...said } = content.privacy;
  const difference = firstDifference(said, privacyOf(certificate));
  if (difference !== null) refuse(`has a different privacy.${difference} than the content`);
  if (certificate.files.length !== files.length) refuse("does not list exactly the rendered files");
  return certificate;
}

/** What of a release's privacy its certificate decides. */
function privacyOf({ privacy, countersignatures, sites }: ShownCertificate) {
  const { verdict, epsilon, delta, unit } = privacy;
  return {
    verdict,
    epsilon,
    delta,
    ...claimedUnit(verdict, unit),
    countersigned: { by: countersignatures.length, of: sites.roster.length },
  };
}
