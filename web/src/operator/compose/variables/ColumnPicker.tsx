import { useId, useState } from "react";
import { SearchField } from "../../../shared/choices";
import { plural, served, t } from "../../../shared/language";
import { isRecord } from "../../../shared/yaml/values";
import type { SharedTable } from "../../api";
import { textOf, useForm } from "../fields";
import type { ClinicalUnit } from "./clinical";
import { type Declaration, declarationOf, isNumeric, proposalOf } from "./variables";

type SharedColumn = SharedTable["columns"][number];

/** A browser is slow with more; the search finds the others. */
const shownMost = 100;

/** Many columns of the table at once, each with the bounds or levels that are proposed for it. */
export function ColumnPicker(props: {
  readonly columns: readonly SharedColumn[];
  /** The columns that are declared now are an example, which the chosen ones replace. */
  readonly isExample: boolean;
  readonly onAdd: (added: readonly Declaration[]) => void;
}) {
  const { value } = useForm();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [units, setUnits] = useState<Readonly<Record<string, number>>>({});
  const features: readonly unknown[] =
    Array.isArray(value.features) && !props.isExample ? value.features : [];
  const label = isRecord(value.label) ? textOf(value.label.name) : "";
  const patient = isRecord(value.patient) ? textOf(value.patient.column) : "";
  const declared = new Set([
    ...features.map((one) => (isRecord(one) ? textOf(one.name) : "")),
    label,
    patient,
  ]);
  const open = props.columns.filter(({ name }) => !declared.has(name));
  const found = open.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()));
  const proposed = found.filter((column) => proposalOf(column) !== null);
  const added = open.filter(({ name }) => chosen.has(name));
  const choose = (names: readonly string[], isIn: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      for (const name of names)
        if (isIn) next.add(name);
        else next.delete(name);
      return next;
    });
  const declare = (column: SharedColumn) => {
    const proposal = proposalOf(column);
    return declarationOf(column, proposal?.units[units[column.name] ?? 0] ?? null, proposal?.levels ?? []);
  };
  if (open.length === 0) return <p className="muted">{t("Every column of the table is declared.")}</p>;
  return (
    <>
      <p className="hint">
        {t(
          "Proposals come from a table of common clinical variables, the same for everyone. Check each unit and level: sites may use others.",
        )}
      </p>
      <div className="row picker-head">
        <SearchField label={t("Find a column")} value={text} onChange={setText} />
        <button
          type="button"
          disabled={proposed.length === 0}
          onClick={() =>
            choose(
              proposed.map(({ name }) => name),
              true,
            )
          }
        >
          {plural(proposed.length, "Choose {count} with a proposal", "Choose {count} with proposals")}
        </button>
        {chosen.size === 0 ? null : (
          <button type="button" onClick={() => setChosen(new Set())}>
            {t("Choose none")}
          </button>
        )}
      </div>
      <ul className="plain picker">
        {found.slice(0, shownMost).map((column) => (
          <Row
            key={column.name}
            column={column}
            isChosen={chosen.has(column.name)}
            onChoose={(isIn) => choose([column.name], isIn)}
            unit={units[column.name] ?? 0}
            onUnit={(at) => setUnits({ ...units, [column.name]: at })}
          />
        ))}
      </ul>
      {found.length > shownMost ? (
        <p className="muted">
          {t("{shown} of {count} columns are shown: search for the others.", {
            shown: shownMost,
            count: found.length,
          })}
        </p>
      ) : null}
      <button
        type="button"
        disabled={added.length === 0}
        onClick={() => {
          props.onAdd(added.map(declare));
          setChosen(new Set());
        }}
      >
        {added.length === 0
          ? t("Add variables")
          : plural(added.length, "Add {count} variable", "Add {count} variables")}
      </button>
    </>
  );
}

function Row(props: {
  readonly column: SharedColumn;
  readonly isChosen: boolean;
  readonly onChoose: (isIn: boolean) => void;
  /** The place of the unit that is chosen among the proposed ones. */
  readonly unit: number;
  readonly onUnit: (at: number) => void;
}) {
  const { column, unit } = props;
  const { name, types, missingAt } = column;
  const id = useId();
  const proposal = proposalOf(column);
  const units = proposal?.units ?? [];
  return (
    <li className="picker-row">
      <label className="check">
        <input
          type="checkbox"
          checked={props.isChosen}
          aria-describedby={id}
          onChange={({ target }) => props.onChoose(target.checked)}
        />
        <span>{name}</span>
      </label>
      <span id={id} className="muted">
        {types.every((type) => type === "any")
          ? t("type not stated")
          : types.map((type) => served(type)).join(", ")}
        {missingAt.length === 0 ? "" : t("; missing at {value}", { value: missingAt.join(", ") })}
      </span>
      {units.length > 1 ? (
        <select
          aria-label={t("Unit of {name}", { name })}
          value={unit}
          onChange={({ target }) => props.onUnit(Number(target.value))}
        >
          {units.map((one, at) => (
            <option key={one.unit} value={at}>
              {boundsText(one)}
            </option>
          ))}
        </select>
      ) : (
        <span className={proposal === null ? "muted" : undefined}>
          {units[0] !== undefined
            ? boundsText(units[0])
            : proposal !== null
              ? proposal.levels.join(", ")
              : isNumeric(column)
                ? t("bounds to be declared")
                : t("levels to be declared")}
        </span>
      )}
    </li>
  );
}

const boundsText = ({ min, max, unit }: ClinicalUnit) =>
  t("{low} to {high} {unit}", { low: String(min), high: String(max), unit });
