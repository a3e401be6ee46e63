import { isIP } from "node:net";
import type { ConsiliumError } from "@consilium/core/errors";
import { err, ok, type Result } from "@consilium/core/result";
import { fault } from "../fault.js";

export interface Address {
  /** A host name or an IP address, IPv6 without brackets. */
  readonly host: string;
  /** 0 to 65535; 0 asks for a free one where an address is listened on. */
  readonly port: number;
}

const hostName = /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}))*$/;

/** Reads `host:port`; an IPv6 address stands in brackets: `[::1]:7443`. */
export function parseAddress(text: string): Result<Address, ConsiliumError> {
  const match = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([^:[\]]{1,253})):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2] ?? "";
  const port = Number(match?.[3] ?? Number.NaN);
  const hostIsValid = match?.[1] === undefined ? hostName.test(host) : isIP(host) === 6;
  if (hostIsValid && port <= 65_535) return ok({ host, port });
  return err(fault("CONFIG_INVALID", "address.invalid", {}, "address.write"));
}

/** An address that this machine can dial, for one that may mean every interface. */
export function reachableAddress({ host, port }: Address): Address {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return host === "::" ? { host: "::1", port } : { host, port };
}

/** `host:port`, IPv6 in brackets. */
export function formatAddress(address: Address): string {
  return isIP(address.host) === 6 ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`;
}

/** Whether the other end of a connection is on this machine, by its numeric address. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address);
}
