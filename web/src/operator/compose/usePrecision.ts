import { useMemo } from "react";
import { isRecord } from "../../shared/yaml/values";
import type { StudyCheck } from "../api";
import type { FormFault } from "./formFaults";
import { type Check, useCheck } from "./useCheck";

/** What precision to expect of a draft, as far as it can be told. */
export interface DraftPrecision {
  /** By numbers of rows; null while it cannot be told. */
  readonly expected: StudyCheck["precision"] | null;
  /** What a former study says of the number of rows. */
  readonly knownRows: StudyCheck["knownRows"];
  /** Columns that are not finished: the precision is that of the study without them. */
  readonly without: readonly string[];
  /** What is missing. */
  readonly faults: readonly FormFault[];
}

/** Of the draft as it is; while columns are unfinished, of the draft without them. */
export function usePrecision(
  value: Readonly<Record<string, unknown>> | null,
  faults: readonly FormFault[],
  check: Check,
): DraftPrecision {
  const reduced = useMemo(
    () => (value === null || faults.length === 0 ? null : withoutUnfinished(value, faults)),
    [value, faults],
  );
  const second = useCheck(reduced === null ? null : JSON.stringify(reduced.study));
  const knownRows = check.result?.knownRows ?? null;
  if (value !== null && faults.length === 0)
    return { expected: check.result?.precision ?? null, knownRows, without: [], faults };
  const told = reduced !== null && second.result?.plan != null;
  return {
    expected: told ? second.result!.precision : null,
    knownRows,
    without: told ? reduced.without : [],
    faults: faults.filter(({ path }) => !wordsAlone.test(path)),
  };
}

/** What a release says of itself changes no figure. */
const wordsAlone = /^(release|request)\b/;

/** The draft without the columns that have faults; null where something else has one, or no column stays. */
export function withoutUnfinished(
  study: Readonly<Record<string, unknown>>,
  faults: readonly Pick<FormFault, "path">[],
): { readonly study: Readonly<Record<string, unknown>>; readonly without: readonly string[] } | null {
  const features: readonly unknown[] = Array.isArray(study.features) ? study.features : [];
  const unfinished = new Set<number>();
  for (const { path } of faults) {
    if (wordsAlone.test(path)) continue;
    const at = /^features\[(\d+)\]/.exec(path)?.[1];
    if (at === undefined) return null;
    unfinished.add(Number(at));
  }
  const kept = features.filter((_, f) => !unfinished.has(f));
  if (faults.length === 0 || kept.length === 0) return null;
  const without = [...unfinished].map((f) => {
    const one = features[f];
    return isRecord(one) && typeof one.name === "string" && one.name !== "" ? one.name : `${f + 1}`;
  });
  const asked = Object.fromEntries(Object.entries(study).filter(([key]) => !wordsAlone.test(key)));
  return { study: { ...asked, features: kept }, without };
}
