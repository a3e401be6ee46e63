import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import { afterEach, describe, expect, it } from "vitest";
import { foreignAuthority } from "../../testing/network/certificates.js";
import { failureOf } from "../../testing/notify/failureOf.js";
import type { Message } from "./message.js";
import { signatureHeader, signatureOf, webhookChannel } from "./webhook.js";

const secret = () => new SecretBytes(Buffer.from("a secret of many bytes"));
const message: Message = {
  id: "0123",
  kind: "study-waiting",
  name: "pca",
  link: "https://console.example/studies/pca-1",
};
const now = () => 1_000_000_500;

interface Received {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const open: (http.Server | https.Server)[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: http.Server | https.Server): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** What arrives, and is answered with a status; 0: the connection is cut. */
function receiver(status: number): { readonly received: Received[]; readonly on: http.RequestListener } {
  const received: Received[] = [];
  return {
    received,
    on: async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
    },
  };
}

describe("a webhook", () => {
  it("posts a name and a link over TLS, signed with the secret and the time", async () => {
    const authority = await foreignAuthority();
    const { received, on } = receiver(204);
    const port = await listening(https.createServer(await authority.leaf("127.0.0.1"), on));
    const url = `https://127.0.0.1:${port}/hook`;
    await webhookChannel({ url, secret: secret(), ca: authority.caPem, now }).send(message);
    const [{ headers, body }] = received as [Received];
    expect(JSON.parse(body)).toEqual({
      id: "0123",
      event: "study-waiting",
      text: "Study waiting for approval: pca",
      name: "pca",
      link: "https://console.example/studies/pca-1",
    });
    expect(headers[signatureHeader]).toBe(signatureOf(body, secret(), 1_000_000));
    expect(signatureOf(`${body} `, secret(), 1_000_000)).not.toBe(headers[signatureHeader]);
    expect(signatureOf(body, secret(), 1_000_001)).not.toBe(headers[signatureHeader]);
    expect(signatureOf(body, new SecretBytes(Buffer.from("another secret")), 1_000_000)).not.toBe(
      headers[signatureHeader],
    );
  });

  it("sends nothing to a receiver whose certificate is not trusted", async () => {
    const authority = await foreignAuthority();
    const { received, on } = receiver(204);
    const port = await listening(https.createServer(await authority.leaf("127.0.0.1"), on));
    const url = `https://127.0.0.1:${port}/hook`;
    const failure = await failureOf(webhookChannel({ url, secret: secret(), ca: null, now }).send(message));
    expect(failure.isCertain).toBe(true);
    expect(received).toEqual([]);
  });

  it.each([
    [500, true],
    [302, true],
    // It arrived, and whether it was taken nobody knows.
    [0, false],
  ])("with status %i has certainly failed: %s", async (status, isCertain) => {
    const { received, on } = receiver(status);
    const port = await listening(http.createServer(on));
    const channel = webhookChannel({ url: `http://127.0.0.1:${port}/`, secret: secret(), ca: null, now });
    expect((await failureOf(channel.send(message))).isCertain).toBe(isCertain);
    expect(received).toHaveLength(1);
  });

  it("has certainly failed where nobody listens", async () => {
    const server = http.createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    const channel = webhookChannel({ url: `http://127.0.0.1:${port}/`, secret: secret(), ca: null, now });
    const failure = await failureOf(channel.send(message));
    expect(failure.message).toContain("ECONNREFUSED");
    expect(failure.isCertain).toBe(true);
  });
});
