import { ConsiliumError, type ErrorCode } from "@consilium/core/errors";

/** Where on the way to a server a connection failed. */
type RouteStage =
  | "dns"
  | "tcp"
  | "proxy-dns"
  | "proxy-tcp"
  | "proxy-tls"
  | "proxy-credentials"
  | "proxy-answer"
  | "tls"
  | "alpn"
  | "interception";

const lookCloser =
  "check the address; `consilium doctor` tells what is in the way, and what to ask the network team for";

/** A connection that did not come about. `reason` is for programs: a system code, an HTTP status, `timeout`. */
export class RouteFault extends ConsiliumError {
  readonly stage: RouteStage;
  readonly reason: string;
  /** What the other side said, where it said something: authentication schemes, the name of an issuer. */
  readonly detail: string | null;

  constructor(
    stage: RouteStage,
    message: string,
    options: { reason: string; detail?: string; remedy?: string; cause?: unknown },
  ) {
    const code = codeOf(stage);
    const remedy = options.remedy ?? (code === "UNREACHABLE" ? lookCloser : undefined);
    super(code, message, { ...(remedy === undefined ? {} : { remedy }), cause: options.cause });
    this.stage = stage;
    this.reason = options.reason;
    this.detail = options.detail ?? null;
  }
}

function codeOf(stage: RouteStage): ErrorCode {
  if (stage.startsWith("proxy")) return "PROXY_FAILED";
  return stage === "interception" ? "TLS_INTERCEPTED" : "UNREACHABLE";
}

/** The code of a system or TLS error, which holds nothing private; `timeout` or `closed` of ours. */
export function reasonOf(cause: unknown): string {
  for (let at = cause, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    // Attempts at several addresses of one name fail together.
    const parts = at instanceof AggregateError ? [...at.errors, at] : [at];
    for (const part of parts) {
      if (part instanceof Error && "code" in part && typeof part.code === "string") return part.code;
    }
    if (at.message === "timeout") return "timeout";
  }
  return "closed";
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there, or a firewall refuses",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  closed: "the connection was closed",
  timeout: "no answer",
  ETIMEDOUT: "no answer",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name server does not answer",
  EHOSTUNREACH: "no way leads there",
  ENETUNREACH: "no way leads there",
  ERR_SSL_WRONG_VERSION_NUMBER: "what answers does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "what answers does not speak TLS",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "what answers does not speak TLS 1.3",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "what answers does not speak TLS 1.3",
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "what answers refuses HTTP/2",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an authority that is not known here",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate comes from an authority that is not known here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate comes from an authority that is not known here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate comes from an authority that is not known here",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  EACCES: "this machine does not let the connection out",
  EPERM: "this machine does not let the connection out",
};

/** A reason in words, with its code. */
export function inWords(reason: string): string {
  const text = words[reason];
  return text === undefined ? reason : `${text} (${reason})`;
}
