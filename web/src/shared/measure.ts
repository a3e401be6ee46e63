import type { Measure } from "@consilium/core/release/modelCard";
import { decimal, t } from "./language";

/** A measure with its interval of 95 %. */
export function measureText({ value, low, high }: Omit<Measure, "name">): string {
  const digits = (one: number) => decimal(one.toFixed(3));
  if (value === null) return t("too imprecise to interpret");
  return low === null || high === null
    ? digits(value)
    : t("{value} ({value2} to {value3})", {
        value: digits(value),
        value2: digits(low),
        value3: digits(high),
      });
}
