/** Hostile releases from a seed: plans, statements, texts and certificates that are changed and signed anew, or changed as texts. */
import { canonicalJson } from "@consilium/core/canonicalJson";
import { figuresOf, type Loose, type Made, made, sign } from "./madeRelease.js";

type Random = () => number;

/** Numbers from 0 to 1, the same for a seed on every machine. */
export function numbersFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const values: readonly unknown[] = [
  ...JSON.parse(
    "[0,1,-1,2,3,4,1.5,0.25,0.5,1e-3,1.1e-3,1e-5,1e-300,5e-324,1.7976931348623157e308,1e21,24,25,1024,1025,4096]",
  ),
  ...[27, 31, 49, 53].flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]),
  ..."|1|-2|a b|constructor|toString|record|\u2028|\u{1f600}|east|gram|none|paper|pld/1|dealer|2026-01-01T01:00:00".split(
    "|",
  ),
  ...JSON.parse('[null,true,false,[],{},[[]],{"kind":"record"},[1]]'),
];
const all: readonly (() => unknown)[] = values.map((one) => () => structuredClone(one));

/** Every place in a value: its holder and its name there. */
function placesOf(value: Loose, found: [Loose, string][] = []): [Loose, string][] {
  if (typeof value === "object" && value !== null)
    for (const name of Object.keys(value)) {
      found.push([value, name]);
      placesOf(value[name], found);
    }
  return found;
}

function change(root: Loose, random: Random): void {
  const places = placesOf(root);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const numbers = places.filter(([of, at]) => typeof of[at] === "number");
  const [holder, name] = pick(random() < 0.5 && numbers.length > 0 ? numbers : places);
  const before = holder[name];
  const isNumber = typeof before === "number";
  const changes: (() => void)[] = [
    () => {
      holder[name] = pick(all)();
    },
    () => {
      if (Array.isArray(holder)) holder.splice(Number(name), 1);
      else delete holder[name];
    },
    () => {
      if (Array.isArray(holder)) holder.push(structuredClone(before));
      else holder[pick(["extra", "kind", "min", "touches", "maxRows", "__proto", "10"])] = pick(all)();
    },
    () => {
      const [other, otherName] = pick(places);
      holder[name] = structuredClone(other[otherName]);
    },
  ];
  const scaled = () => {
    if (isNumber)
      holder[name] = pick([
        before + 1,
        before - 1,
        before * 2,
        before / 2,
        -before,
        before * 1024,
        before * 1.0000001,
      ]);
  };
  if (isNumber && random() < 0.8) scaled();
  else pick(changes)();
}

const asText: readonly ((text: string, random: Random) => string)[] = [
  (text) => ` ${text}`,
  (text) => `${text}\n`,
  (text) => `\ufeff${text}`,
  (text) => text.replace(/,/, ", "),
  (text) => text.replace(/"format":"/, '"format":"x","format":"'),
  (text) => text.replace(/:(\d+)/, ":-0"),
  (text) => text.replace(/:(\d+)/, ":1e400"),
  (text) => text.replace(/:(\d+)([,}])/, ":$1.0$2"),
  (text) => text.replace(/:(\d+)([,}])/, ":$1e0$2"),
  (text) => text.replace(/:(\d+)([,}])/, ":+$1$2"),
  (text) => text.replace(/:(\d+)([,}])/, ":NaN$2"),
  (text) => text.replace(/:"([a-z])/, ':"\\ud800$1'),
  (text) => text.replace(/:"([a-z])/, ':"\\u0061$1'),
  (text) => text.replace(/:"([a-z])/, ':"\\/$1'),
  (text) => text.replace(/:"([a-z])/, ':"\\u001F$1'),
  (text) => text.replace(/^\{/, '{"__proto__":1,'),
  (text) => text.replace(/:(\d+)/, `:${"[".repeat(65)}${"]".repeat(65)}`),
  (text) => text.replace(/:(\d+)/, `:${"[".repeat(5000)}`),
  (text) => text.slice(0, -1),
  (text, random) => {
    const at = Math.floor(random() * text.length);
    return (
      text.slice(0, at) +
      String.fromCharCode(text.charCodeAt(at) ^ (1 << Math.floor(random() * 7))) +
      text.slice(at + 1)
    );
  },
];

export interface Case {
  readonly certificate: Uint8Array;
  readonly signature: Uint8Array;
}

/** One hostile release. */
export function hostileCase(random: Random): Case {
  const of: Made = made();
  const part = random();
  const times = random() < 0.7 ? 1 : 2;
  for (let time = 0; time < times; time++) {
    if (part < 0.55) change(of.plan, random);
    else if (part < 0.65) change(of.statement, random);
    else if (part < 0.72) change(of.text, random);
  }
  const { rho, epsilon } = figuresOf(of);
  const factors = [1, 1, 1, 1, 1, 1, 1, 1, 1 + 2 ** -31, 1 - 2 ** -31, 1 - 2 ** -29, 1 - 1e-6];
  const factor = () => factors[Math.floor(random() * factors.length)]!;
  of.certificate.shown.zcdp = random() < 0.03 ? null : { rho: rho * factor(), epsilon: epsilon * factor() };
  const change2 = asText[Math.floor(random() * asText.length)]!;
  if (part >= 0.72 && part < 0.82) return certificateChanged(of, random);
  if (part >= 0.82 && part < 0.87) of.raw.text = change2(canonicalJson(of.text), random);
  const signed = sign(of);
  if (part < 0.87) return signed;
  if (part < 0.92) {
    const { statement } = JSON.parse(new TextDecoder().decode(signed.certificate));
    return sign({ ...of, raw: { statement: change2(statement, random) } });
  }
  if (part < 0.96) {
    const text = new TextDecoder().decode(signed.certificate);
    return sign({ ...of, raw: { certificate: change2(text, random) } });
  }
  const bytes = Uint8Array.from(random() < 0.5 ? signed.signature : signed.certificate);
  const isSignature = bytes.length === signed.signature.length;
  const at = Math.floor(random() * bytes.length);
  bytes[at]! ^= 1 << Math.floor(random() * 8);
  return isSignature ? { ...signed, signature: bytes } : { ...signed, certificate: bytes };
}

/** The aggregator's own word changed: nothing of it is countersigned. */
function certificateChanged(of: Made, random: Random): Case {
  const whole = JSON.parse(new TextDecoder().decode(sign(of).certificate));
  change(whole, random);
  try {
    return sign({ ...of, raw: { certificate: canonicalJson(whole) } });
  } catch {
    return sign(of);
  }
}
