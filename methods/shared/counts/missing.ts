import { type Feature, levelsOf } from "@consilium/core/study/features";

type Keys = Readonly<Record<string, unknown>>;

/** A new study of a method that counts leaves no row out for a missing value: its columns count missing values by themselves. */
export function withMissingCounted(raw: Keys): Keys {
  if (!Array.isArray(raw.features)) return raw;
  const features = raw.features.map((feature: unknown) =>
    typeof feature === "object" && feature !== null && !("missing" in feature)
      ? { ...feature, missing: "own-level" }
      : feature,
  );
  return { ...raw, features };
}

/** Whether a record's value of a feature is missing. */
export function isMissing(feature: Feature, value: number): boolean {
  if (feature.type === "numeric") return Number.isNaN(value);
  return feature.missing === "own-level" && value === levelsOf(feature).length - 1;
}
