import { placeholder } from "@consilium/core/study/placeholder";
import { useState } from "react";
import { Notice } from "../../shared/components";
import { plural, rich, t } from "../../shared/language";
import { isRecord, type Path } from "../../shared/yaml/values";
import { lackingColumns } from "./changeTable";
import { hasSteps, openSteps, withFollowingStep } from "./coefficientSteps";
import { hasProposedEdges, openEdges, withBound } from "./edges";
import { fieldId, NumberInput, NumbersInput, TextsInput, textOf, useForm } from "./fields";
import { MendButton } from "./Steps";
import { AddSharedColumn, columnsList, useSharedColumns } from "./TableField";
import { ColumnPicker } from "./variables/ColumnPicker";
import { type ReadVariables, VariableFiles } from "./variables/VariableFiles";
import { type Declaration, openProposals } from "./variables/variables";

/** Limits the page's length; the file has all features. */
const pageLength = 40;

/** The columns that the study reads, with their public bounds. */
export function FeatureTable(props: {
  readonly onAdd: (item: Declaration) => void;
  readonly isExample: boolean;
  /** The method divides columns into bins. */
  readonly hasBins: boolean;
  /** It has no answer for a column without edges. */
  readonly needsEdges: boolean;
  readonly onColumns: (added: readonly Declaration[]) => void;
  readonly onFile: (read: ReadVariables) => void;
}) {
  const { value, change, faultAt, faults } = useForm();
  const fault = faultAt(["features"]);
  const faulty = new Set(
    faults.slice(0, pageLength).flatMap(({ at }) => (at[0] === "features" ? [at[1]] : [])),
  );
  const features = Array.isArray(value.features) ? value.features : [];
  const [shown, setShown] = useState(pageLength);
  const columns = useSharedColumns();
  const proposals = openProposals(features);
  const edges = props.needsEdges ? openEdges(features) : new Map<number, readonly number[]>();
  const steps = openSteps(value);
  const ofRegression = value.analysis === "regression";
  // Nothing of the person's own is there yet.
  const isOpen = props.isExample || features.length === 0;
  const table = textOf(value.table);
  const hasEdges =
    props.hasBins ||
    features.some(
      (one, at) => (isRecord(one) && one.edges !== undefined) || faultAt(["features", at, "edges"]) !== null,
    );
  return (
    <>
      {columns.length === 0 ? null : (
        <details className="advanced" open={isOpen || undefined}>
          <summary>
            {plural(
              columns.length,
              "Choose from the table's {count} column",
              "Choose from the table's {count} columns",
            )}
          </summary>
          <ColumnPicker columns={columns} isExample={props.isExample} onAdd={props.onColumns} />
        </details>
      )}
      <details className="advanced">
        <summary>{t("Take the variables from a data dictionary or an OMOP plan")}</summary>
        <VariableFiles onRead={props.onFile} />
      </details>
      {features.length > 0 ? null : (
        <p role="status">
          {columns.length > 0
            ? t("No column is chosen yet: choose from those of {table} above.", { table })
            : t(
                "No column is declared yet, and no site says which ones {table} has: add them below, or take them from a file.",
                { table: table || t("the table") },
              )}
        </p>
      )}
      {columns.length === 0 || value.omop !== undefined || props.isExample ? null : (
        <Lacking columns={columns} features={features} table={table} />
      )}
      {features.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
        <section id={fieldId(["features"])} className="table-frame" tabIndex={0} aria-label={t("Features")}>
          <table className="features cards">
            <caption className="visually-hidden">
              {t("Features: columns with their declared bounds or levels")}
            </caption>
            <thead>
              <tr>
                <th scope="col">{t("Column")}</th>
                <th scope="col">{t("Type")}</th>
                <th scope="col">{t("Min, or levels")}</th>
                <th scope="col">{t("Max")}</th>
                {hasEdges ? <th scope="col">{t("Bin edges")}</th> : null}
                <th scope="col">{t("Unit")}</th>
                {ofRegression ? <th scope="col">{t("Step|of a coefficient")}</th> : null}
                <th scope="col">
                  <span className="visually-hidden">{t("Remove")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {features.map((feature: unknown, index) =>
                index < shown || faulty.has(index) ? (
                  <FeatureRow
                    // biome-ignore lint/suspicious/noArrayIndexKey: a feature is its place in the file
                    key={index}
                    feature={isRecord(feature) ? feature : {}}
                    index={index}
                    hasEdges={hasEdges}
                    needsEdges={props.needsEdges}
                    ofRegression={ofRegression}
                  />
                ) : null,
              )}
            </tbody>
          </table>
        </section>
      )}
      {fault === null ? null : <p className="fault">{fault}</p>}
      {ofRegression && features.length > 0 ? (
        <p className="hint">
          {t(
            "Step: the increase of a number that its coefficient is for, such as 10 years; 1 where it is empty. A tenth of the declared range, rounded, is proposed.",
          )}
        </p>
      ) : null}
      <div className="row features-foot">
        {features.length > shown ? (
          <button type="button" onClick={() => setShown(shown + 5 * pageLength)}>
            {rich("Show more of {features}", { features: features.length })}
          </button>
        ) : null}
        <AddSharedColumn columns={columns} onAdd={props.onAdd} />
        <button
          type="button"
          onClick={() =>
            props.onAdd({ name: `column_${features.length + 1}`, type: "numeric", min: 0, max: 1 })
          }
        >
          {t("Add number")}
        </button>
        <button
          type="button"
          onClick={() =>
            props.onAdd({ name: `column_${features.length + 1}`, type: "categorical", levels: ["a", "b"] })
          }
        >
          {t("Add category")}
        </button>
        {proposals.size === 0 ? null : (
          <button
            type="button"
            onClick={() => {
              for (const [at, declaration] of proposals) change(["features", at], declaration);
            }}
          >
            {plural(
              proposals.size,
              "Propose bounds for {count} column",
              "Propose bounds for {count} columns",
            )}
          </button>
        )}
        {edges.size === 0 ? null : (
          <button
            type="button"
            onClick={() => {
              for (const [at, proposed] of edges) change(["features", at, "edges"], proposed);
            }}
          >
            {plural(
              edges.size,
              "Propose bin edges for {count} column",
              "Propose bin edges for {count} columns",
            )}
          </button>
        )}
        {steps.size === 0 ? null : (
          <button
            type="button"
            onClick={() => {
              for (const [at, proposed] of steps) change(["features", at, "per"], proposed);
            }}
          >
            {plural(steps.size, "Propose a step for {count} column", "Propose steps for {count} columns")}
          </button>
        )}
      </div>
    </>
  );
}

