import {
  type CertificateSpan,
  certificateSpan,
  type Identity,
  loadIdentityWhenever,
} from "../identity/files.js";
import { fail, ok, type Verdict, warn } from "./check.js";

interface IdentityFound {
  readonly verdict: Verdict;
  /** Also of a certificate that is out of date: what the aggregator thinks of it can still be asked. */
  readonly identity: Identity | null;
}

const notEnrolled =
  "enrol with `consilium site enroll`; before that, `consilium doctor <token>` checks the path to the aggregator";

/** A renewal is tried from half of the certificate's life on; by this part of what is left it should have come. */
const overduePart = 0.2;

/**
 * This machine's own keys and certificate, by its own clock.
 * @param folder - the identity's
 * @param whenMissing - what to do where there is none
 */
export async function checkIdentity(
  folder: string,
  now: number,
  whenMissing = notEnrolled,
): Promise<IdentityFound> {
  const span = await certificateSpan(folder);
  const loaded = await loadIdentityWhenever(folder, now).catch((cause: unknown) => cause as Error);
  if (loaded instanceof Error) {
    const code = (loaded as NodeJS.ErrnoException).code ?? "unreadable";
    const remedy = "run as the user that owns the state folder, or restore it from a backup";
    return { verdict: fail(`the identity in ${folder} cannot be read (${code})`, remedy), identity: null };
  }
  if (!loaded.ok) {
    const { code, message, remedy } = loaded.error;
    return { verdict: fail(message, code === "STATE_MISSING" ? whenMissing : remedy), identity: null };
  }
  return { verdict: judgeDates(loaded.value, span, now), identity: loaded.value };
}

function judgeDates(identity: Identity, span: CertificateSpan | null, now: number): Verdict {
  const who = `${identity.role} ${identity.id} of ${identity.federation}`;
  const until = new Date(identity.notAfter).toISOString();
  if (now > identity.notAfter) {
    return fail(
      `the certificate of ${who} expired on ${until}`,
      "check the clock below; if it is correct, ask the operator for `consilium invite <site> --same-key`, stop the agent, and enrol with the token into this state folder",
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
