/** Values of a YAML text, and their one-line form. */

export type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

/** Map keys and list indices, from the root. */
export type Path = readonly (string | number)[];

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of a parsed text. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === "object" && at !== null ? (at as Record<string | number, unknown>)[part] : undefined,
    value,
  );
}

/** A value on one line, in the style of the sample policy. */
export function inline(value: Plain): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value === "object") {
    const pairs = Object.entries(value).map(([key, one]) => `${inline(key)}: ${inline(one as Plain)}`);
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  if (typeof value === "string") return isPlainWord(value) ? value : JSON.stringify(value);
  if (typeof value === "number") return numberText(value);
  return String(value);
}

/** Safe in flow and block style, also for YAML 1.1 readers. */
function isPlainWord(text: string): boolean {
  return (
    /^[A-Za-z][\w./%()+-]*(?: [\w./%()+-]+)*$/.test(text) &&
    !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
  );
}

/** YAML 1.1 reads 1e-6 as a text, and 1.0e-6 as a number. */
function numberText(value: number): string {
  const text = value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential() : String(value);
  return /^-?\d+e/.test(text) ? text.replace("e", ".0e") : text;
}
