import { inWords } from "../network/routeFault.js";
import { type Address, formatAddress } from "../tls/address.js";
import { fail, type Verdict } from "./check.js";
import * as forIt from "./forIt.js";

/** A connection that did not come about, as `RouteFault` has it: of this process, or of another that told of it. */
export interface FailedRoute {
  readonly message: string;
  readonly remedy: string;
  readonly stage: string;
  readonly reason: string;
  readonly detail: string | null;
}

interface ProxyFacts extends Address {
  /** `config.yaml` or the name of a variable. */
  readonly source: string;
  readonly hasCredentials: boolean;
}

/** Of a machine of another name than this one's, `machine` is the name. */

export function unreached(fault: FailedRoute, address: Address, machine?: string): Verdict {
  const today =
    fault.reason === "ECONNREFUSED"
      ? "connection refused"
      : fault.reason === "timeout" || fault.reason === "ETIMEDOUT"
        ? "no answer: packets are dropped silently, as by a firewall"
        : `it fails (${inWords(fault.reason)})`;
  const hint =
    fault.reason === "ECONNREFUSED"
      ? "ask the operator whether the aggregator is running; if it is, a firewall blocks it: send the text below to the network team"
      : "send the text below to the network team; if a web proxy is required, give it with --proxy";
  return fail(`${fault.message}: ${today}`, hint, forIt.tcpRequest(address, today, machine));
}

export function proxyFailed(
  fault: FailedRoute,
  address: Address,
  proxy: ProxyFacts,
  machine?: string,
): Verdict {
  const remedy = fault.remedy;
  switch (fault.stage) {
    case "proxy-dns":
    case "proxy-tcp":
      return fail(
        fault.message,
        `compare the proxy's address with the network team's (it is from ${proxy.source})`,
        forIt.proxyReachRequest(proxy, `unreachable: ${inWords(fault.reason)}`, machine),
      );
    case "proxy-tls":
      return fail(
        fault.message,
        remedy,
        `Please send us the certificate authority of the web proxy ${formatAddress(proxy)} as a PEM file, or tell us ` +
          `whether it is spoken to without TLS. Today TLS to it fails: ${inWords(fault.reason)}.`,
      );
    case "proxy-credentials": {
      const schemes =
        fault.detail === null ? "" : ` It offers ${fault.detail}; this software can give Basic.`;
      const given = proxy.hasCredentials ? "with the configured credentials" : "without credentials";
      return fail(
        fault.message,
        remedy,
        forIt.proxyRequest(
          address,
          proxy,
          `it answers 407 (Proxy Authentication Required) ${given}.${schemes}`,
          machine,
        ),
      );
    }
    default: {
      const today = /^\d+$/.test(fault.reason) ? `it answers HTTP ${fault.reason}` : inWords(fault.reason);
      return fail(
        fault.message,
        "send the text below to the network team",
        forIt.proxyRequest(address, proxy, today, machine),
      );
    }
  }
}

export function noHttp2(address: Address, today: string, machine?: string): Verdict {
  return fail(
    today,
    "send the text below to the network team; if they find nothing, ask the operator whether a load balancer " +
      "in front of the aggregator terminates TLS",
    forIt.http2Request(address, today, machine),
  );
}

/** Something on the way opens TLS with a certificate of its own. */
export function bypass(message: string, issuer: string, address: Address, machine?: string): Verdict {
  return fail(
    message,
    "check the address; if it is correct, send the text below to the network team. Nothing was sent over this connection",
    forIt.bypassRequest(address, issuer, machine),
  );
}

export function noTls(address: Address, today: string, machine?: string): Verdict {
  return fail(
    `${formatAddress(address)}: ${today}`,
    "ask the operator whether this is the aggregator's address; if so, send the text below to the network team",
    forIt.tlsRequest(address, today, machine),
  );
}
