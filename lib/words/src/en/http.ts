import type { Words } from "../said.js";
import type { HttpSays } from "../says/http.js";

export const http: Words<HttpSays> = {
  "http.correct": () => "correct the request",
  "http.timeout": () => "request timeout",
  "http.malformed": () => "malformed request",
  "http.content-type": () => "the request body's content type is not supported by this route",
  "http.malformed-address": () => "malformed address",
  "http.headers": () => "the request headers are too large",
  "http.malformed-http": () => "malformed HTTP request",
  "http.not-storable": ({ part }) =>
    `the request's ${part} contains a NUL character or an unpaired surrogate`,
  "http.streams": ({ max }) => `${max} event streams are already open`,
  "http.close-streams": () => "close unused pages or watching commands",
  "http.disk-full": () => "disk full; the process's log has the folder",
  "http.internal": () => "internal error",
  "http.unknown": () => "unknown route or method",
  "http.too-large": () => "the request body exceeds this route's limit",
  "http.smaller": () => "send a smaller body",
  "http.too-often": () => "rate limit per address exceeded",
  "http.no-pages": ({ folder }) => `no built pages in ${folder}`,
  "http.build": () => "build them with `npm run build`",
};
