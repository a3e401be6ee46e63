import type { Name, None } from "../said.js";

/** What is said of addresses, of listening and of connections. */
export interface NetworkSays {
  readonly "address.invalid": None;
  /** The remedy. */
  readonly "address.write": None;
  readonly "grpc.other-version": None;
  readonly "address.in-use": { readonly address: Name };
  readonly "peer.no-tls": None;
  readonly "proxy.url": { readonly file: Name };
  readonly "proxy.password-in-url": { readonly file: Name };
  readonly "proxy.no-username": { readonly file: Name };
  readonly "tls.no-certificate": { readonly key: Name; readonly file: Name };
  readonly "tls.no-key": { readonly key: Name; readonly file: Name };
  readonly "proxy.variable": { readonly variable: Name };
  /** The remedy. */
  readonly "proxy.correct-variable": None;
  readonly "proxy.no-certificate": { readonly key: Name; readonly file: Name };
  /** The remedy. */
  readonly "proxy.ask-certificate": None;
  readonly "tls.mismatch": { readonly key: Name; readonly file: Name; readonly certificate: Name };
  /** The remedy. */
  readonly "tls.order": None;
}
