import type { Name, None } from "../said.js";

/** What is said of a request over HTTP. */
export interface HttpSays {
  /** The remedy. */
  readonly "http.correct": None;
  readonly "http.timeout": None;
  readonly "http.malformed": None;
  readonly "http.content-type": None;
  readonly "http.malformed-address": None;
  readonly "http.headers": None;
  readonly "http.malformed-http": None;
  readonly "http.not-storable": { readonly part: Name };
  readonly "http.streams": { readonly max: number };
  /** The remedy. */
  readonly "http.close-streams": None;
  readonly "http.disk-full": None;
  readonly "http.internal": None;
  readonly "http.unknown": None;
  readonly "http.too-large": None;
  /** The remedy. */
  readonly "http.smaller": None;
  readonly "http.too-often": None;
  readonly "http.no-pages": { readonly folder: Name };
  /** The remedy. */
  readonly "http.build": None;
}
