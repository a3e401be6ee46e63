import { request } from "node:http";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Address, formatAddress } from "../tls/address.js";
import { minimumProxyTlsVersion } from "../tls/policy.js";
import type { WebProxy } from "./proxy.js";
import { inWords, RouteFault, reasonOf, stepMs } from "./routeFault.js";

/** Reports a connection's progress. */
type OnStep = (step: "tcp" | "proxy-tls" | "tunnel", detail: { readonly remote: string }) => void;

export interface RouteOptions {
  readonly proxy: WebProxy | null;
  readonly timeoutMs?: number;
  readonly onStep?: OnStep;
}

/**
 * Connects to an address, directly or through a proxy. Nothing is sent to the far end.
 * @returns a socket whose bytes reach the far end as they are
 * @throws RouteFault
 */
export async function openRoute(address: Address, options: RouteOptions): Promise<Socket> {
  const { proxy, timeoutMs = stepMs } = options;
  const socket = await dial(proxy ?? address, timeoutMs, proxy !== null);
  options.onStep?.("tcp", { remote: socket.remoteAddress ?? "" });
  if (proxy === null) return socket;
  return openTunnel(socket, address, { ...options, proxy });
}

/** Has a proxy that a socket leads to open a tunnel to an address. The socket is destroyed when that fails. */
export async function openTunnel(
  socket: Socket,
  address: Address,
  options: RouteOptions & { readonly proxy: WebProxy },
): Promise<Socket> {
  const { proxy, timeoutMs = stepMs } = options;
  let inner = socket;
  try {
    if (proxy.isTls) {
      inner = await secureProxy(socket, proxy, timeoutMs);
      options.onStep?.("proxy-tls", { remote: proxyName(proxy) });
    }
    const tunnel = await connectThrough(inner, address, proxy, timeoutMs);
    options.onStep?.("tunnel", { remote: formatAddress(address) });
    return tunnel;
  } catch (thrown) {
    inner.destroy();
    socket.destroy();
    throw thrown;
  }
}

/** `the proxy proxy.example.org:3128 (HTTPS_PROXY)` */
export function proxyName(proxy: WebProxy): string {
  return `the proxy ${formatAddress(proxy)} (${proxy.source})`;
}

function dial(address: Address, timeoutMs: number, isProxy: boolean): Promise<Socket> {
  const where = isProxy ? `the proxy ${formatAddress(address)}` : formatAddress(address);
  const fault = (cause: unknown) => {
    const reason = reasonOf(cause);
    const isName = reason === "ENOTFOUND" || reason === "EAI_AGAIN";
    const stage = isName ? "dns" : "tcp";
    const message = `cannot reach ${where}: ${inWords(reason)}`;
    return new RouteFault(isProxy ? `proxy-${stage}` : stage, message, { reason, cause });
  };
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host: address.host, port: address.port });
    socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(new Error("timeout")), timeoutMs);
    const failed = (cause: unknown) => {
      clearTimeout(timer);
      reject(fault(cause));
    };
    socket.once("error", failed);
    socket.once("close", failed);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", failed);
      socket.off("close", failed);
      held(socket);
      resolve(socket);
    });
  });
}

/** Who takes a socket over listens for itself, and may look later: until then its failure must not end the process. */
function held(socket: Socket): void {
  socket.on("error", () => undefined);
}

