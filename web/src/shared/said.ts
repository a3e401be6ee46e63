import { saidText } from "@consilium/core/said";

/**
 * An answer of a service with each sentence that has a code as its line, from which `translated` says it in the reader's
 * language: the opposite of `spoken` in `runtime/src/http/spoken.ts`.
 */
export function asLines(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(asLines);
  const { said, ...members } = value as Record<string, unknown>;
  const own = isObject(said) ? said : {};
  const lines = Object.entries(members).map(([key, member]) => [key, lined(member, own[key])]);
  const after = Object.fromEntries(lines) as Record<string, unknown>;
  if (said !== undefined && !isObject(said)) after.said = said;
  return after;
}

/** @param said - a sentence, the sentences of a list by position, or nothing */
function lined(member: unknown, said: unknown): unknown {
  if (typeof member === "string") {
    if (isSentence(said)) return saidText(said);
    return isObject(said) && typeof said.text === "string" ? said.text : member;
  }
  if (Array.isArray(member) && isObject(said)) return member.map((item, at) => lined(item, said[at]));
  return asLines(member);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSentence(value: unknown): value is { readonly code: string; readonly params: object } {
  return isObject(value) && typeof value.code === "string" && isObject(value.params);
}
