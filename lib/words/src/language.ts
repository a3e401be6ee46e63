import { decimalsOf, roundedTo } from "./rounding.js";
import type { AnySaid, Interval, Param, Say } from "./said.js";

export interface Grammar {
  /** For `Intl`. */
  readonly tag: string;
  readonly and: string;
  /** Behind the number of those that a list leaves out. */
  readonly more: string;
  /** Nouns of durations, from days to seconds: one and several. */
  readonly units: readonly (readonly [one: string, many: string])[];
  /** `to` of a range. */
  readonly to: string;
  /** Behind a number. */
  readonly percent: string;
  readonly confidence: string;
  readonly noise: string;
  /** Beyond all that was observed. */
  readonly notReached: string;
}

/** A p value below is not told from 0. */
const leastP = 1e-4;

/** Functions of every table of a language, by code. */
export type Sentences = Readonly<Record<string, (params: never, say: Say) => string>>;

const unitsMs = [86_400_000, 3_600_000, 60_000, 1_000];

/**
 * Says codes in one language.
 * @returns what a sentence is in that language; null for a code that it has no words for, and for parameters that its words cannot
 *   be said with: those of another version, or of a text that only looks like a sentence's line
 */
export function speaker(sentences: Sentences, grammar: Grammar): (said: AnySaid) => string | null {
  const exact = new Intl.NumberFormat(grammar.tag, { maximumSignificantDigits: 4 });
  const twoDigits = new Intl.NumberFormat(grammar.tag, { maximumSignificantDigits: 2 });
  const whole = new Intl.NumberFormat(grammar.tag);
  const fixed = (value: number, decimals: number) =>
    new Intl.NumberFormat(grammar.tag, {
      minimumFractionDigits: Math.max(0, decimals),
      maximumFractionDigits: Math.max(0, decimals),
    }).format(roundedTo(value, decimals));
  /** @param options.by - factor. @param options.unit - behind the number. @param options.endUnit - behind each end of the interval */
  const within = (name: string, of: Interval, { by = 1, unit = "", endUnit = "" } = {}) => {
    const scaled = (one: number | null) => (one === null ? null : by * one);
    const [value, low, high] = [of.value, of.low, of.high].map(scaled) as [number, number, number];
    const decimals = decimalsOf({ value, low, high });
    const shown = (one: number | null, own: string) =>
      one === null ? grammar.notReached : `${fixed(one, decimals)}${own}`;
    const isBounded = low !== null || high !== null;
    if (!isBounded || (low !== null && high !== null && !(low < high))) return shown(value, unit);
    return `${shown(value, unit)} (${name} ${shown(low, endUnit)} ${grammar.to} ${shown(high, endUnit)})`;
  };
  const say: Say = {
    number: (value) => {
      if (Number.isNaN(Number(value))) throw new TypeError("no number");
      return (Number.isInteger(value) ? whole : exact).format(value);
    },
    count: (value, one, many = `${one}s`) => `${say.number(value)} ${value === 1 ? one : many}`,
    list: (items) => {
      const texts = items.map(text);
      if (texts.length < 2) return texts.join("");
      return `${texts.slice(0, -1).join(", ")} ${grammar.and} ${texts.at(-1)}`;
    },
    names: (items, more) => {
      const shown = items.map(text).join(", ");
      return more === 0 ? shown : `${shown} ${grammar.and} ${say.number(more)} ${grammar.more}`;
    },
    duration: (milliseconds) => {
      const at = unitsMs.findIndex((unit) => milliseconds >= unit && milliseconds % unit === 0);
      const last = unitsMs.length - 1;
      const unit = at === -1 ? last : at;
      return say.count(Math.round(milliseconds / unitsMs[unit]!), ...grammar.units[unit]!);
    },
    say: (said) => spoken(said) ?? said.code,
    estimate: (of, unit = null) => within(grammar.confidence, of, unit === null ? {} : { unit: ` ${unit}` }),
    noisy: (of) => within(grammar.noise, of),
    share: (of) =>
      within(grammar.confidence, of, { by: 100, unit: grammar.percent, endUnit: grammar.percent }),
    pValue: (p) => (p < leastP ? `p < ${fixed(leastP, 4)}` : `p = ${twoDigits.format(p)}`),
  };
  function text(item: Param): string {
    if (item === null) return "";
    if (typeof item === "number") return say.number(item);
    if (typeof item === "string") return item;
    return "code" in item ? say.say(item) : say.list(item);
  }
  function spoken({ code, params }: AnySaid): string | null {
    if (!Object.hasOwn(sentences, code)) return null;
    try {
      return sentences[code]!(complete(params) as never, say);
    } catch {
      return null;
    }
  }
  return spoken;
}

/** Parameters of which none may be missing that is asked for. */
function complete(params: AnySaid["params"]): AnySaid["params"] {
  return new Proxy(params, {
    get: (given, name: string) => {
      const param = given[name];
      if (param === undefined) throw new TypeError("a parameter is missing");
      return param;
    },
  });
}
