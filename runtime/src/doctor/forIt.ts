import { hostname } from "node:os";
import { type Address, formatAddress } from "../tls/address.js";

/** The texts for a hospital's network team: source, destination, protocol, direction and request. */

/** A description of the connection, for every request. */
function nature({ host, port }: Address, machine: string): string {
  return (
    `The connection is outbound only (no inbound port is needed), from the machine ${machine} to ${host}, TCP port ` +
    `${port}. It is TLS 1.3 carrying HTTP/2 (gRPC), stays open, and sends a small message every 5 seconds.`
  );
}

export function dnsRequest(address: Address, answer: string, machine = hostname()): string {
  return (
    `Please let the machine ${machine} resolve the name ${address.host} (DNS, A or AAAA record). ` +
    `Today ${answer}. ${nature(address, machine)}`
  );
}

export function tcpRequest(address: Address, today: string, machine = hostname()): string {
  return `Please allow outgoing TCP connections to ${formatAddress(address)}. Today ${today}. ${nature(address, machine)}`;
}

export function proxyRequest(address: Address, proxy: Address, today: string, machine = hostname()): string {
  return (
    `Please allow the method CONNECT to ${formatAddress(address)} on the web proxy ${formatAddress(proxy)}, without opening ` +
    `TLS on the way. Today ${today}. ${nature(address, machine)}`
  );
}

export function proxyReachRequest(proxy: Address, today: string, machine = hostname()): string {
  return (
    `Please allow outgoing TCP connections from the machine ${machine} to the web proxy ${formatAddress(proxy)}, or tell us ` +
    `the proxy that this machine is to use. Today ${today}.`
  );
}

export function bypassRequest(address: Address, issuer: string, machine = hostname()): string {
  return (
    `Please exempt ${formatAddress(address)} from TLS inspection ("do not decrypt", bypass by host and port). Today the ` +
    `connection is answered with a certificate issued by "${issuer}". Both ends of this connection show certificates of a ` +
    "private authority and accept no other (mutual TLS with a pinned root), so it can never work when it is decrypted on " +
    `the way; adding an authority to this machine does not help. ${nature(address, machine)}`
  );
}

export function tlsRequest(address: Address, today: string, machine = hostname()): string {
  return (
    `Please let TLS 1.3 to ${formatAddress(address)} pass unchanged (no protocol filter, no TLS inspection, no downgrade). ` +
    `Today ${today}. ${nature(address, machine)}`
  );
}

export function http2Request(address: Address, today: string, machine = hostname()): string {
  return (
    `Please let HTTP/2 over TLS (ALPN "h2", gRPC) to ${formatAddress(address)} pass unchanged, as plain TCP: no application ` +
    `firewall, no proxy that speaks HTTP/1.1 only, no limit on the duration of a connection. Today ${today}. ${nature(address, machine)}`
  );
}

export function clockRequest(today: string, machine = hostname()): string {
  return (
    `Please have the machine ${machine} synchronise its clock (NTP: outgoing UDP port 123 to your time server, or ` +
    `chrony). Today ${today}.`
  );
}
