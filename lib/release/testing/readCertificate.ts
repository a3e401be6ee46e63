import { unwrap } from "@consilium/core/result";
import { type Certificate, parseCertificate } from "../src/v2/schema.js";
import { certificateBytes, type Certificate as Made } from "./v2/certificate.js";

/** A certificate as a verifier reads it. @throws ConsiliumError where it is none */
export function readCertificate(made: Made): Certificate {
  return unwrap(parseCertificate(certificateBytes(made)));
}
