import { declaredTypeOf } from "@consilium/core/study/columnRoles";
import { placeholder } from "@consilium/core/study/placeholder";
import { useQuery } from "@tanstack/react-query";
import { Field } from "../../shared/components";
import { plural, served, t } from "../../shared/language";
import { isRecord } from "../../shared/yaml/values";
import { aggregator, type SharedTable } from "../api";
import { fieldId, textOf, useForm } from "./fields";

/** Sites connect and change their policies while a study is composed. */
const freshMs = 30_000;

/** More are typed, or found in the list that the field offers. */
const buttonsMost = 12;

/** The table's name: those that sites share are offered, and which of them have the one that is entered. */
export function TableField(props: {
  readonly hint: string;
  readonly onTable: (table: string | undefined) => void;
}) {
  const { hint, onTable } = props;
  const { value, faultAt } = useForm();
  const known = useQuery({ queryKey: ["tables"], queryFn: aggregator.tables, staleTime: freshMs });
  const name = textOf(value.table);
  const tables = known.data ?? [];
  const own = tables.find((table) => table.name === name);
  return (
    <>
      <Field
        id={fieldId(["table"])}
        label={t("Table (required)")}
        hint={
          own === undefined
            ? tables.length === 0
              ? served(hint)
              : t("{hint} No site says that it has a table of this name.", { hint: served(hint) })
            : t("{hint} Shared by {value}.", { hint: served(hint), value: own.sites.join(", ") })
        }
        fault={faultAt(["table"])}
      >
        {(ids) => (
          <input
            {...ids}
            list="known-tables"
            value={name}
            onChange={({ target }) => onTable(target.value || undefined)}
          />
        )}
      </Field>
      <datalist id="known-tables">
        {tables.map((table) => (
          <option key={table.name} value={table.name} label={table.sites.join(", ")} />
        ))}
      </datalist>
      {tables.length === 0 ? null : (
        <fieldset className="bare">
          <legend className="visually-hidden">{t("Tables that sites share")}</legend>
          <div className="row known-tables">
            {tables.slice(0, buttonsMost).map((table) => (
              <button
                key={table.name}
                type="button"
                aria-pressed={table.name === name}
                onClick={() => onTable(table.name)}
              >
                {table.name}{" "}
                <span className="muted">{plural(table.sites.length, "{count} site", "{count} sites")}</span>
              </button>
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}

/** The columns of the study's table that sites share; none while that is not known. */
export function useSharedColumns(): SharedTable["columns"] {
  const { value } = useForm();
  const name = textOf(value.table);
  const known = useQuery({ queryKey: ["tables"], queryFn: aggregator.tables, staleTime: freshMs });
  const isShared = known.data?.some((table) => table.name === name) ?? false;
  const table = useQuery({
    queryKey: ["table", name],
    queryFn: () => aggregator.table(name),
    enabled: isShared,
    staleTime: freshMs,
  });
  return isShared ? (table.data?.columns ?? []) : [];
}

/** A browser is slow with more; the others are typed. */
const offeredMost = 1_000;

/** The id of the list of column names that inputs offer. */
export const columnsList = "known-columns";

/** Offers the columns that are not declared yet. */
export function AddSharedColumn(props: {
  readonly columns: SharedTable["columns"];
  readonly onAdd: (item: Readonly<Record<string, unknown>>) => void;
}) {
  const { value } = useForm();
  const { columns, onAdd } = props;
  if (columns.length === 0) return null;
  const features: readonly unknown[] = Array.isArray(value.features) ? value.features : [];
  const declared = new Set([...features, value.label].map((one) => (isRecord(one) ? textOf(one.name) : "")));
  const open = columns.filter(({ name }) => !declared.has(name));
  return (
    <>
      <datalist id={columnsList}>
        {columns.slice(0, offeredMost).map(({ name, types }) => (
          <option key={name} value={name} label={types.join(", ")} />
        ))}
      </datalist>
      <select
        aria-label={t("Add a column of the table")}
        value=""
        onChange={({ target }) => {
          const column = open.find(({ name }) => name === target.value);
          if (column !== undefined) onAdd(featureOf(column));
        }}
      >
        <option value="">{t("Add a column of the table…")}</option>
        {open.slice(0, offeredMost).map(({ name, types, missingAt }) => (
          <option key={name} value={name}>
            {name} ({types.join(", ")}
            {missingAt.length === 0 ? "" : t("; missing at {value}", { value: missingAt.join(", ") })})
          </option>
        ))}
      </select>
    </>
  );
}

/** A column's declaration; its bounds or levels are for a person to say. */
function featureOf({ name, types }: SharedTable["columns"][number]): Record<string, unknown> {
  return types.every((type) => type === "any") || declaredTypeOf(types) === "numeric"
    ? { name, type: "numeric", min: placeholder, max: placeholder }
    : { name, type: "categorical", levels: [placeholder] };
}
