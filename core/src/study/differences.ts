import { formatDuration, parseDuration } from "../units.js";

/** A key whose value differs; undefined where one side does not have it. */
export interface Difference {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What differs between two texts of YAML or JSON: in the order of the first, what only the second has last. */
export function differences(before: unknown, after: unknown): Difference[] {
  const [left, right] = [new Map(leavesOf(before, "")), new Map(leavesOf(after, ""))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => JSON.stringify(left.get(path)) !== JSON.stringify(right.get(path)))
    .map((path) => ({
      path,
      ...(left.has(path) && { before: left.get(path) }),
      ...(right.has(path) && { after: right.get(path) }),
    }));
}

/** Every value that is no map, by its path. Entries of a list that all have names are known by them. */
function leavesOf(value: unknown, path: string): [path: string, value: unknown][] {
  if (Array.isArray(value)) {
    const names = value.map(nameOf);
    const isNamed =
      value.length > 0 && names.every((name) => name !== null) && new Set(names).size === names.length;
    return isNamed
      ? value.flatMap((entry, index) => leavesOf(entry, `${path}[${names[index]}]`))
      : [[path, value]];
  }
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, path === "" ? key : `${path}.${key}`),
  );
}

function nameOf(entry: unknown): string | null {
  const name =
    typeof entry === "object" && entry !== null ? (entry as { readonly name?: unknown }).name : null;
  return typeof name === "string" ? name : null;
}

/** Durations in the unit that a person would write, the name first. */
export function readable({
  name,
  participation,
  ...rest
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own = participation as Readonly<Record<string, unknown>>;
  const durations = Object.entries(own).map(([key, value]) => {
    const parsed = /Deadline$/.test(key) && typeof value === "string" ? parseDuration(value) : null;
    return [key, parsed?.ok === true ? formatDuration(parsed.value) : value];
  });
  return { name, ...rest, participation: Object.fromEntries(durations) };
}
