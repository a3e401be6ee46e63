import { maxCertificateBytes, maxChainLength, protocolVersions } from "@consilium/core/limits";
import { enrollRequestBytes } from "@consilium/proto/frames";
import type { EnrollRequest } from "@consilium/proto/generated/consilium/v1/EnrollRequest";
import type { EnrollResponse__Output } from "@consilium/proto/generated/consilium/v1/EnrollResponse";
import type { FederationClient } from "@consilium/proto/generated/consilium/v1/Federation";
import { fromServiceError } from "@consilium/proto/status";
import { fault } from "../fault.js";
import { derToPem, pemToDer } from "./x509.js";

/** How long one call of enrolment may take. */
const callMs = 20_000;

/** A certificate request as the wire has it. */
export function requestFields(
  request: { csrDer: Uint8Array; signingKey: Uint8Array; signature: Uint8Array },
  software: string,
) {
  return {
    certificateRequest: Buffer.from(request.csrDer),
    signingKey: Buffer.from(request.signingKey),
    signingKeyProof: Buffer.from(request.signature),
    versions: { ...protocolVersions, software },
  };
}

/** @param sending - called with the request as it is sent, before it is sent */
export function askForCertificate(
  client: FederationClient,
  request: EnrollRequest,
  sending: ((request: Uint8Array) => void) | undefined,
): Promise<EnrollResponse__Output> {
  sending?.(enrollRequestBytes(request));
  return new Promise((resolve, reject) => {
    client.enroll(request, { deadline: Date.now() + callMs }, (error, response) => {
      if (error) reject(fromServiceError(error));
      else if (response === undefined) reject(fault("FIELD_INVALID", "enrolment.empty", {}));
      else resolve(response);
    });
  });
}

/** Leaf and issuing certificate as answered, then the root that was pinned. */
export function chainOf(response: EnrollResponse__Output, rootPem: string): string {
  const { chain } = response;
  if (
    chain.length < 2 ||
    chain.length > maxChainLength ||
    chain.some((der) => der.length > maxCertificateBytes)
  ) {
    throw fault("FIELD_INVALID", "enrolment.chain", {});
  }
  return [...chain.slice(0, 2), pemToDer(rootPem)].map((der) => derToPem(der)).join("");
}
