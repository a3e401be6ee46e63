import type { AddressInfo } from "node:net";
import { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import { foreignAuthority } from "../../testing/network/certificates.js";
import { failureOf } from "../../testing/notify/failureOf.js";
import { mailChannel } from "./mail.js";
import type { Message } from "./message.js";

const message: Message = {
  id: "0123",
  kind: "approval-reminder",
  name: "pca",
  link: "https://console.example/studies/pca-1",
};

interface Received {
  readonly text: string;
  readonly to: readonly string[];
  readonly isSecure: boolean;
}

const open: SMTPServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => new Promise<void>((resolve) => server.close(resolve))));
});

/** A real server on loopback, with a certificate of its own authority. */
async function mailServer(options: SMTPServerOptions = {}, reply: Error | null = null) {
  const authority = await foreignAuthority();
  const received: Received[] = [];
  const server = new SMTPServer({
    ...(await authority.leaf("127.0.0.1")),
    authOptional: true,
    onAuth: ({ username, password }, _, done) =>
      username === "consilium" && password === "secret"
        ? done(null, { user: username })
        : done(new Error("no such user")),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (reply === null)
          received.push({
            text: Buffer.concat(chunks).toString("utf8"),
            to: session.envelope.rcptTo.map(({ address }) => address),
            isSecure: session.secure,
          });
        done(reply);
      });
    },
    ...options,
  });
  // A client that does not trust the certificate ends the handshake.
  server.on("error", () => undefined);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, received, ca: authority.caPem, port: (server.server.address() as AddressInfo).port };
}

const settings = {
  host: "127.0.0.1",
  security: "starttls" as const,
  user: "consilium",
  from: "consilium@st-mary.example",
  to: ["ada@st-mary.example", "ben@st-mary.example"],
};
const password = () => new SecretBytes(Buffer.from("secret"));

describe("e-mail", () => {
  it.each(["starttls", "tls"] as const)(
    "is sent by %s, with a name and a link and nothing else",
    async (security) => {
      const { received, ca, port } = await mailServer({ secure: security === "tls" });
      await mailChannel({ ...settings, security, port, ca, password: password() }).send(message);
      const [{ text, to, isSecure }] = received as [Received];
      expect(isSecure).toBe(true);
      expect(to).toEqual(settings.to);
      expect(text).toMatch(/^Subject: Reminder: study waiting for approval: pca\r$/m);
      expect(text).toMatch(/^Message-ID: <0123@st-mary\.example>\r$/im);
      expect(text.split("\r\n\r\n").slice(1).join("\n").trim()).toBe(
        "Reminder: study waiting for approval: pca\nhttps://console.example/studies/pca-1",
      );
    },
  );

  it("is not sent to a server without TLS", async () => {
    const { received, ca, port } = await mailServer({ disabledCommands: ["STARTTLS"] });
    const failure = await failureOf(
      mailChannel({ ...settings, port, ca, password: password() }).send(message),
    );
    expect(failure.isCertain).toBe(true);
    expect(received).toEqual([]);
  });

  it("is not sent to a server whose certificate is not trusted, or is another host's", async () => {
    const { received, ca, port } = await mailServer();
    const send = (trusted: string | null, host: string) =>
      failureOf(mailChannel({ ...settings, host, port, ca: trusted, password: password() }).send(message));
    expect((await send(null, "127.0.0.1")).message).toContain("certificate is not trusted");
    expect((await send(ca, "localhost")).message).toContain("certificate is not trusted");
    expect(received).toEqual([]);
  });

  it("fails with the server's code for a wrong password, without the password", async () => {
    const { ca, port } = await mailServer();
    const wrong = new SecretBytes(Buffer.from("not-it"));
    const failure = await failureOf(mailChannel({ ...settings, port, ca, password: wrong }).send(message));
    expect(failure.message).toBe("the mail server did not take it: reply 535 at AUTH");
    expect(failure.isCertain).toBe(true);
  });

  it("has certainly failed where the server says so", async () => {
    const busy = Object.assign(new Error("try later"), { responseCode: 451 });
    const { ca, port } = await mailServer({}, busy);
    const failure = await failureOf(
      mailChannel({ ...settings, port, ca, password: password() }).send(message),
    );
    expect(failure).toMatchObject({ message: expect.stringContaining("reply 451"), isCertain: true });
  });

  it("is unconfirmed where the server ends after it has the message", async () => {
    const { server, ca, port } = await mailServer({
      onData: (stream) => {
        stream.resume();
        stream.on("end", () => {
          for (const connection of server.connections) (connection as unknown as { close(): void }).close();
        });
      },
    });
    const failure = await failureOf(
      mailChannel({ ...settings, port, ca, password: password() }).send(message),
    );
    expect(failure.isCertain).toBe(false);
  });
});
