/** Conditional and range requests as RFC 9110 has them, for files with a strong entity tag and no date. */

const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The tags of an If-Match or If-None-Match field; `*` stays itself. A malformed member matches nothing. */
function tagsOf(field: string): string[] {
  // Commas may stand inside a tag, so the field is not simply split at them.
  return field.match(/\*|(?:W\/)?"[^"]*"/g) ?? [];
}

/** Whether If-None-Match says that the reader has this file already (section 13.1.2: weak comparison). */
export function noneMatchFails(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  return tagsOf(field).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

/** Whether If-Match says that the reader wants another file than this (section 13.1.1: strong comparison). */
export function matchFails(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false;
  return !tagsOf(field).some((tag) => tag === "*" || tag === etag);
}

/**
 * Whether a Range field is to be honoured in the presence of If-Range (section 13.1.5: strong comparison). A date
 * never matches, since no date is sent.
 */
export function rangeApplies(ifRange: string | undefined, etag: string): boolean {
  if (ifRange === undefined) return true;
  return entityTag.test(ifRange.trim()) && ifRange.trim() === etag;
}

/** Bytes of a file, both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** What a Range field asks for: nothing that is understood, nothing that is there, or some ranges in its order. */
type RangeRequest = "ignored" | "unsatisfiable" | readonly ByteRange[];

/** More ranges than these in one request are answered with the whole file (section 17.15). */
const maxRanges = 32;

/**
 * Reads a Range field (section 14.1.2). Another unit, a malformed field, too many or overlapping ranges are ignored,
 * as the RFC allows: the whole file is the answer.
 * @param size - of the file, in bytes
 */
export function parseRange(field: string | undefined, size: number): RangeRequest {
  const set = /^\s*bytes\s*=(.*)$/is.exec(field ?? "")?.[1];
  if (set === undefined) return "ignored";
  const ranges: ByteRange[] = [];
  let count = 0;
  for (const spec of set.split(",").map((part) => part.trim())) {
    // Empty members of a list are allowed (section 5.6.1).
    if (spec === "") continue;
    const match = /^(\d*)-(\d*)$/.exec(spec);
    if (!match || (match[1] === "" && match[2] === "")) return "ignored";
    if (++count > maxRanges) return "ignored";
    const range = resolve(match[1]!, match[2]!, size);
    if (range === "malformed") return "ignored";
    if (range !== undefined) ranges.push(range);
  }
  if (count === 0) return "ignored";
  if (ranges.length === 0) return "unsatisfiable";
  return overlap(ranges) ? "ignored" : ranges;
}

function resolve(from: string, to: string, size: number): ByteRange | "malformed" | undefined {
  if (from === "") {
    const suffix = Math.min(Number(to), size);
    return suffix === 0 ? undefined : { first: size - suffix, last: size - 1 };
  }
  const first = Number(from);
  const last = to === "" ? size - 1 : Number(to);
  if (to !== "" && last < first) return "malformed";
  return first >= size ? undefined : { first, last: Math.min(last, size - 1) };
}

function overlap(ranges: readonly ByteRange[]): boolean {
  const sorted = [...ranges].sort((a, b) => a.first - b.first);
  return sorted.some((range, index) => index > 0 && range.first <= sorted[index - 1]!.last);
}
