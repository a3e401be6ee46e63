import { Field } from "../../shared/components";
import { rich, t } from "../../shared/language";
import { isRecord } from "../../shared/yaml/values";
import { fieldId, NumberInput, TextsInput, textOf, useForm } from "./fields";
import { type Condition, type Criterion, conditionsOf } from "./preview/conditions";

type Kind = "atLeast" | "below" | "in" | "missing" | "present";

const kindsOf = (isNumber: boolean): readonly (readonly [Kind, string])[] => [
  ...(isNumber
    ? ([
        ["atLeast", t("is at least")],
        ["below", t("is below")],
      ] as const)
    : ([["in", t("is one of")]] as const)),
  ["missing", t("is missing")],
  ["present", t("is not missing")],
];

/** Conditions to count, in the file's order; a condition without criteria is met by every record. */
export function ConditionsField() {
  const form = useForm();
  const path = ["parameters", "conditions"];
  const own = isRecord(form.value.parameters) ? form.value.parameters.conditions : undefined;
  const conditions = conditionsOf(own);
  const fault = form.faultAt(path);
  const put = (next: readonly Condition[]) => form.change(path, next.length === 0 ? undefined : next);
  const replace = (index: number, next: Condition) =>
    put(conditions.map((one, i) => (i === index ? next : one)));
  return (
    <fieldset id={fieldId(path)} tabIndex={-1}>
      <legend>{t("Conditions to count")}</legend>
      <p className="hint">
        {t("A record is counted once for each condition of which it meets all criteria.")}
      </p>
      {fault === null ? null : <p className="fault">{fault}</p>}
      {conditions.map((condition, index) => (
        <ConditionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its place in the file
          key={index}
          condition={condition}
          index={index}
          onChange={(next) => replace(index, next)}
          onRemove={conditions.length === 1 ? null : () => put(conditions.filter((_, i) => i !== index))}
        />
      ))}
      <button
        type="button"
        onClick={() =>
          put([
            ...conditions,
            { name: t("condition {conditions}", { conditions: conditions.length + 1 }), all: [] },
          ])
        }
      >
        {t("Add condition")}
      </button>
    </fieldset>
  );
}

function ConditionRow(props: {
  readonly condition: Condition;
  readonly index: number;
  readonly onChange: (next: Condition) => void;
  readonly onRemove: (() => void) | null;
}) {
  const { condition, index, onChange, onRemove } = props;
  const { value, faultAt } = useForm();
  const path = ["parameters", "conditions", index];
  const features = Array.isArray(value.features) ? value.features.filter(isRecord) : [];
  const isNumber = (column: string) => features.find(({ name }) => name === column)?.type !== "categorical";
  const put = (at: number, next: Criterion) =>
    onChange({ ...condition, all: condition.all.map((one, i) => (i === at ? next : one)) });
  const add = () => {
    const column = textOf(features[0]?.name);
    onChange({ ...condition, all: [...condition.all, startOf(column, features[0])] });
  };
  return (
    <div className="condition">
      <div className="row">
        <Field
          id={fieldId(path)}
          label={t("Name of condition {index}", { index: index + 1 })}
          fault={faultAt([...path, "name"]) ?? faultAt(path)}
        >
          {(ids) => (
            <input
              {...ids}
              value={condition.name}
              onChange={({ target }) => onChange({ ...condition, name: target.value })}
            />
          )}
        </Field>
        {onRemove === null ? null : (
          <button type="button" data-kind="quiet" onClick={onRemove}>
            {rich("Remove {name}", { name: <span className="visually-hidden">{condition.name}</span> })}
          </button>
        )}
      </div>
      {condition.all.length === 0 ? <p className="hint">{t("Every record meets it.")}</p> : null}
      {condition.all.map((one, at) => {
        const about = t("criterion {at} of {name}", { at: at + 1, name: condition.name });
        const fault = faultAt([...path, "all", at]);
        const kinds = kindsOf(isNumber(one.column));
        const kind = kindOf(one);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a criterion is its place in the file
          <div className="criterion" key={at}>
            <select
              aria-label={t("Column of {about}", { about })}
              value={one.column}
              onChange={({ target }) =>
                put(
                  at,
                  startOf(
                    target.value,
                    features.find(({ name }) => name === target.value),
                  ),
                )
              }
            >
              {features.some(({ name }) => name === one.column) ? null : <option>{one.column}</option>}
              {features.map(({ name }) => (
                <option key={textOf(name)}>{textOf(name)}</option>
              ))}
            </select>
            <select
              aria-label={t("Comparison of {about}", { about })}
              value={kind}
              onChange={({ target }) => put(at, turned(one, target.value as Kind))}
            >
              {kinds.some(([own]) => own === kind) ? null : <option value={kind}>{kind}</option>}
              {kinds.map(([own, words]) => (
                <option key={own} value={own}>
                  {words}
                </option>
              ))}
            </select>
            {kind === "atLeast" || kind === "below" ? (
              <NumberInput
                ids={{ "aria-label": t("Value of {about}", { about }), "aria-invalid": fault !== null }}
                value={one[kind]}
                onChange={(next) => put(at, { ...one, [kind]: next ?? 0 })}
              />
            ) : kind === "in" ? (
              <TextsInput
                ids={{
                  "aria-label": t("Levels of {about}, comma-separated", { about }),
                  "aria-invalid": fault !== null,
                }}
                value={one.in}
                onChange={(next) => put(at, { ...one, in: next ?? [] })}
              />
            ) : (
              <span />
            )}
            <button
              type="button"
              data-kind="quiet"
              aria-label={t("Remove {about}", { about })}
              onClick={() => onChange({ ...condition, all: condition.all.filter((_, i) => i !== at) })}
            >
              ✕
            </button>
            {one.atLeast !== undefined && one.below !== undefined ? (
              <span className="hint">{rich("and below {below}", { below: textOf(one.below) })}</span>
            ) : null}
            {fault === null ? null : <span className="fault">{fault}</span>}
          </div>
        );
      })}
      <button type="button" onClick={add} disabled={features.length === 0}>
        {rich("Add criterion {name}", {
          name: <span className="visually-hidden">{rich("to {name}", { name: condition.name })}</span>,
        })}
      </button>
    </div>
  );
}

function kindOf(one: Criterion): Kind {
  if (one.missing !== undefined) return one.missing === false ? "present" : "missing";
  if (one.in !== undefined) return "in";
  return one.atLeast === undefined && one.below !== undefined ? "below" : "atLeast";
}

/** A criterion on a column that the person fills in: the middle of its range, or its first level. */
function startOf(column: string, feature: Readonly<Record<string, unknown>> | undefined): Criterion {
  if (feature?.type === "categorical")
    return { column, in: Array.isArray(feature.levels) ? feature.levels.slice(0, 1) : [] };
  const [min, max] = [Number(feature?.min ?? 0), Number(feature?.max ?? 1)];
  return { column, atLeast: Number(((min + max) / 2).toPrecision(3)) };
}

function turned(one: Criterion, kind: Kind): Criterion {
  const { column } = one;
  const number = one.atLeast ?? one.below ?? 0;
  switch (kind) {
    case "atLeast":
    case "below":
      return { column, [kind]: number };
    case "in":
      return { column, in: [] };
    case "missing":
    case "present":
      return { column, missing: kind === "missing" };
  }
}
