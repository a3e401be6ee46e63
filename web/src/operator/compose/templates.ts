import { parse } from "yaml";
import { isRecord } from "../../shared/yaml/values";
import type { MethodSpec } from "./schemaFields";

/** The repository's example studies, one for each method: complete files to start from. */
interface Template {
  readonly id: string;
  readonly text: string;
  readonly analysis: string;
  readonly method: string;
  readonly variant: string;
}

const files = import.meta.glob<string>("../../../../examples/studies/*.yaml", {
  query: "?raw",
  import: "default",
  eager: true,
});

export const templates: readonly Template[] = Object.entries(files).map(([path, text]) => {
  const study = parse(text) as Readonly<Record<string, string>>;
  const { analysis = "", method = "", variant = "" } = study;
  return { id: path.replace(/^.*\/|\.yaml$/g, ""), text, analysis, method, variant };
});

/** The parameters of a method's template: the initial parameters of a study that switches to the method. */
export function startingParameters({
  analysis,
  method,
  variant,
}: MethodSpec): Readonly<Record<string, unknown>> {
  const own = templates.filter((one) => one.analysis === analysis);
  const nearest = own.find((one) => one.method === method) ?? own.find((one) => one.variant === variant);
  const study: unknown = parse(nearest?.text ?? "");
  return isRecord(study) && isRecord(study.parameters) ? study.parameters : {};
}
