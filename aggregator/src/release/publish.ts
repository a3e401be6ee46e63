import { faults } from "@consilium/core/fault";
import { resultFile } from "@consilium/core/release/certificate";
import { resultText } from "@consilium/core/release/result";
import { unwrap } from "@consilium/core/result";
import { nameOf, sentences } from "@consilium/core/said";
import type { ReleasesClient } from "@consilium/proto/generated/consilium/v1/Releases";
import type { Identity } from "@consilium/runtime/identity/files";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import {
  deposit,
  describeRelease,
  publishMembers,
  releasesClient,
  withdrawRelease,
} from "@consilium/runtime/release/depositClient";
import { signCertificate } from "@consilium/runtime/release/signCertificate";
import { parseAddress } from "@consilium/runtime/tls/address";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { AggregatorSays } from "@consilium/words/says/aggregator";
import type { ResultSays } from "@consilium/words/says/results";
import type { FinishedStudy } from "../rounds/runContext.js";
import { certificateOf, releaseContent, rowsHash } from "./assemble.js";
import type { PublishedReleases } from "./withdrawals.js";

const said = sentences<AggregatorSays>();

const fault = faults<ResultSays & AggregatorSays>();

/** Whom to deposit at, and as whom. */
export interface PublisherOptions {
  /** `host:port` of the publisher's gRPC, or null when none is configured. */
  readonly publisher: string | null;
  readonly identity: () => Identity;
}

/** @throws ConsiliumError PUBLISHER_UNREACHABLE if none is configured */
function clientOf({ publisher, identity }: PublisherOptions, then: "ask" | "resume"): ReleasesClient {
  if (publisher === null) {
    const remedy = said(`released.set-and-${then}`, {});
    throw fault("PUBLISHER_UNREACHABLE", "released.no-publisher", {}, { remedy });
  }
  const own = identity();
  return releasesClient({ address: unwrap(parseAddress(publisher)), identity: own, rootPem: own.rootPem });
}

/** The list of members that the publisher serves. */
export interface MembersPublisher {
  /** @param list - the bytes of members.json, which its publisher judges */
  publishMembers(list: Uint8Array): Promise<void>;
}

/** What the publisher has released, its withdrawals, and the list of members beside them. */
export function publishedReleases(options: PublisherOptions): PublishedReleases & MembersPublisher {
  const asked = async <T>(ask: (client: ReleasesClient) => Promise<T>): Promise<T> => {
    const client = clientOf(options, "ask");
    try {
      return await ask(client);
    } finally {
      client.close();
    }
  };
  return {
    describe: (release) => asked((client) => describeRelease(client, release)),
    withdraw: (file) => asked((client) => withdrawRelease(client, file)),
    publishMembers: (list) => asked((client) => publishMembers(client, list)),
  };
}

/** Deposits finished studies at the publisher, signed by this aggregator's identity. */
export function depositor(
  options: PublisherOptions,
): (finished: FinishedStudy, signal: AbortSignal, onSigned: () => void) => Promise<{ url: string }> {
  return async (finished, signal, onSigned) => {
    const identity = options.identity();
    const client = clientOf(options, "resume");
    try {
      const rows = await rowsHash(finished);
      const content = releaseContent(finished);
      const result = sha256(resultText(content, rows));
      const { url } = await deposit({
        client,
        content,
        dataPath: finished.result.table?.rows.path ?? null,
        dataSha256: rows ?? sha256(""),
        sums: finished.published?.contents ?? [],
        certify: (files) => {
          // What the sites signed, or nothing: a publisher that holds another result gets no signature.
          if (files.find(({ name }) => name === resultFile)?.sha256 !== result)
            throw fault("RELEASE_CORRUPT", "result.not-as-signed", { file: nameOf(resultFile) });
          const certificate = certificateOf(finished, files);
          const signed = signCertificate(certificate, {
            signingKey: identity.signingKey,
            chainDer: pemChainToDer(identity.chainPem),
          });
          onSigned();
          return { certificate: signed.bytes, signature: signed.jws };
        },
        signal,
      });
      return { url };
    } finally {
      client.close();
    }
  };
}
