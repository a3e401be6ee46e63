/** For tests: other spellings of a canonical JSON text, and texts beside it that two programs may read differently. */

export interface HostileText {
  readonly name: string;
  readonly text: string;
}

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

/**
 * None of these is canonical; every reader refuses each, and none throws.
 * @param text - canonical JSON of an object with a text in it; numbers are changed where it has one
 */
export function hostileTexts(text: string): HostileText[] {
  const all = JSON.parse(text) as Record<string, unknown>;
  const [key, value] = Object.entries(all)[0]!;
  const first = JSON.stringify(key);
  const begun = (more: string) => `{${more},${text.slice(1)}`;
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|./gu)].map(([token]) => token);
  const numberAt = tokens.findIndex((token) => /^-?\d/.test(token));
  const number = tokens[numberAt] ?? "";
  const ofNumber = (to: string) => (numberAt === -1 ? text : tokens.with(numberAt, to).join(""));
  const ofText = (to: string) => text.replace(/(?<=:)"[^"\\]+"/, to);
  const inner = /(?<=:)"([^"\\]+)"/.exec(text)?.[1] ?? "";
  const reversed = Object.entries(all)
    .reverse()
    .map((member) => member.map((one) => JSON.stringify(one)).join(":"));
  const made: Record<string, string> = {
    "a key twice": begun(`${first}:${JSON.stringify(value)}`),
    "a key twice, the first with another value": begun(`${first}:null`),
    "a key twice, once escaped": begun(`"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":0`),
    "keys in another order": `{${reversed.join(",")}}`,
    "a key __proto__": begun('"__proto__":{}'),
    "white space within": `{ ${text.slice(1)}`,
    "white space after": `${text}\n`,
    "a byte order mark": `\ufeff${text}`,
    "a comma too many": `${text.slice(0, -1)},}`,
    "a comment": `/**/${text}`,
    "cut off": text.slice(0, -1),
    nothing: "",
    "-0": ofNumber("-0"),
    "1e400": ofNumber("1e400"),
    "-1e400": ofNumber("-1e400"),
    "2^53 + 1": ofNumber("9007199254740993"),
    "more digits than a double has": ofNumber("0.10000000000000000001"),
    "a number with a point": ofNumber(`${number}.0`),
    "a number with an exponent": ofNumber(`${number}e0`),
    "a number with a capital exponent": ofNumber(`${number}E0`),
    "a number with a plus sign": ofNumber(`+${number}`),
    "a number with a leading zero": ofNumber(`0${number}`),
    NaN: ofNumber("NaN"),
    "an escaped letter": ofText(`"\\u00${inner.charCodeAt(0).toString(16)}${inner.slice(1)}"`),
    "an escaped solidus": ofText('"\\/"'),
    "half a surrogate pair": ofText('"\\ud800"'),
    "the other half of a surrogate pair": ofText('"\\udfff"'),
    "half a surrogate pair, not escaped": ofText('"\ud800"'),
    "half a surrogate pair in a key": `${text.slice(0, -1)},"\\ud800":1}`,
    "one level more than 64": ofText(nested(64)),
    "a hundred thousand levels": ofText(nested(100_000)),
    "a hundred thousand levels that do not end": ofText("[".repeat(100_000)),
    "a hundred thousand objects": ofText(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
    "levels alone": nested(1_000_000),
  };
  return Object.entries(made)
    .filter(([, one]) => one !== text)
    .map(([name, one]) => ({ name, text: one }));
}
