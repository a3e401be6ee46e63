import { isRecord } from "../keysOf.js";

type Keys = Readonly<Record<string, unknown>>;

/**
 * A key of a study that texts of earlier versions lack. It is all that is filled in when a text that travelled is read:
 * any other key that the text lacks and its reader would fill in makes the text another one, which is refused.
 */
export interface YoungerKey {
  /** From the study's top, such as `release.access`; `[]` after a name goes into every item of a list. */
  readonly path: string;
  /** The first version that writes it. */
  readonly since: string;
  /** What a text without it means, whatever a new study is proposed. */
  readonly neutral: unknown;
}

/** The keys of every study that are younger than its texts may be; a method lists its own. */
export const youngerKeys: readonly YoungerKey[] = [{ path: "release.sums", since: "0.1.0", neutral: false }];

/**
 * A text's value with the younger keys that it lacks, as what a text without them means.
 * @returns a copy; sections that the text does not have stay away
 */
export function withYoungerKeys(raw: Keys, keys: readonly YoungerKey[]): Keys {
  return keys.reduce<Keys>((filled, { path, neutral }) => filledIn(filled, path.split("."), neutral), raw);
}

function filledIn(raw: Keys, [step = "", ...rest]: readonly string[], neutral: unknown): Keys {
  const key = step.replace(/\[\]$/, "");
  const has = Object.hasOwn(raw, key);
  if (rest.length === 0) return has ? raw : { ...raw, [key]: neutral };
  const inner = has ? raw[key] : undefined;
  if (key !== step) {
    if (!Array.isArray(inner)) return raw;
    const items = inner.map((item: unknown) => (isRecord(item) ? filledIn(item, rest, neutral) : item));
    return { ...raw, [key]: items };
  }
  return isRecord(inner) ? { ...raw, [key]: filledIn(inner, rest, neutral) } : raw;
}
