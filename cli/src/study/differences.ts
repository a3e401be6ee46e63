import type { Difference } from "@consilium/core/study/differences";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";

export function differenceText({ path, ...sides }: Difference, { style }: Session): string {
  const line = (sign: string, value: unknown) => `${sign} ${printable(`${path}: ${JSON.stringify(value)}`)}`;
  return [
    ...("before" in sides ? [style.bad(line("-", sides.before))] : []),
    ...("after" in sides ? [style.good(line("+", sides.after))] : []),
  ].join("\n");
}