function secureProxy(socket: Socket, proxy: WebProxy, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const tls = connectTls({
      socket,
      ...(isIP(proxy.host) === 0 && { servername: proxy.host }),
      // A proxy's name is checked, as a browser would; by an address, where that is how it is named.
      host: proxy.host,
      ALPNProtocols: ["http/1.1"],
      minVersion: minimumProxyTlsVersion,
      ...(proxy.caPem !== null && { ca: proxy.caPem }),
    });
    const timer = setTimeout(() => tls.destroy(new Error("timeout")), timeoutMs);
    const failed = (cause: unknown) => {
      clearTimeout(timer);
      const reason = reasonOf(cause);
      reject(
        new RouteFault(
          "proxy-tls",
          `${proxyName(proxy)}: TLS to the proxy itself failed: ${inWords(reason)}`,
          {
            reason,
            remedy: "set proxy.ca to the authority of the proxy's certificate, or use http:// if it has none",
            cause,
          },
        ),
      );
    };
    tls.once("error", failed);
    tls.once("close", failed);
    tls.once("secureConnect", () => {
      clearTimeout(timer);
      tls.off("error", failed);
      tls.off("close", failed);
      held(tls);
      resolve(tls);
    });
  });
}

/** The schemes of each Proxy-Authenticate, such as `Basic`: without their parameters, which may name a realm. */
function schemesOf(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1 || name.toLowerCase() !== "proxy-authenticate") return [];
    return /^\s*([A-Za-z][A-Za-z0-9-]{0,30})/.exec(rawHeaders[index + 1] ?? "")?.[1] ?? [];
  });
}

async function connectThrough(
  socket: Socket,
  address: Address,
  proxy: WebProxy,
  timeoutMs: number,
): Promise<Socket> {
  const target = formatAddress(address);
  const headers: Record<string, string> = { host: target };
  if (proxy.credentials !== null) {
    const password = await proxy.credentials.password();
    const pair = Buffer.concat([Buffer.from(`${proxy.credentials.username}:`, "utf8"), password.reveal()]);
    headers["proxy-authorization"] = `Basic ${pair.toString("base64")}`;
  }
  return new Promise((resolve, reject) => {
    // While the password was read: of a socket that is closed already a request hears nothing.
    if (socket.destroyed) return reject(refused(new Error("closed"), target, proxy));
    const call = request({ method: "CONNECT", path: target, headers, createConnection: () => socket });
    const timer = setTimeout(() => call.destroy(new Error("timeout")), timeoutMs);
    call.once("connect", (answer, tunnel, head) => {
      clearTimeout(timer);
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status <= 299) {
        // The far end may have spoken already.
        if (head.length > 0) tunnel.unshift(head);
        resolve(tunnel as Socket);
        return;
      }
      reject(refusalOf(status, schemesOf(answer.rawHeaders), target, proxy));
    });
    call.once("error", (cause) => {
      clearTimeout(timer);
      reject(refused(cause, target, proxy));
    });
    call.end();
  });
}

function refused(cause: Error, target: string, proxy: WebProxy): RouteFault {
  const reason = reasonOf(cause);
  const isHttp = !reason.startsWith("HPE_");
  const what = isHttp ? inWords(reason) : "its response is not HTTP";
  const message = `${proxyName(proxy)} refuses a tunnel to ${target}: ${what}`;
  return new RouteFault("proxy-answer", message, { reason, cause });
}

function refusalOf(status: number, schemes: readonly string[], target: string, proxy: WebProxy): RouteFault {
  const reason = String(status);
  const name = proxyName(proxy);
  if (status !== 407) {
    return new RouteFault("proxy-answer", `${name} refuses a tunnel to ${target}: HTTP ${status}`, {
      reason,
    });
  }
  const offered = schemes.join(", ");
  const takesBasic = schemes.length === 0 || schemes.some((scheme) => scheme.toLowerCase() === "basic");
  const what =
    proxy.credentials === null ? "requires credentials, but none are configured" : "rejects the credentials";
  const remedy = takesBasic
    ? "set username and passwordFile under `proxy:` in config.yaml, or correct them"
    : `it only accepts ${offered}, and this software only supports Basic: request a tunnel without credentials`;
  return new RouteFault(
    "proxy-credentials",
    `${name} ${what}${offered === "" ? "" : ` (it takes ${offered})`}`,
    {
      reason,
      remedy,
      ...(offered === "" ? {} : { detail: offered }),
    },
  );
}
