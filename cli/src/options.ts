import { unwrap } from "@consilium/core/result";
import { parseDuration } from "@consilium/core/units";
import { parseAddress } from "@consilium/runtime/tls/address";
import { InvalidArgumentError, Option } from "commander";

/** Parsers of option values; their errors say what to write. */

export function portOption(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535; 0 picks a free one.");
}

/** `host:port`, as it was written. */
export function addressOption(text: string): string {
  const parsed = parseAddress(text);
  if (parsed.ok) return text;
  throw new InvalidArgumentError(`This is ${parsed.error.message}: ${parsed.error.remedy}.`);
}

/** @returns milliseconds */
export function durationOption(text: string): number {
  const parsed = parseDuration(text);
  if (parsed.ok && parsed.value > 0) return unwrap(parsed);
  throw new InvalidArgumentError("A duration is a number with a unit: 30s, 10m, 24h or 7d.");
}

export function countOption(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("A count is a whole number from 1.");
}

/** An option that takes a duration, with its default in the same notation. */
export function durationFlag(flags: string, description: string, fallback: string): Option {
  return new Option(flags, description).argParser(durationOption).default(durationOption(fallback), fallback);
}

/** For repeatable options: collects the values in order. */
export function collect(value: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}
