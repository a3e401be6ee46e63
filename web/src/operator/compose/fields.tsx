import { createContext, type ReactNode, useContext, useState } from "react";
import { parse, stringify } from "yaml";
import { Tick } from "../../shared/choices";
import { Field, Prose } from "../../shared/components";
import { served, t } from "../../shared/language";
import { type Path, valueAt } from "../../shared/yaml/values";
import type { FormFault } from "./formFaults";
import { fieldId, titleOf } from "./places";
import type { FieldKind, FieldSpec } from "./schemaFields";

export { fieldId, titleOf } from "./places";

/** The data that the form's fields show and change. */
export interface Form {
  /** Errors that no field shows, and those that one does. */
  readonly faults: readonly FormFault[];
  readonly value: Readonly<Record<string, unknown>>;
  /** @param value - undefined removes the key from the file */
  readonly change: (path: Path, value: unknown) => void;
  /** The error at a path in the form's words, or null. */
  readonly faultAt: (path: Path) => string | null;
  /** What the aggregator fills in where the file says nothing; undefined while it has not said so. */
  readonly derivedAt: (path: Path) => unknown;
}

export const FormContext = createContext<Form | null>(null);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === null) throw new Error("a field needs the form around it");
  return form;
}

function hintOf({ hint, usual, range }: FieldSpec): ReactNode {
  const more = [range, usual === null ? null : t("default: {usual}", { usual: served(usual) })]
    .filter((part) => part !== null)
    .join("; ");
  if (hint === "" && more === "") return undefined;
  const stop = hint === "" || /[.!?]$/.test(hint) ? "" : ".";
  return (
    <>
      <Prose text={served(`${hint}${stop}`)} />
      {more === "" ? null : ` ${more.charAt(0).toUpperCase()}${more.slice(1)}.`}
    </>
  );
}

export function SpecFields(props: { readonly specs: readonly FieldSpec[]; readonly path: Path }) {
  return props.specs.map((spec) => <SpecField key={spec.key} spec={spec} path={[...props.path, spec.key]} />);
}

function SpecField({ spec, path }: { readonly spec: FieldSpec; readonly path: Path }) {
  const form = useForm();
  if (spec.field.kind === "group") return <Group spec={spec} field={spec.field} path={path} />;
  const label = `${titleOf(spec.key)}${spec.isRequired ? t(" (required)") : ""}`;
  if (spec.field.kind === "other") {
    return (
      <Field id={fieldId(path)} label={label} hint={hintOf(spec)} fault={form.faultAt(path)}>
        {(ids) => <input {...ids} value={t("see the file")} readOnly />}
      </Field>
    );
  }
  const { field } = spec;
  return (
    <Field id={fieldId(path)} label={label} hint={hintOf(spec)} fault={form.faultAt(path)}>
      {(ids) => (
        <Input ids={ids} field={field} usual={shownValue(form.derivedAt(path)) ?? spec.usual} path={path} />
      )}
    </Field>
  );
}

/** A derived value that fits in a field. */
export function shownValue(value: unknown): string | null {
  if (Array.isArray(value))
    return value.length > 0 && value.every((one) => typeof one === "number") ? value.join(", ") : null;
  return value === undefined || value === null || typeof value === "object" ? null : String(value);
}

type Ids = Readonly<Record<string, string | boolean>>;

function Input(props: {
  readonly ids: Ids;
  readonly field: Exclude<FieldKind, { kind: "group" | "other" }>;
  readonly usual: string | null;
  readonly path: Path;
}) {
  const { ids, field, usual, path } = props;
  const form = useForm();
  const value = valueAt(form.value, path);
  const change = (next: unknown) => form.change(path, next);
  switch (field.kind) {
    case "choice":
    case "switch": {
      const options = field.kind === "switch" ? ["true", "false"] : field.options;
      const toValue = (text: string) => (field.kind === "switch" ? text === "true" : text);
      return (
        <select
          {...ids}
          value={value === undefined ? "" : String(value)}
          onChange={({ target }) => change(target.value === "" ? undefined : toValue(target.value))}
        >
          <option value="">
            {usual === null ? t("Default") : t("Default ({usual})", { usual: served(usual) })}
          </option>
          {options.map((option) => (
            <option key={option} value={option}>
              {served(option)}
            </option>
          ))}
        </select>
      );
    }
    case "number":
      return <NumberInput ids={ids} value={value} onChange={change} placeholder={usual ?? ""} />;
    case "numbers":
      return <NumbersInput ids={ids} value={value} onChange={change} placeholder={usual ?? ""} />;
    case "list":
      return <ListInput ids={ids} value={value} onChange={change} placeholder="[]" />;
    case "text":
      return field.isLong ? (
        <textarea
          {...ids}
          rows={3}
          value={textOf(value)}
          onChange={({ target }) => change(target.value || undefined)}
        />
      ) : (
        <input
          {...ids}
          value={textOf(value)}
          placeholder={usual ?? ""}
          onChange={({ target }) => change(target.value || undefined)}
        />
      );
  }
}

