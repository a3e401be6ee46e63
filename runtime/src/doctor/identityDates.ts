import type { DoctorFacts } from "@consilium/core/hospital/doctorFacts";
import { lateRenewalMs } from "@consilium/core/identity/warnings";
import type { CertificateSpan } from "../identity/certificateSpan.js";
import { fail, ok, type Verdict, warn } from "./check.js";

/** Where an expired certificate cannot be renewed any more. */
export const sameKeyRemedy =
  "compare the clocks; if they agree, ask the operator for `consilium invite <site> --same-key`, stop the agent, and enrol with the token into this state folder";

/** A renewal is tried from half of the certificate's life on; by this part of what is left it should have come. */
const overduePart = 0.2;

/** @param span - null where only a certificate that is valid by now was taken */
export function judgeDates(
  identity: DoctorFacts["identity"],
  span: CertificateSpan | null,
  now: number,
): Verdict {
  const who = `${identity.role} ${identity.id} of ${identity.federation}`;
  const until = new Date(identity.notAfter).toISOString();
  if (now > identity.notAfter) {
    const expired = `the certificate of ${who} expired on ${until}`;
    if (identity.role !== "site")
      return fail(expired, `renew it with \`consilium renew ${identity.role}\`, and restart the process`);
    const lastDay = new Date(identity.notAfter + lateRenewalMs).toISOString();
    return now > identity.notAfter + lateRenewalMs
      ? fail(expired, sameKeyRemedy)
      : fail(
          `${expired}; it is renewed automatically until ${lastDay}, as soon as the agent reaches the aggregator`,
          "start the agent if it does not run; otherwise see the other checks: the connection or a clock",
        );
  }
  if (span !== null && now < span.notBefore) {
    return fail(
      `the certificate of ${who} is valid only from ${new Date(span.notBefore).toISOString()} on`,
      "this machine's clock is behind: synchronise it with a time server",
    );
  }
  const overdueAt = identity.renewAtMs + overduePart * (identity.notAfter - identity.renewAtMs);
  if (now > overdueAt) {
    return warn(
      `the certificate of ${who} expires on ${until}, and should have been renewed since ${new Date(identity.renewAtMs).toISOString()}`,
      identity.role === "site"
        ? "it is renewed automatically while the agent is connected: see the other checks"
        : `renew it with \`consilium renew ${identity.role}\`, and restart the process`,
    );
  }
  const renewal =
    identity.role === "site"
      ? "it is renewed automatically while the agent runs"
      : "renew it with consilium renew";
  return ok(`${who}, certificate until ${until}; ${renewal}`);
}
