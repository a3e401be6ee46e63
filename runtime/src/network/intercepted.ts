import { uriNames, x509 } from "../identity/x509.js";
import { type Address, formatAddress } from "../tls/address.js";
import { RouteFault } from "./routeFault.js";

/** Whether a chain is of some Consilium federation, by what its certificates say of themselves. */
export function isOfFederation(chain: readonly Uint8Array[]): boolean {
  return chain.some((der) => {
    try {
      return uriNames(new x509.X509Certificate(Uint8Array.from(der))).some((uri) =>
        uri.startsWith("consilium:"),
      );
    } catch {
      return false;
    }
  });
}

/** Whom a certificate names and who issued it, for people; what cannot be read is `?`. */
export function namesIn(der: Uint8Array | undefined): { readonly subject: string; readonly issuer: string } {
  try {
    const certificate = new x509.X509Certificate(Uint8Array.from(der!));
    return { subject: nameOf(certificate.subject), issuer: nameOf(certificate.issuer) };
  } catch {
    return { subject: "?", issuer: "?" };
  }
}

/** The common name of a distinguished name, else the whole; in printable characters, at most 120. */
function nameOf(distinguished: string): string {
  const common = /(?:^|, )CN=((?:\\.|[^,])*)/.exec(distinguished)?.[1] ?? distinguished;
  return common.replace(/[^\x20-\x7e\u00a0-\uffff]/g, "?").slice(0, 120) || "?";
}

/** Somebody else's certificate where one of the federation is due: on the way TLS was opened, or the address is another's. */
export function interceptedFault(address: Address, chain: readonly Uint8Array[]): RouteFault {
  const { subject, issuer } = namesIn(chain[0]);
  return new RouteFault(
    "interception",
    `${formatAddress(address)} presents a certificate for "${subject}" from "${issuer}", which is not a Consilium ` +
      "federation's: a device intercepts TLS, or the address belongs to another service",
    { reason: "foreign-certificate", detail: issuer },
  );
}
