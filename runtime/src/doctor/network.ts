import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { createSecureContext } from "node:tls";
import type { DoctorCheck, DoctorCheckId } from "@consilium/core/hospital/doctorView";
import type { Sha256 } from "@consilium/core/ids";
import type { Role } from "../identity/names.js";
import type { RevocationList } from "../identity/revoked.js";
import { interceptedFault, isOfFederation, namesIn } from "../network/intercepted.js";
import { type Presented, shakeHands } from "../network/presented.js";
import type { WebProxy } from "../network/proxy.js";
import { inWords, RouteFault, reasonOf } from "../network/routeFault.js";
import { openRoute, proxyName } from "../network/tunnel.js";
import { type Address, formatAddress } from "../tls/address.js";
import { pinnedRoot } from "../tls/fetchChain.js";
import { minimumTlsVersion } from "../tls/policy.js";
import { check, fail, ok, skipped, type Verdict } from "./check.js";
import * as forIt from "./forIt.js";
import { askCheck, beginHttp2, type CheckAnswer } from "./probe.js";
import { bypass, noHttp2, noTls, proxyFailed, unreached } from "./routeVerdicts.js";
import { anyTimeOf, judgeAnswer, judgeCertificate, judgeClock, judgeVersion } from "./verdicts.js";

/** A server to check, and how. */
export interface NetworkTarget {
  readonly address: Address;
  readonly proxy: WebProxy | null;
  readonly serverRole: Role;
  /** Of the root that the server's certificate must come from. */
  readonly rootFingerprint: Sha256;
  /** This machine's identity; absent before enrolment. */
  readonly identity?: { readonly tlsKeyPem: string; readonly chainPem: string };
  readonly revocations?: RevocationList | undefined;
  /** This machine's clock. */
  readonly now: () => number;
  /** For each step. */
  readonly timeoutMs: number;
  /** Called with the check's message as it is sent, before it is sent. */
  readonly sending?: ((message: Uint8Array) => void) | undefined;
}

type Step = Extract<
  DoctorCheckId,
  "proxy" | "dns" | "tcp" | "tls" | "http2" | "aggregator" | "clock" | "certificate" | "version"
>;

const titles: Readonly<Record<Step, string>> = {
  proxy: "Web proxy",
  dns: "Aggregator host name (DNS)",
  tcp: "Network path to the aggregator (TCP)",
  tls: "Aggregator TLS certificate (not intercepted)",
  http2: "HTTP/2",
  aggregator: "Aggregator response",
  clock: "Clock",
  certificate: "Site certificate, as seen by the aggregator",
  version: "Protocol version",
};

const order = Object.keys(titles) as Step[];

/** Checks every step of the path to a server; checks that cannot run are skipped, with the reason. */
export async function checkNetwork(target: NetworkTarget): Promise<DoctorCheck[]> {
  const found = new Map<Step, Verdict>();
  const socket = await reach(target, found);
  if (socket !== null) {
    const presented = await shake(socket, target, found);
    if (presented !== null) await converse(presented, target, found);
  }
  const cause = order.find((step) => found.get(step)?.status === "fail");
  const why = cause === undefined ? "not applicable" : `not checked: see "${titles[cause]}"`;
  return order.map((step) => check(step, titles[step], found.get(step) ?? skipped(why)));
}

/** One line about an aggregator that may take over: where the way to it ends, or what it answers. */
export async function checkStandby(target: NetworkTarget): Promise<DoctorCheck> {
  const address = formatAddress(target.address);
  const found = await checkNetwork(target);
  const fault = found.find(({ status }) => status === "fail");
  const answer = found.find(({ id }) => id === "aggregator");
  const verdict: Verdict =
    fault === undefined
      ? ok(`${address}: ${answer!.found}`)
      : { ...fault, found: `${address}: ${fault.found}` };
  return check(`aggregator:${address.replace(/[^A-Za-z0-9._-]/g, "-")}`, "Standby aggregator", verdict);
}

/** Name, TCP and the proxy's tunnel. */
async function reach(target: NetworkTarget, found: Map<Step, Verdict>): Promise<Socket | null> {
  const { address, proxy, timeoutMs } = target;
  if (proxy === null) {
    found.set("proxy", skipped("no proxy configured; direct connection"));
    const name = await lookUp(target);
    found.set("dns", name);
    if (name.status === "fail") return null;
  } else {
    found.set("dns", skipped("the proxy resolves the name"));
    found.set("tcp", skipped("the proxy makes the connection"));
  }
  try {
    let remote = "";
    const socket = await openRoute(address, {
      proxy,
      timeoutMs,
      onStep: (step, detail) => {
        if (step === "tcp") remote = detail.remote;
      },
    });
    if (proxy === null) found.set("tcp", ok(`${formatAddress(address)} accepts connections (${remote})`));
    else found.set("proxy", ok(`${proxyName(proxy)} opens a tunnel to ${formatAddress(address)}`));
    return socket;
  } catch (thrown) {
    const fault = routeFault(thrown);
    if (proxy === null) found.set("tcp", unreached(fault, address));
    else
      found.set(
        "proxy",
        proxyFailed(fault, address, { ...proxy, hasCredentials: proxy.credentials !== null }),
      );
    return null;
  }
}

