import type { ReactNode } from "react";
import { Field } from "./components";
import { t } from "./language";

/** An option: a value and its label. */
export type Option<Value> = readonly [value: Value, title: string];

/** A drop-down field. */
export function SelectField<Value extends string | number>(props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: Value;
  readonly options: readonly Option<Value>[];
  readonly onChange: (value: Value) => void;
}) {
  const { options } = props;
  return (
    <Field label={props.label} hint={props.hint}>
      {(ids) => (
        <select
          {...ids}
          value={props.value}
          onChange={(event) => props.onChange(options[event.target.selectedIndex]![0])}
        >
          {options.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Options labelled by their values, after one that stands for all. */
export function allOr<Value extends string>(
  values: readonly Value[],
  titleOf: (value: Value) => string = (value) => value,
): Option<Value | "all">[] {
  return [["all", t("all")], ...values.map((value) => [value, titleOf(value)] as const)];
}

/** A search field. */
export function SearchField(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label}>
      {(ids) => (
        <input
          {...ids}
          type="search"
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A checkbox with its label. */
export function Tick(props: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.target.checked)}
      />
      <span>{props.children}</span>
    </label>
  );
}
