import type { Method } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import { soundMethods } from "@consilium/methods/registry";

let known: Promise<Methods> | null = null;

/** All methods; where methods-paper was left out, as in an image of a hospital that wants it so, the proved ones alone. */
export function installedMethods(): Promise<Methods> {
  known ??= paperMethods().then((published) => new Methods([...soundMethods, ...published]));
  return known;
}

async function paperMethods(): Promise<readonly Method[]> {
  try {
    return (await import("@consilium/methods-paper/registry")).paperMethods;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") return [];
    throw cause;
  }
}
