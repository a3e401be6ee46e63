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
      ? "the connection is refused at once"
      : fault.reason === "timeout" || fault.reason === "ETIMEDOUT"
        ? "there is no answer at all: packets are dropped without a word, as firewalls do"
        : `it fails (${inWords(fault.reason)})`;
  const hint =
    fault.reason === "ECONNREFUSED"
      ? "ask the operator whether the aggregator runs; if it does, a firewall refuses: send the network team the text below"
      : "send the network team the text below; where machines get out only through a web proxy, name it with --proxy";
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
        `compare the proxy's address with the one that the network team gave (it is from ${proxy.source})`,
        forIt.proxyReachRequest(proxy, `it cannot be reached: ${inWords(fault.reason)}`, machine),
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
      const given = proxy.hasCredentials ? "with the credentials that we have" : "without credentials";
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
        "send the network team the text below",
        forIt.proxyRequest(address, proxy, today, machine),
      );
    }
  }
}

export function noHttp2(address: Address, today: string, machine?: string): Verdict {
  return fail(
    today,
    "send the network team the text below; if they find nothing, ask the operator whether a load balancer stands " +
      "before the aggregator that ends TLS",
    forIt.http2Request(address, today, machine),
  );
}

/** Something on the way opens TLS with a certificate of its own. */
export function bypass(message: string, issuer: string, address: Address, machine?: string): Verdict {
  return fail(
    message,
    "check the address; if it is right, send the network team the text below. Nothing was sent over this connection",
    forIt.bypassRequest(address, issuer, machine),
  );
}

export function noTls(address: Address, today: string, machine?: string): Verdict {
  return fail(
    `${formatAddress(address)}: ${today}`,
    "ask the operator whether that address is the aggregator's; if it is, send the network team the text below",
    forIt.tlsRequest(address, today, machine),
  );
}
