import { X509Certificate } from "node:crypto";
import { errorTable } from "@consilium/core/errors";
import { lateRenewalMs } from "@consilium/core/identity/warnings";
import { protocolVersions } from "@consilium/core/limits";
import { formatDuration } from "@consilium/core/units";
import { softwareVersion } from "@consilium/core/version";
import { clockSkewMs } from "../identity/certificates.js";
import { pemChainToDer } from "../identity/x509.js";
import { fail, ok, skipped, type Verdict, warn } from "./check.js";
import { clockRequest } from "./forIt.js";
import { sameKeyRemedy } from "./identityDates.js";
import type { NetworkTarget } from "./network.js";
import type { CheckAnswer } from "./probe.js";

const noAnswer = skipped("the aggregator did not report it");

/** gRPC's status of a method that a server does not have. */
const unimplemented = 12;

export function judgeAnswer(answer: CheckAnswer): Verdict {
  if (answer.reply !== null) return ok(`response after ${Math.round(answer.roundTripMs)} ms`);
  if (answer.isStandby) return ok("it stands by and takes over when the active aggregator ends");
  if (answer.grpcStatus === unimplemented) {
    return warn(
      "it answers, but is too old to report details",
      "ask the operator which version the aggregator has",
    );
  }
  const what =
    answer.httpStatus === null
      ? "HTTP/2 works, but there is no answer"
      : `it answers HTTP ${answer.httpStatus}${answer.grpcStatus === null ? "" : `, gRPC ${answer.grpcStatus}`}`;
  return fail(
    what,
    "ask the operator whether the aggregator is healthy, and whether an HTTP load balancer is in front of it",
  );
}

/** When a certificate was certainly valid, whatever the time is now; null where it cannot be read. */
export function anyTimeOf(der: Uint8Array | undefined): number | null {
  const span = validityOf(der);
  return span === null ? null : (span.notBefore + span.notAfter) / 2;
}

function validityOf(der: Uint8Array | undefined): { notBefore: number; notAfter: number } | null {
  if (der === undefined) return null;
  try {
    const { validFrom, validTo } = new X509Certificate(der);
    const span = { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
    return Number.isNaN(span.notBefore + span.notAfter) ? null : span;
  } catch {
    return null;
  }
}

/** Beyond this, times in logs and deadlines no longer fit together. */
const noticeableSkewMs = 30_000;

/** Compares the clocks; where the other's is not known, this one with the server's certificate. */
export function judgeClock(
  answer: CheckAnswer,
  target: NetworkTarget,
  chain: readonly Uint8Array[],
): Verdict {
  const now = target.now();
  const span = validityOf(chain[0]);
  const { serverMs } = answer;
  if (serverMs === null) {
    if (span === null || (now >= span.notBefore && now <= span.notAfter))
      return skipped("the aggregator did not report its time");
    return wrongClock(`this machine's clock is ${iso(now)}, when the aggregator's certificate is not valid`);
  }
  const skewMs = answer.answeredAtMs - answer.roundTripMs / 2 - serverMs;
  const size = formatDuration(Math.round(Math.abs(skewMs) / 1000) * 1000);
  const side = skewMs > 0 ? "ahead of" : "behind";
  const found = `this machine's clock is ${size} ${side} the aggregator's`;
  const serverValid = span === null || (serverMs >= span.notBefore && serverMs <= span.notAfter);
  if (!serverValid) {
    return fail(
      `the aggregator's certificate is not valid by its own clock (${iso(serverMs)}; valid ${iso(span.notBefore)} to ` +
        `${iso(span.notAfter)})`,
      "tell the operator: the aggregator's certificate or its clock is wrong",
    );
  }
  if (Math.abs(skewMs) > clockSkewMs) return wrongClock(found);
  if (Math.abs(skewMs) > noticeableSkewMs) {
    return warn(
      found,
      "synchronise the clock: certificates are rejected with a difference of more than five minutes",
    );
  }
  return ok(Math.abs(skewMs) < 1_500 ? "the clocks agree" : found);
}

function wrongClock(found: string): Verdict {
  return fail(
    `${found}: certificates would seem expired or not valid yet`,
    "synchronise this machine's clock with a time server; if it is correct, tell the operator that the aggregator's is wrong",
    clockRequest(found),
  );
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** This site's certificate by its own dates, then as the aggregator sees it. */
export function judgeCertificate(answer: CheckAnswer, target: NetworkTarget): Verdict {
  if (target.identity === undefined) return skipped("this machine is not enrolled yet");
  const span = validityOf(pemChainToDer(target.identity.chainPem)[0]);
  const dates = span === null ? "" : `, valid ${iso(span.notBefore)} to ${iso(span.notAfter)}`;
  const { reply } = answer;
  if (reply === null) return noAnswer;
  switch (reply.certificateCode) {
    case "":
      return ok(`the aggregator accepts it${dates}`);
    case "SITE_EXPELLED":
      return fail("this site has been expelled from the federation", "contact the federation's operator");
    case "IDENTITY_REPLACED":
      return fail(
        `the aggregator refuses it: ${reply.certificateMessage} (IDENTITY_REPLACED)${dates}`,
        errorTable.IDENTITY_REPLACED.remedy,
      );
    case "CERTIFICATE_INVALID": {
      // By the aggregator's clock, as its refusal is; an older one tells no time.
      const lateMs = span === null ? Number.NaN : (answer.serverMs ?? target.now()) - span.notAfter;
      const refused = `the aggregator refuses it: ${reply.certificateMessage}${dates}`;
      return lateMs > 0 && lateMs <= lateRenewalMs
        ? fail(refused, "start the agent: it renews an expired certificate automatically for 60 days")
        : fail(refused, sameKeyRemedy);
    }
    default:
      return fail(
        `the aggregator refuses it: ${reply.certificateMessage} (${reply.certificateCode})${dates}`,
        "ask the operator for a new token, stop the agent, and enrol with the token into this state folder: key and ledger stay",
      );
  }
}

export function judgeVersion({ reply, grpcStatus }: CheckAnswer): Verdict {
  if (reply === null) {
    if (grpcStatus !== unimplemented) return noAnswer;
    return warn(
      "the aggregator is older than this software",
      "ask the operator whether the two versions are compatible",
    );
  }
  const ours = protocolVersions;
  const theirs = `protocol ${reply.lowest} to ${reply.highest}${reply.software === "" ? "" : `, version ${reply.software}`}`;
  const own = `protocol ${ours.lowest} to ${ours.highest}, version ${softwareVersion}`;
  if (reply.highest < ours.lowest)
    return fail(
      `the aggregator speaks ${theirs}, this site ${own}`,
      "the operator must upgrade the aggregator",
    );
  if (reply.lowest > ours.highest)
    return fail(`the aggregator speaks ${theirs}, this site ${own}`, "upgrade the software at this site");
  return ok(`the aggregator speaks ${theirs}; this site ${own}`);
}
