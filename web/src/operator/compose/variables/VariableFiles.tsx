import { omopPlanSchema } from "@consilium/core/omop/plan";
import { readDictionary } from "@consilium/core/study/dictionary";
import { useState } from "react";
import { parse } from "yaml";
import { Field, Notice } from "../../../shared/components";
import { plural, Served, t, translated } from "../../../shared/language";
import { isRecord } from "../../../shared/yaml/values";
import { textOf, useForm } from "../fields";
import { type Declaration, declarationsOfPlan } from "./variables";

/** What a file gave: its columns, or why it cannot be used. */
type Outcome =
  | { readonly kind: "added"; readonly file: string; readonly count: number }
  | { readonly kind: "refused"; readonly file: string; readonly faults: readonly string[] };

/** What a file says of the study's variables. */
export interface ReadVariables {
  readonly features: readonly Declaration[];
  readonly label: object | null;
  /** The plan as it was written; null of a dictionary. */
  readonly omop: unknown;
}

const faultsShown = 8;

/** Variables from a data dictionary, or from an OMOP plan; neither file leaves the browser. */
export function VariableFiles({ onRead }: { readonly onRead: (read: ReadVariables) => void }) {
  const { value } = useForm();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const label = isRecord(value.label) ? textOf(value.label.name) : null;
  const take = async (file: File, read: (text: string) => ReadVariables | readonly string[]) => {
    const found = read(await file.text());
    if ("features" in found) {
      onRead(found);
      setOutcome({ kind: "added", file: file.name, count: found.features.length });
    } else setOutcome({ kind: "refused", file: file.name, faults: found });
  };
  return (
    <>
      <div className="field-row">
        <FileField
          label={t("Data dictionary (CSV)")}
          hint={t(
            "A line for each column: name, type (numeric or categorical), unit, min, max, levels (separated by vertical bars), description.",
          )}
          accept=".csv,text/csv"
          onFile={(file) => take(file, (text) => ofDictionary(text, label))}
        />
        <FileField
          label={t("OMOP plan (YAML)")}
          hint={t("A plan, or a study that has one: sites with an OMOP database compute the columns by it.")}
          accept=".yaml,.yml,.json,application/yaml"
          onFile={(file) => take(file, (text) => ofPlan(text, label))}
        />
      </div>
      {outcome === null ? null : outcome.kind === "added" ? (
        <Notice
          tone="ok"
          title={plural(
            outcome.count,
            "{file}: {count} variable is declared.",
            "{file}: {count} variables are declared.",
            { file: outcome.file },
          )}
        />
      ) : (
        <Notice tone="bad" title={t("{file} cannot be used.", { file: outcome.file })}>
          <ul>
            {outcome.faults.slice(0, faultsShown).map((fault) => (
              <li key={fault}>
                <Served text={fault} />
              </li>
            ))}
          </ul>
          {outcome.faults.length > faultsShown ? (
            <p>{t("and {rest} more", { rest: outcome.faults.length - faultsShown })}</p>
          ) : null}
        </Notice>
      )}
    </>
  );
}

function FileField(props: {
  readonly label: string;
  readonly hint: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(ids) => (
        <input
          {...ids}
          type="file"
          accept={props.accept}
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file !== undefined) props.onFile(file);
            target.value = "";
          }}
        />
      )}
    </Field>
  );
}

function ofDictionary(text: string, outcome: string | null): ReadVariables | readonly string[] {
  const { features, label, faults } = readDictionary(text, outcome);
  if (faults.length > 0) return faults;
  return { features: features as readonly Declaration[], label, omop: null };
}

function ofPlan(text: string, outcome: string | null): ReadVariables | readonly string[] {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return [t("The file is not valid YAML.")];
  }
  const written = isRecord(value) && value.omop !== undefined ? value.omop : value;
  const read = omopPlanSchema.safeParse(written);
  if (!read.success)
    return read.error.issues.map(
      ({ path, message }) => `${path.join(".")}: ${translated(message, "failures") ?? message}`,
    );
  return { features: declarationsOfPlan(read.data, outcome), label: null, omop: written };
}
