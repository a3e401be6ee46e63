import type { Methods } from "@consilium/core/method/methods";

let known: Promise<Methods> | null = null;

/** All methods, loaded at the first call: most commands need none. */
export function installedMethods(): Promise<Methods> {
  known ??= load();
  return known;
}

async function load(): Promise<Methods> {
  const [{ installedMethods: installed }, { soundMethods }] = await Promise.all([
    import("@consilium/core/method/installedMethods"),
    import("@consilium/methods/all"),
  ]);
  return installed(soundMethods, () => import("@consilium/methods-paper/registry"))();
}
