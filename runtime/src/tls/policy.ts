import tls from "node:tls";

/** The oldest TLS that anything of ours speaks. */
export const minimumTlsVersion = "TLSv1.3";

/** To a proxy, whose TLS only hides from the hospital's own network whom it is asked for. */
export const minimumProxyTlsVersion = "TLSv1.2";

/**
 * Forbids everything below TLS 1.3 for the whole process: servers and clients of gRPC, HTTP and raw TLS alike,
 * whatever NODE_OPTIONS says. Every main calls it first; contexts made earlier keep their own minimum.
 */
export function enforceTlsPolicy(): void {
  tls.DEFAULT_MIN_VERSION = minimumTlsVersion;
  tls.DEFAULT_MAX_VERSION = "TLSv1.3";
}
