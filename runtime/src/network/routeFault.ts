import { ConsiliumError, type ErrorCode } from "@consilium/core/errors";

/** Each step of a connection, such as TCP's handshake or the proxy's answer, may take so long. */
export const stepMs = 10_000;

/** The stage at which a connection failed. */
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
  "check the address; `consilium doctor` shows the cause, and the request for the network team";

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
  ECONNREFUSED: "connection refused: the server is not running, or a firewall blocks it",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  closed: "connection closed",
  timeout: "no answer",
  ETIMEDOUT: "no answer",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the name server does not answer",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the host",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not support TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the server does not support TLS",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "the server does not support TLS 1.3",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "the server does not support TLS 1.3",
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "the server refuses HTTP/2",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is from an unknown authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is from an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is from an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is from an unknown authority",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  EACCES: "this machine blocks outgoing connections",
  EPERM: "this machine blocks outgoing connections",
};

/** A reason in words, with its code. */
export function inWords(reason: string): string {
  const text = words[reason];
  return text === undefined ? reason : `${text} (${reason})`;
}
