import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isExempt, parseProxyUrl, proxyFor, proxyFromEnvironment } from "./proxy.js";
import { proxyConfigSchema } from "./proxyConfig.js";

const address = { host: "aggregator.example.org", port: 7443 };

describe("NO_PROXY", () => {
  it.each([
    ["*"],
    ["aggregator.example.org"],
    ["Example.ORG"],
    [".example.org"],
    ["*.example.org"],
    ["example.org:7443"],
    ["other, example.org"],
  ])("%s exempts the aggregator", (list) => expect(isExempt(address, list.split(","))).toBe(true));

  it.each([[""], [","], ["xample.org"], ["example.org:443"], ["example"], ["10.0.0.0/8"], ["."]])(
    "%j does not",
    (list) => expect(isExempt(address, list.split(","))).toBe(false),
  );

  it.each([
    ["10.1.2.3", "10.0.0.0/8", true],
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "10.1.2.3:7443", true],
    ["10.1.2.3", "10.1.2.3:443", false],
    ["11.1.2.3", "10.0.0.0/8", false],
    ["10.1.2.3", "10.0.0.0/33", false],
    ["10.1.2.3", "10.0.0.0/", false],
    ["fd00::7", "fd00::/8", true],
    ["fd00::7", "[fd00::7]:7443", true],
    ["fd00::7", "10.0.0.0/8", false],
    ["10.1.2.3", "3", false],
  ])("of %s: %s is %s", (host, entry, expected) =>
    expect(isExempt({ host, port: 7443 }, [entry])).toBe(expected),
  );
});

it.each([
  ["http://proxy:3128", { host: "proxy", port: 3128 }, false],
  ["proxy:3128", { host: "proxy", port: 3128 }, false],
  ["https://proxy", { host: "proxy", port: 443 }, true],
  ["http://[fd00::1]:3128/", { host: "fd00::1", port: 3128 }, false],
])("reads %s", (written, at, isTls) =>
  expect(parseProxyUrl(written)).toMatchObject({ address: at, isTls, username: "", password: "" }),
);

it.each([
  "socks5://proxy:1080",
  "http://",
  "http://proxy:3128/path",
  "http://proxy:99999",
  "http://a%ZZ@p",
  "",
])("refuses %j", (written) => expect(parseProxyUrl(written)).toBeNull());

describe("of the environment", () => {
  it("takes the variable that is for TLS, in capitals too, and never the one for plain HTTP", () => {
    const host = (environment: NodeJS.ProcessEnv) => proxyFromEnvironment(address, environment)?.host ?? null;
    expect(host({})).toBeNull();
    expect(host({ HTTPS_PROXY: "http://a:1" })).toBe("a");
    expect(host({ HTTPS_PROXY: "http://a:1", https_proxy: "http://b:1" })).toBe("b");
    expect(host({ ALL_PROXY: "http://a:1" })).toBe("a");
    expect(host({ http_proxy: "http://a:1", HTTP_PROXY: "http://a:1" })).toBeNull();
    expect(host({ HTTPS_PROXY: "http://a:1", NO_PROXY: "localhost, .example.org" })).toBeNull();
  });

  it("takes credentials with their escapes, and shows them to nobody", async () => {
    const proxy = proxyFromEnvironment(address, { HTTPS_PROXY: "http://jo%40hospital:p%3Aw@a:1" });
    expect(proxy?.credentials?.username).toBe("jo@hospital");
    expect(Buffer.from((await proxy!.credentials!.password()).reveal()).toString()).toBe("p:w");
    expect(JSON.stringify(proxy)).not.toContain("p:w");
  });

  it("names the variable that is wrong, and not what it holds", () => {
    const read = () => proxyFromEnvironment(address, { HTTPS_PROXY: "ftp://jo:secret@a:1" });
    expect(read).toThrow("HTTPS_PROXY");
    expect(read).not.toThrow("secret");
  });
});

describe("of config.yaml", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-proxy-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const environment = { HTTPS_PROXY: "http://environment:1" };
  const of = (config: unknown) =>
    proxyFor(address, {
      config: proxyConfigSchema.parse(config),
      configPath: join(folder, "config.yaml"),
      environment,
    });

  it("comes before the environment, which it can also silence", () => {
    expect(of("environment")?.host).toBe("environment");
    expect(of("none")).toBeNull();
    expect(of({ url: "http://configured:3128" })).toMatchObject({
      host: "configured",
      source: "config.yaml",
    });
    expect(of({ url: "http://configured:3128", noProxy: ["example.org"] })).toBeNull();
  });

  it("reads the password of a file anew for each connection", async () => {
    await writeFile(join(folder, "password"), "first\n");
    const proxy = of({ url: "http://p:1", username: "jo", passwordFile: "password" });
    const password = async () => Buffer.from((await proxy!.credentials!.password()).reveal()).toString();
    expect(await password()).toBe("first");
    await writeFile(join(folder, "password"), "second\n");
    expect(await password()).toBe("second");
  });

  it("refuses a password in the address, an invalid authority, and a file without a name to it", async () => {
    await writeFile(join(folder, "ca.pem"), "not a certificate");
    expect(inEnglish(() => of({ url: "http://jo:pw@p:1" }))).toThrow("proxy.url contains a password");
    expect(inEnglish(() => of({ url: "https://p:1", ca: "ca.pem" }))).toThrow("proxy.ca");
    expect(inEnglish(() => of({ url: "https://p:1", ca: "missing.pem" }))).toThrow("ENOENT");
    expect(inEnglish(() => of({ url: "http://p:1", passwordFile: "x" }))).toThrow("proxy.username");
    expect(() => of({ url: "http://p:1", user: "x" })).toThrow();
  });
});