async function lookUp({ address, timeoutMs }: NetworkTarget): Promise<Verdict> {
  const { host } = address;
  if (isIP(host) !== 0) return ok(`${host} is an IP address: nothing to resolve`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timeout")), timeoutMs);
  });
  try {
    const found = await Promise.race([lookup(host, { all: true }), late]);
    return ok(`found ${found.map((one) => one.address).join(", ")} for ${host}`);
  } catch (cause) {
    const reason = reasonOf(cause);
    const today =
      reason === "ENOTFOUND" ? "the name server reports an unknown name" : "the name server does not answer";
    return fail(
      `cannot resolve ${host}: ${inWords(reason)}`,
      "compare the name with the invitation; if it is correct, send the text below to the network team",
      forIt.dnsRequest(address, `${today} (${reason})`),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** A fault of the route's; whatever else is thrown is an error of the configuration that concerns the proxy. */
function routeFault(thrown: unknown): RouteFault {
  if (thrown instanceof RouteFault) return thrown;
  const message = thrown instanceof Error ? thrown.message : "unexpected error";
  return new RouteFault("proxy-credentials", message, { reason: "configuration", cause: thrown });
}

/** TLS: whose certificate it is, and whether anything on the way opens or stops it. */
async function shake(
  socket: Socket,
  target: NetworkTarget,
  found: Map<Step, Verdict>,
): Promise<Presented | null> {
  const { address, identity, timeoutMs } = target;
  let presented: Presented;
  try {
    const context =
      identity === undefined
        ? undefined
        : createSecureContext({
            key: identity.tlsKeyPem,
            cert: identity.chainPem,
            minVersion: minimumTlsVersion,
          });
    presented = await shakeHands(socket, address, { timeoutMs, ...(context && { context }) });
  } catch (thrown) {
    await explainTls(routeFault(thrown), target, found);
    return null;
  }
  const verdict = judgePresented(presented.chain, target);
  found.set("tls", verdict);
  if (verdict.status === "fail") {
    presented.socket.destroy();
    return null;
  }
  if (presented.protocol === "h2") return presented;
  presented.socket.destroy();
  const today =
    'TLS works, but HTTP/2 negotiation (ALPN "h2") is removed on the way or refused by the server';
  found.set("http2", noHttp2(address, today));
  return null;
}

/** Whose certificate it is. One that is only out of date passes here: the clocks, compared later, say why. */
function judgePresented(chain: readonly Buffer[], target: NetworkTarget): Verdict {
  const { address, rootFingerprint: pinned, serverRole } = target;
  const at = (now: number) => pinnedRoot(chain, address, { rootFingerprint: pinned, serverRole, now });
  const now = target.now();
  const judged = at(now);
  if (judged.ok) {
    const until = new Date(judged.value.server.notAfter).toISOString();
    return ok(
      `${formatAddress(address)} presents a certificate of the pinned authority, valid until ${until}`,
    );
  }
  if (judged.error.code === "TLS_INTERCEPTED") return intercepted(chain, address);
  const early = isOfFederation(chain) ? anyTimeOf(chain[0]) : null;
  if (early !== null && at(early).ok) {
    return {
      ...ok(
        `${formatAddress(address)} presents a certificate of the pinned authority, but ${judged.error.message}`,
      ),
      status: "warn",
      remedy: "see the clock check",
    };
  }
  return fail(`${formatAddress(address)}: ${judged.error.message}`, judged.error.remedy);
}

function intercepted(chain: readonly Buffer[], address: Address): Verdict {
  return bypass(interceptedFault(address, chain).message, namesIn(chain[0]).issuer, address);
}

/** TLS did not come about: is it HTTP/2's name, TLS 1.3, or everything that is stopped? */
async function explainTls(
  fault: RouteFault,
  target: NetworkTarget,
  found: Map<Step, Verdict>,
): Promise<void> {
  const { address } = target;
  const older = await tryAgain(target, { oldest: "TLSv1.2" });
  if (older !== null && !isOfFederation(older.chain)) {
    found.set("tls", intercepted(older.chain, address));
    return;
  }
  const plain = await tryAgain(target, { protocols: [] });
  if (plain !== null) {
    found.set("tls", judgePresented(plain.chain, target));
    const today = `the connection is closed as soon as HTTP/2 (ALPN "h2") is offered (${fault.reason}); without it TLS works`;
    found.set("http2", noHttp2(address, today));
    return;
  }
  const today = `TCP connects, but the TLS handshake fails: ${inWords(fault.reason)}`;
  found.set("tls", noTls(address, today));
}

async function tryAgain(
  target: NetworkTarget,
  how: { readonly protocols?: readonly string[]; readonly oldest?: "TLSv1.2" },
): Promise<Presented | null> {
  const { address, proxy, timeoutMs } = target;
  try {
    const socket = await openRoute(address, { proxy, timeoutMs });
    const presented = await shakeHands(socket, address, { timeoutMs, ...how });
    presented.socket.destroy();
    return presented;
  } catch {
    return null;
  }
}

/** HTTP/2, and what the aggregator says. */
async function converse(
  presented: Presented,
  target: NetworkTarget,
  found: Map<Step, Verdict>,
): Promise<void> {
  const { address, timeoutMs } = target;
  const begun = await beginHttp2(presented.socket, formatAddress(address), timeoutMs);
  if (!begun.ok) {
    const today =
      begun.reason === "timeout"
        ? "TLS works, but HTTP/2's first frames are dropped: no answer"
        : `TLS works, but the connection is closed at HTTP/2's first frames (${begun.reason})`;
    found.set("http2", noHttp2(address, today));
    return;
  }
  found.set("http2", ok("settings and a ping are answered"));
  let answer: CheckAnswer;
  try {
    answer = await askCheck(begun.session, target);
  } finally {
    begun.session.destroy();
  }
  if (target.serverRole !== "aggregator") return;
  found.set("aggregator", judgeAnswer(answer));
  found.set("clock", judgeClock(answer, target, presented.chain));
  found.set("certificate", judgeCertificate(answer, target));
  found.set("version", judgeVersion(answer));
}
