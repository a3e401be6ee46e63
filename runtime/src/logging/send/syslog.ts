import { once } from "node:events";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { type Address, formatAddress } from "../../tls/address.js";
import type { EcsLine } from "../ecs.js";
import type { Receiver } from "./queue.js";

export interface SyslogOptions {
  readonly to: { readonly tls: Address } | { readonly socket: string };
  /** PEM; null: the system's authorities. */
  readonly ca: string | null;
  readonly client: { readonly cert: string; readonly key: string } | null;
  /** RFC 5424, table 1. */
  readonly facility: number;
}

const connectTimeoutMs = 10_000;
/** In TLS 1.3 a receiver refuses a client's certificate after the client has finished its handshake. */
const settleMs = 250;

/** RFC 5424, table 2. */
const severities: Readonly<Record<string, number>> = {
  fatal: 2,
  error: 3,
  warn: 4,
  info: 6,
  debug: 7,
  trace: 7,
};

/** RFC 5424 §6: what a header's field may have; others are left out, and an empty field is a hyphen. */
const headerField = (text: string, most: number): string =>
  text.replace(/[^\x21-\x7e]/g, "").slice(0, most) || "-";

/**
 * A line as RFC 5424 has it: the header, no structured data, and the line's ECS fields as JSON. JSON is UTF-8; its mark is
 * left out, as receivers that parse JSON expect (MSG-ANY of §6.4).
 */
export function syslogMessage(line: EcsLine, facility: number): Buffer {
  const priority = facility * 8 + (severities[String(line["log.level"])] ?? 6);
  const header = [
    `<${priority}>1`,
    String(line["@timestamp"]),
    headerField(hostname(), 255),
    headerField(`consilium-${String(line["service.name"])}`, 48),
    String(process.pid),
    headerField(String(line["event.action"] ?? ""), 32),
    "-",
  ].join(" ");
  return Buffer.from(`${header} ${JSON.stringify(line)}`, "utf8");
}

/** RFC 5425 §4.3: the message's length in bytes, a space, the message. */
export function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `, "latin1"), message]);
}

/**
 * A receiver of syslog over TLS, or on a stream socket of this machine. Syslog has no acknowledgement: lines that were
 * handed to a connection which then breaks may be lost.
 */
export function syslogReceiver(options: SyslogOptions): Receiver {
  const { to, facility } = options;
  const name = `syslog ${"tls" in to ? formatAddress(to.tls) : to.socket}`;
  let open: Socket | null = null;
  let isClosed = false;
  const connected = async (): Promise<Socket> => {
    if (open !== null) return open;
    const socket = await dial(options);
    if (isClosed) {
      socket.destroy();
      throw new Error("closed");
    }
    open = socket;
    // Nothing is read; an end by the other side is noticed at once.
    socket.resume();
    socket.once("close", () => {
      if (open === socket) open = null;
    });
    return socket;
  };
  return {
    name,
    send: async (lines) => {
      const socket = await connected();
      try {
        await written(socket, Buffer.concat(lines.map((line) => framed(syslogMessage(line, facility)))));
      } catch (thrown) {
        socket.destroy();
        if (open === socket) open = null;
        throw thrown;
      }
    },
    close: () => {
      isClosed = true;
      open?.end();
      open?.unref();
    },
  };
}

async function dial({ to, ca, client }: SyslogOptions): Promise<Socket> {
  const socket =
    "tls" in to
      ? connectTls({
          host: to.tls.host,
          port: to.tls.port,
          ...(isIP(to.tls.host) === 0 && { servername: to.tls.host }),
          // The receiver is not ours: below TLS 1.3, yet nothing that is broken.
          minVersion: "TLSv1.2",
          ...(ca !== null && { ca }),
          ...client,
        })
      : connectSocket(to.socket);
  // Without a listener an error after this would end the process.
  socket.on("error", () => undefined);
  try {
    await once(socket, "tls" in to ? "secureConnect" : "connect", {
      signal: AbortSignal.timeout(connectTimeoutMs),
    });
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
  if ("tls" in to) await settled(socket);
  return socket;
}

/** Lines that are written before a refusal comes would be lost silently. */
async function settled(socket: Socket): Promise<void> {
  const timer = new AbortController();
  const closed = once(socket, "close", { signal: timer.signal }).then(() => true);
  closed.catch(() => undefined);
  const isRefused = await Promise.race([closed, sleep(settleMs, false, { signal: timer.signal })]);
  timer.abort();
  if (isRefused) throw Object.assign(new Error("connection closed"), { code: "ECONNRESET" });
}

function written(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(Object.assign(new Error("connection closed"), { code: "ECONNRESET" }));
    socket.once("close", closed);
    socket.write(bytes, (fault) => {
      socket.off("close", closed);
      if (fault) reject(fault);
      else resolve();
    });
  });
}
