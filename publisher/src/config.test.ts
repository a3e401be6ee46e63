import { parseConfig } from "@consilium/runtime/config";
import { expect, it } from "vitest";
import { publisherConfigSchema } from "./config.js";

const parse = (text: string) => parseConfig(text, "config.yaml", publisherConfigSchema);

it("is complete when it is empty", () => {
  expect(parse("")).toEqual({
    listen: { grpc: { host: "127.0.0.1", port: 7444 }, http: { host: "127.0.0.1", port: 7081 } },
    signIn: { trustedProxies: [] },
    diskReserveMiB: 64,
    logs: { format: "json", stream: "stderr", bufferLines: 10_000 },
    logLevel: "info",
  });
});

it("takes a contact, which is not blank", () => {
  expect(parse("contact: federation@example.org\n").contact).toBe("federation@example.org");
  expect(() => parse('contact: " "')).toThrow(/contact/);
});

it("takes addresses and a public URL", () => {
  const config = parse(
    'listen: { http: "0.0.0.0:80" }\npublicUrl: https://releases.example.org/consilium/\n',
  );
  expect(config.listen.http).toEqual({ host: "0.0.0.0", port: 80 });
  expect(config.listen.grpc.port).toBe(7444);
  expect(config.publicUrl).toBe("https://releases.example.org/consilium");
});

it.each([
  ["an unknown key", "publicURL: https://x.org", /publicURL/],
  ["an unknown key below", "listen: { https: x }", /https/],
  ["a wrong address", "listen: { http: nonsense }", /listen\.http/],
  ["a URL with a quote", "publicUrl: 'https://x.org/\"'", /publicUrl/],
  ["a URL of another kind", "publicUrl: 'file:///etc'", /publicUrl/],
  ["an unknown level", "logLevel: loud", /logLevel/],
])("refuses %s", (_what, text, message) => {
  expect(() => parse(text)).toThrow(message);
});