export function textOf(value: unknown): string {
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}

interface TypedProps {
  readonly ids: Ids;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly placeholder?: string;
}

/** So much of what was pasted is repeated in a message. */
const quotedMost = 30;

/** Keeps typed text that is not a number yet, such as `0.` or `1e`. */
export function NumberInput(props: TypedProps) {
  return (
    <TypedInput
      {...props}
      toText={textOf}
      toValue={numberOf}
      fault={(text) =>
        t("“{text}” is not a number: write it like 10000 or 1.5, without separators of thousands.", {
          text: text.trim().slice(0, quotedMost),
        })
      }
    />
  );
}

/** One number, or several, comma-separated. */
export function NumbersInput(props: TypedProps) {
  return (
    <TypedInput
      {...props}
      toText={(value) => (Array.isArray(value) ? value.join(", ") : textOf(value))}
      toValue={numbersFrom}
      fault={() => t("Write numbers, separated by commas, such as 10, 12.5, 20.")}
    />
  );
}

/** Between semicolons a comma is a decimal sign. @returns undefined if it holds anything but numbers */
export function numbersFrom(text: string): number | number[] | undefined {
  const parts = text.includes(";") ? text.split(";").map((part) => part.replace(",", ".")) : text.split(",");
  const numbers = parts.map((part) => numberOf(part));
  if (numbers.some((one) => one === undefined)) return undefined;
  return numbers.length === 1 ? numbers[0] : (numbers as number[]);
}

/** A list of lists or maps, such as `[[age, sex]]`: what is not a list yet stays text. */
function ListInput(props: TypedProps) {
  return (
    <TypedInput
      {...props}
      toText={(value) =>
        value === undefined ? "" : stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim()
      }
      toValue={listFrom}
    />
  );
}

function listFrom(text: string): unknown {
  try {
    const value: unknown = parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Comma-separated texts. */
export function TextsInput(props: TypedProps) {
  return (
    <TypedInput
      {...props}
      toText={(value) => (Array.isArray(value) ? value.join(", ") : textOf(value))}
      toValue={(text) =>
        text
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== "")
      }
    />
  );
}

function TypedInput(
  props: TypedProps & {
    readonly toText: (value: unknown) => string;
    /** @returns undefined if it is not a value yet */
    readonly toValue: (text: string) => unknown;
    /** What is wrong with a text that is no value, once the field is left. */
    readonly fault?: (text: string) => string;
  },
) {
  // The typed text while typing, the file's value otherwise.
  const [typed, setTyped] = useState<string | null>(null);
  // What was left in the field and is no value: it stays, with what is wrong.
  const [left, setLeft] = useState<string | null>(null);
  const shown = typed ?? (props.value === undefined ? left : null);
  return (
    <>
      <input
        {...props.ids}
        {...(typed === null && shown !== null ? { "aria-invalid": true } : {})}
        inputMode="text"
        value={shown ?? props.toText(props.value)}
        placeholder={props.placeholder}
        onChange={({ target }) => {
          setTyped(target.value);
          setLeft(null);
          const value = props.toValue(target.value);
          if (target.value.trim() === "") props.onChange(undefined);
          else if (value !== undefined) props.onChange(value);
        }}
        onBlur={() => {
          setTyped(null);
          if (typed === null || typed.trim() === "" || props.toValue(typed) !== undefined) return;
          setLeft(typed);
          props.onChange(undefined);
        }}
      />
      {typed === null && shown !== null && props.fault !== undefined ? (
        <span className="fault" role="alert">
          {props.fault(shown)}
        </span>
      ) : null}
    </>
  );
}

function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || !/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}

function Group(props: {
  readonly spec: FieldSpec;
  readonly field: Extract<FieldKind, { kind: "group" }>;
  readonly path: Path;
}) {
  const { spec, field, path } = props;
  const form = useForm();
  const value = valueAt(form.value, path);
  const isOff = field.off !== null && value === field.off;
  const title = titleOf(spec.key);
  return (
    <fieldset id={fieldId(path)}>
      <legend>{title}</legend>
      <p className="hint">
        <Prose text={served(spec.hint)} />
      </p>
      {field.off === null ? null : (
        <Tick checked={!isOff} onChange={(on) => form.change(path, on ? undefined : field.off)}>
          {title}
        </Tick>
      )}
      {form.faultAt(path) === null ? null : <p className="fault">{form.faultAt(path)}</p>}
      {isOff ? null : <SpecFields specs={field.fields} path={path} />}
    </fieldset>
  );
}