/** Columns of another table stay until a person removes them. */
function Lacking(props: {
  readonly columns: readonly { readonly name: string }[];
  readonly features: readonly unknown[];
  readonly table: string;
}) {
  const { change } = useForm();
  const lacking = lackingColumns(props.features, props.columns);
  if (lacking.size === 0) return null;
  const remove = () => {
    for (const at of [...lacking.keys()].reverse()) change(["features", at], undefined);
  };
  return (
    <Notice
      tone="warn"
      title={plural(
        lacking.size,
        "{count} declared column is not in {table}.",
        "{count} declared columns are not in {table}.",
        { table: props.table },
      )}
      action={
        <button type="button" onClick={remove}>
          {t("Remove them")}
        </button>
      }
    >
      <p>{[...lacking.values()].join(", ")}</p>
    </Notice>
  );
}

function FeatureRow(props: {
  readonly feature: Readonly<Record<string, unknown>>;
  readonly index: number;
  readonly hasEdges: boolean;
  readonly needsEdges: boolean;
  readonly ofRegression: boolean;
}) {
  const { feature, index, hasEdges, needsEdges, ofRegression } = props;
  const form = useForm();
  const at = (key: string): Path => ["features", index, key];
  const name = textOf(feature.name);
  const ids = (key: string, what: string) => {
    const fault = form.faultAt(at(key));
    return {
      id: fieldId(at(key)),
      "aria-label": t("{what} of {more}", { what, more: name || t("feature {index}", { index: index + 1 }) }),
      "aria-invalid": fault !== null,
      ...(fault === null ? {} : { title: fault }),
    };
  };
  const isCategory = feature.type === "categorical";
  const cell = (key: string, what: string, input: "number" | "numbers") => {
    const Typed = input === "number" ? NumberInput : NumbersInput;
    return (
      <Typed
        ids={ids(key, what)}
        value={declared(feature[key])}
        placeholder={key === "per" ? "1" : ""}
        onChange={(next) => {
          if (key === "min" || key === "max")
            form.change(
              ["features", index],
              withFollowingStep(feature, withBound(feature, key, next, needsEdges)),
            );
          else form.change(at(key), input === "numbers" && typeof next === "number" ? [next] : next);
        }}
      />
    );
  };
  const faults = form.faults.filter((one) => one.at[0] === "features" && one.at[1] === index);
  const hasStep = hasSteps(form.value, feature);
  const isProposed = hasEdges && !isCategory && hasProposedEdges(feature);
  return (
    <>
      <tr>
        <th scope="row">
          <input
            {...ids("name", t("Name"))}
            list={columnsList}
            value={name}
            onChange={({ target }) => form.change(at("name"), target.value)}
          />
        </th>
        <td data-title={t("Type")}>
          <select
            {...ids("type", t("Type"))}
            value={isCategory ? "categorical" : "numeric"}
            onChange={({ target }) => form.change(["features", index], converted(feature, target.value))}
          >
            <option value="numeric">{t("number")}</option>
            <option value="categorical">{t("category")}</option>
          </select>
        </td>
        {isCategory ? (
          <td colSpan={hasEdges ? 3 : 2} data-title={t("Levels")}>
            <TextsInput
              ids={ids("levels", t("Levels"))}
              value={declared(feature.levels)}
              onChange={(levels) => form.change(at("levels"), levels ?? [])}
            />
          </td>
        ) : (
          <>
            <td data-title={t("Minimum")}>{cell("min", t("Minimum"), "number")}</td>
            <td data-title={t("Maximum")}>{cell("max", t("Maximum"), "number")}</td>
            {hasEdges ? (
              <td className="edges" data-title={t("Bin edges")}>
                {cell("edges", t("Bin edges"), "numbers")}
              </td>
            ) : null}
          </>
        )}
        <td data-title={isCategory ? undefined : t("Unit")} data-empty={isCategory}>
          {isCategory ? null : (
            <input
              {...ids("unit", t("Unit"))}
              value={textOf(feature.unit)}
              onChange={({ target }) => form.change(at("unit"), target.value || undefined)}
            />
          )}
        </td>
        {ofRegression ? (
          <td data-title={hasStep ? t("Step|of a coefficient") : undefined} data-empty={!hasStep}>
            {hasStep ? cell("per", t("Step|of a coefficient"), "number") : null}
          </td>
        ) : null}
        <td>
          <button
            type="button"
            data-kind="quiet"
            aria-label={t("Remove {more}", { more: name || t("feature {index}", { index: index + 1 }) })}
            onClick={() => form.change(["features", index], undefined)}
          >
            ✕
          </button>
        </td>
      </tr>
      {faults.length === 0 && !isProposed ? null : (
        <tr className="of-row">
          <td colSpan={6 + (hasEdges ? 1 : 0) + (ofRegression ? 1 : 0)}>
            {faults.map((fault) => (
              <p key={`${fault.path} ${fault.words}`} className="fault">
                {fault.title === null ? fault.words : `${fault.title}: ${fault.words}`}{" "}
                <MendButton fault={fault} />
              </p>
            ))}
            {isProposed ? (
              <p className="hint">
                {t(
                  "Bin edges of {name} are proposed: equal widths between its bounds. Change them where others are customary.",
                  { name },
                )}
              </p>
            ) : null}
          </td>
        </tr>
      )}
    </>
  );
}

/** What nobody has declared yet is shown as an empty field. */
export function declared(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== placeholder);
  return value === placeholder ? undefined : value;
}

/** The feature converted to the other type, keeping the common fields. */
function converted(feature: Readonly<Record<string, unknown>>, type: string): Record<string, unknown> {
  const { name, description, from } = feature;
  const common = {
    name,
    type,
    ...(description === undefined ? {} : { description }),
    ...(from === undefined ? {} : { from }),
  };
  return type === "categorical" ? { ...common, levels: ["a", "b"] } : { ...common, min: 0, max: 1 };
}
