import { ifInstalled } from "@consilium/core/method/ifInstalled";
import { Methods } from "@consilium/core/method/methods";
import { soundMethods } from "@consilium/methods/registry";

let known: Promise<Methods> | null = null;

/** All methods; where methods-paper was left out, as in an image of a hospital that wants it so, the proved ones alone. */
export function installedMethods(): Promise<Methods> {
  known ??= ifInstalled(() => import("@consilium/methods-paper/registry")).then(
    (published) => new Methods([...soundMethods, ...(published?.paperMethods ?? [])]),
  );
  return known;
}
