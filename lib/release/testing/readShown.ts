import { certificateBytes, type Certificate as Made } from "@consilium/core/release/certificate";
import { unwrap } from "@consilium/core/result";
import type { ShownCertificate } from "../src/certificate.js";
import { readShown } from "../src/verify.js";

/** A certificate as it is shown. @throws ConsiliumError where it is none */
export function readCertificate(made: Made): ShownCertificate {
  return unwrap(readShown(certificateBytes(made)));
}
