import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import { type Channel, DeliveryError, type Message, subjectOf } from "./message.js";

interface WebhookSettings {
  readonly url: string;
  readonly secret: SecretBytes;
  /** PEM of the authorities to trust; null: the system's. */
  readonly ca: string | null;
  readonly now: () => number;
}

const timeoutMs = 30_000;

/** Of the body and the time of the attempt: a message that was overheard cannot be sent again later. */
export const signatureHeader = "consilium-signature";

/** `t=<seconds since 1970>,v1=<HMAC-SHA256 of "<t>.<body>", in hex>` */
export function signatureOf(body: string, secret: SecretBytes, seconds: number): string {
  const mac = createHmac("sha256", secret.reveal()).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}

/** A signed POST of JSON. Redirects are not followed. */
export function webhookChannel(settings: WebhookSettings): Channel {
  const url = new URL(settings.url);
  return { channel: "webhook", to: url.host, send: (message) => post(url, settings, message) };
}

function post(url: URL, { secret, ca, now }: WebhookSettings, message: Message): Promise<void> {
  const { id, kind, name, link } = message;
  const body = JSON.stringify({ id, event: kind, text: subjectOf(message), name, link });
  const options = {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      [signatureHeader]: signatureOf(body, secret, Math.floor(now() / 1_000)),
    },
    timeout: timeoutMs,
    // Of its own: on a connection that is used again nobody could tell whether a lost request arrived.
    agent: false as const,
    // A receiver is not ours: below TLS 1.3, yet nothing that is broken.
    ...(url.protocol === "https:" ? { minVersion: "TLSv1.2" as const, ...(ca === null ? {} : { ca }) } : {}),
  };
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const fail = (what: string, isCertain: boolean, cause?: unknown) =>
      reject(new DeliveryError(`the webhook's receiver did not take it: ${what}`, { isCertain, cause }));
    const request = (url.protocol === "https:" ? https : http).request(url, options, (response) => {
      response.resume();
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) resolve();
      else fail(`status ${status}`, true);
    });
    request.on("socket", (socket) => {
      const event = url.protocol === "https:" ? "secureConnect" : "connect";
      socket.once(event, () => {
        isConnected = true;
      });
    });
    request.on("timeout", () => request.destroy(new Error("no answer in 30 s")));
    request.on("error", (cause) => {
      const code = "code" in cause ? String(cause.code) : cause.message;
      fail(code, !isConnected, cause);
    });
    request.end(body);
  });
}
