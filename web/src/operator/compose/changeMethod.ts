import { withValue } from "../../shared/yaml/edit";
import { isRecord } from "../../shared/yaml/values";
import { type FieldSpec, type MethodSpec, methodOf } from "./schemaFields";
import { readStudyText } from "./studyText";

/**
 * Switches a study's text to another method: parameters with the same meaning stay, others are removed, and required
 * ones are filled in.
 * @param starting - values of required parameters
 */
export function withMethod(
  text: string,
  next: MethodSpec,
  context: { readonly methods: readonly MethodSpec[]; readonly starting: Readonly<Record<string, unknown>> },
): string {
  const { value } = readStudyText(text);
  if (value === null) return text;
  const parameters = isRecord(value.parameters) ? value.parameters : {};
  const before = methodOf(context.methods, value);
  let changed = text;
  for (const key of ["analysis", "method", "variant"] as const)
    changed = withValue(changed, [key], next[key]);
  const stays = (key: string) => meansTheSame(fieldOf(before, key), fieldOf(next, key));
  for (const key of Object.keys(parameters)) {
    if (!stays(key)) changed = withValue(changed, ["parameters", key], undefined);
  }
  for (const { key, isRequired } of next.parameters) {
    if (isRequired && !(key in parameters && stays(key))) {
      changed = withValue(changed, ["parameters", key], context.starting[key] ?? 1);
    }
  }
  return withPrivacyFor(changed, next, value.privacy);
}

const fieldOf = (method: MethodSpec | null, key: string) =>
  method?.parameters.find((field) => field.key === key);

/** The same name may mean different things in different methods; the same description does not. */
function meansTheSame(a: FieldSpec | undefined, b: FieldSpec | undefined): boolean {
  return a !== undefined && b !== undefined && a.hint === b.hint && a.range === b.range;
}

/** Proven methods need a privacy cost: a study without one starts with a small one. */
function withPrivacyFor(text: string, { variant }: MethodSpec, privacy: unknown): string {
  return variant === "sound" && privacy === "none"
    ? withValue(text, ["privacy"], { epsilon: 1, delta: 0.00001 })
    : text;
}
