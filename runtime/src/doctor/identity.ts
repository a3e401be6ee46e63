import { certificateSpan, loadIdentityWhenever } from "../identity/certificateSpan.js";
import type { Identity } from "../identity/files.js";
import { fail, type Verdict } from "./check.js";
import { judgeDates } from "./identityDates.js";

interface IdentityFound {
  readonly verdict: Verdict;
  /** Also of a certificate that is out of date: what the aggregator thinks of it can still be asked. */
  readonly identity: Identity | null;
}

const notEnrolled =
  "enrol with `consilium site enroll`; before that, `consilium doctor <token>` checks the path to the aggregator";

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
