import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { afterAll, beforeAll, expect, it } from "vitest";
import { foreignAuthority } from "../../testing/network/certificates.js";
import { createLogger } from "../log.js";
import { createHttpServer } from "./server.js";
import { checkPagesCertificate, PagesCertificate } from "./tls.js";

const lines: string[] = [];
const log = createLogger({ service: "test", stream: { write: (line) => void lines.push(line) } });
const files = { certificate: "console.pem", key: "console-key.pem" };
let folder: string;
let authority: Awaited<ReturnType<typeof foreignAuthority>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-tls-"));
  authority = await foreignAuthority("St. Mary CA");
});
afterAll(async () => rm(folder, { recursive: true }));

async function write({ cert, key }: { readonly cert: string; readonly key: string }): Promise<void> {
  await writeFile(join(folder, files.certificate), cert);
  await writeFile(join(folder, files.key), key);
}

const open = () =>
  PagesCertificate.open({ files, configPath: join(folder, "config.yaml"), key: "console.tls", log });

async function serve(certificate: PagesCertificate) {
  const server = await createHttpServer({
    log,
    access: () => ({ name: "", role: "viewer" }),
    tls: certificate,
  });
  server.get("/healthz", { config: { role: "public" } }, async () => ({ ok: true }));
  await server.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.server.address() as AddressInfo;
  /** The status, and the fingerprint of the certificate that was presented. */
  const ask = () =>
    new Promise<{ status: number; fingerprint: string }>((resolve, reject) => {
      const call = request(
        { host: "127.0.0.1", port, path: "/healthz", ca: authority.caPem, agent: false },
        (answer) => {
          answer.resume();
          const socket = answer.socket as import("node:tls").TLSSocket;
          resolve({
            status: answer.statusCode!,
            fingerprint: socket.getPeerCertificate().fingerprint256,
          });
        },
      );
      call.on("error", reject);
      call.end();
    });
  return { port, ask, close: () => server.close() };
}

it("serves the hospital's certificate, and a renewed one without a restart", async () => {
  await write(await authority.leaf("127.0.0.1"));
  const certificate = await open();
  const server = await serve(certificate);
  try {
    const first = await server.ask();
    expect(first.status).toBe(200);
    await certificate.refresh();
    expect(await server.ask()).toEqual(first);

    await writeFile(join(folder, files.certificate), (await authority.leaf("127.0.0.1")).cert);
    await certificate.refresh();
    await certificate.refresh();
    expect(await server.ask()).toEqual(first);
    expect(lines.filter((line) => line.includes("cannot be used"))).toHaveLength(1);
    const { status, found } = checkPagesCertificate(certificate, Date.now());
    expect([status, inEnglish(found)]).toEqual(["fail", expect.stringContaining("does not match")]);

    await write(await authority.leaf("127.0.0.1"));
    await certificate.refresh();
    const renewed = await server.ask();
    expect(renewed.status).toBe(200);
    expect(renewed.fingerprint).not.toBe(first.fingerprint);
    expect(lines.join("")).toContain("the pages' certificate was replaced");
    expect(lines.join("")).not.toContain("PRIVATE KEY");
  } finally {
    await server.close();
  }
});

it("speaks TLS 1.3 only", async () => {
  await write(await authority.leaf("127.0.0.1"));
  const server = await serve(await open());
  const protocol = (maxVersion: "TLSv1.2" | "TLSv1.3") =>
    new Promise<string>((resolve) => {
      const options = { host: "127.0.0.1", port: server.port, ca: authority.caPem, maxVersion } as const;
      const socket = connect({ ...options, minVersion: "TLSv1.2" }, () => {
        resolve(socket.getProtocol() ?? "none");
        socket.destroy();
      });
      socket.on("error", () => resolve("refused"));
    });
  try {
    expect(await protocol("TLSv1.2")).toBe("refused");
    expect(await protocol("TLSv1.3")).toBe("TLSv1.3");
  } finally {
    await server.close();
  }
});

it("warns for two weeks before the certificate expires", async () => {
  await write(await authority.leaf("127.0.0.1"));
  const certificate = await open();
  const statusAt = (daysBefore: number) =>
    checkPagesCertificate(certificate, certificate.notAfter - daysBefore * 86_400_000).status;
  expect([15, 13, -1].map(statusAt)).toEqual(["ok", "warn", "fail"]);
  expect(checkPagesCertificate(null, Date.now()).status).toBe("skipped");
});

it("names the file that cannot be used, and nothing of what it holds", async () => {
  const good = await authority.leaf("127.0.0.1");
  const other = await authority.leaf("127.0.0.1");
  const cases = [
    [{ cert: "canary", key: good.key }, "console.tls.certificate: console.pem is not a PEM certificate"],
    [{ cert: good.cert, key: "canary" }, "console.tls.key: console-key.pem is not an unencrypted PEM"],
    [{ cert: good.cert, key: other.key }, "does not match the first certificate in console.pem"],
  ] as const;
  for (const [pair, message] of cases) {
    await write(pair);
    const refused = await open().catch((thrown: unknown) => thrown as Error);
    expect(inEnglish(refused)).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining(message),
    });
    expect(String(refused)).not.toContain("canary");
  }
  await write(good);
  await open();
});
