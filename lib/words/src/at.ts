import type { AnySaid, Say } from "./said.js";

/** A sentence that only says behind a place what is wrong there. */
export const at =
  (what: string) =>
  ({ place }: { readonly place: AnySaid }, { say }: Say): string =>
    `${say(place)}: ${what}`;
