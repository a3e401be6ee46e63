import { unwrap } from "@consilium/core/result";
import { expect, it } from "vitest";
import { formatAddress, parseAddress } from "./address.js";

it.each(["localhost:7443", "127.0.0.1:0", "[::1]:7443", "aggregator.example.org:65535", "site_a:1"])(
  "reads and writes %s",
  (text) => expect(formatAddress(unwrap(parseAddress(text)))).toBe(text),
);

it.each([
  "",
  "host",
  ":1",
  "host:",
  "host:65536",
  "::1:7443",
  "[host]:1",
  "a b:1",
  "-a:1",
  "http://a:1",
  "a..b:1",
])("refuses %j", (text) => {
  const result = parseAddress(text);
  expect(result.ok ? undefined : result.error.code).toBe("CONFIG_INVALID");
});
