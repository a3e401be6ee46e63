import type { ConsoleSiteView } from "@consilium/core/operator/consoleViews";
import { type ReactNode, useState } from "react";
import { Tick } from "../../shared/choices";
import { Badge, Field } from "../../shared/components";
import { rich, served, t } from "../../shared/language";
import { isRecord, valueAt } from "../../shared/yaml/values";
import type { StudyPlan } from "../api";
import { presenceTones, presenceWords } from "../federation/siteHealth";
import { ConditionsField } from "./ConditionsField";
import { openLabel } from "./changeTable";
import { EpsilonDial } from "./EpsilonDial";
import { needsEdges } from "./edges";
import { declared, FeatureTable } from "./FeatureTable";
import { fieldId, NumberInput, SpecFields, shownValue, TextsInput, textOf, titleOf, useForm } from "./fields";
import { PairsField } from "./PairsField";
import { Precision } from "./Precision";
import { nameTitles } from "./places";
import { QuestionPicker } from "./questions/QuestionPicker";
import type { Choice, Chosen, Question } from "./questions/questions";
import { Step } from "./Steps";
import type { FieldSpec, StudySpec } from "./schemaFields";
import { columnsList, TableField } from "./TableField";
import type { DraftPrecision } from "./usePrecision";
import type { ReadVariables } from "./variables/VariableFiles";
import type { Declaration } from "./variables/variables";

/** The study as a form, in the order in which a person decides; changes are written to the file. */
export function StudyForm(props: {
  readonly spec: StudySpec;
  readonly sites: readonly ConsoleSiteView[];
  readonly questions: { readonly proven: readonly Question[]; readonly published: readonly Question[] };
  readonly chosen: Chosen | null;
  /** Null while the file has faults. */
  readonly plan: StudyPlan | null;
  readonly precision: DraftPrecision;
  readonly onChoose: (choice: Choice, question: Question) => void;
  /** The columns are a question's example. */
  readonly isExample: boolean;
  readonly onTable: (table: string | undefined) => void;
  readonly onFeature: (item: Declaration) => void;
  readonly onColumns: (added: readonly Declaration[]) => void;
  readonly onFile: (read: ReadVariables) => void;
  /** What is checked, and the button that starts it. */
  readonly start: ReactNode;
}) {
  const { spec, chosen, plan, questions } = props;
  const { value, faultAt } = useForm();
  const methodFault = faultAt(["analysis"]) ?? faultAt(["method"]) ?? faultAt(["variant"]);
  const named = (key: string) => spec.names.filter((one) => one.key === key);
  const { main, advanced } = parametersOf(chosen);
  const [people, deadlines] = split(spec.participation, participationShown);
  const [title, about] = split(spec.release, ["title", "license"]);
  return (
    <>
      <Step at={0}>
        {methodFault === null ? null : <p className="fault">{methodFault}</p>}
        <QuestionPicker {...questions} chosen={chosen} onChoose={props.onChoose} />
      </Step>
      <Step at={1}>
        {named("table").map(({ key, hint }) => (
          <TableField key={key} hint={hint} onTable={props.onTable} />
        ))}
        <p className="hint">
          {t(
            "Bounds and levels are public declarations, never read from a table: reading them would reveal information about records before any protection applies.",
          )}
        </p>
        <FeatureTable
          isExample={props.isExample}
          hasBins={chosen?.choice.method.parameters.some(({ key }) => key === "bins") ?? true}
          needsEdges={needsEdges(chosen?.choice.method.method, value.parameters)}
          onAdd={props.onFeature}
          onColumns={props.onColumns}
          onFile={props.onFile}
        />
        {chosen?.choice.label === "none" ? null : (
          <LabelFields isNeeded={chosen?.choice.label === "needed"} />
        )}
        <ParameterFields specs={main} />
        <Advanced title={t("Advanced parameters")} specs={advanced} path={["parameters"]} />
      </Step>
      <Step at={2}>
        <PrivacyFields chosen={chosen} plan={plan} precision={props.precision} />
        <PatientFields />
      </Step>
      <Step at={3}>
        <SitesField sites={props.sites} />
        <div className="fields">
          <SpecFields specs={people} path={["participation"]} />
        </div>
        <Advanced title={t("Advanced: rounds and collusion")} specs={deadlines} path={["participation"]} />
      </Step>
      <Step at={4}>
        <div className="fields">
          <SpecFields specs={named("name")} path={[]} />
          <SpecFields specs={title} path={["release"]} />
        </div>
        <Advanced
          title={t("About the release: description, creator, access")}
          specs={about}
          path={["release"]}
        />
        <Advanced
          title={t("Who asks: investigator, contact, purpose, protocol, ethics vote, legal basis, retention")}
          specs={spec.request}
          path={["request"]}
        />
        {props.start}
      </Step>
    </>
  );
}

const participationShown = ["minimumSites", "maxRowsPerSite", "joinDeadline"];

/** They have fields of their own. */
const askedElsewhere = ["sites", "expectedRows"];

/** The fields with these keys in their order, and the others. */
function split(specs: readonly FieldSpec[], keys: readonly string[]): [FieldSpec[], FieldSpec[]] {
  return [
    keys.flatMap((key) => specs.filter((one) => one.key === key)),
    specs.filter(({ key }) => !keys.includes(key) && !askedElsewhere.includes(key)),
  ];
}

/** Parameters that say what is asked; the others have defaults that suit most studies. */
const asking = [
  "event",
  "time",
  "outcome",
  "exposure",
  "conditions",
  "tables",
  "rows",
  "components",
  "select",
  "k",
];

function parametersOf(chosen: Chosen | null): { readonly main: FieldSpec[]; readonly advanced: FieldSpec[] } {
  if (chosen === null) return { main: [], advanced: [] };
  const { question, choice } = chosen;
  const ofOthers = question.choices.flatMap(({ uses }) => uses).filter((key) => !choice.uses.includes(key));
  const own = choice.method.parameters.filter(({ key }) => !(key in choice.sets) && !ofOthers.includes(key));
  const isMain = ({ key, isRequired }: FieldSpec) => isRequired || asking.includes(key);
  return { main: own.filter(isMain), advanced: own.filter((one) => !isMain(one)) };
}

/** Fields of what is asked: those that name a column or a level offer what is declared. */
function ParameterFields({ specs }: { readonly specs: readonly FieldSpec[] }) {
  return specs.map((spec) => {
    switch (spec.key) {
      case "event":
      case "outcome":
      case "exposure":
      case "time":
        return <NameField key={spec.key} spec={spec} />;
      case "conditions":
        return <ConditionsField key={spec.key} />;
      case "tables":
        return <PairsField key={spec.key} />;
      default:
        return <SpecFields key={spec.key} specs={[spec]} path={["parameters"]} />;
    }
  });
}

function NameField({ spec: { key, hint } }: { readonly spec: FieldSpec }) {
  const { value, change, faultAt } = useForm();
  const path = ["parameters", key];
  const own = isRecord(value.parameters) ? textOf(value.parameters[key]) : "";
  const names = key === "event" ? levelsOf(value.label) : numbersOf(value.features);
  return (
    <Field
      id={fieldId(path)}
      label={nameTitles[key] ?? key}
      hint={served(hint).replaceAll("`", "")}
      fault={faultAt(path)}
    >
      {(ids) => (
        <select {...ids} value={own} onChange={({ target }) => change(path, target.value || undefined)}>
          <option value="">
            {key === "exposure" ? t("nothing: each row counts alike") : t("choose one")}
          </option>
          {own === "" || names.includes(own) ? null : (
            <option value={own}>{rich("{own} (not declared)", { own })}</option>
          )}
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

const levelsOf = (label: unknown): string[] =>
  isRecord(label) && Array.isArray(label.levels) ? [...new Set(label.levels.map(String))] : [];

function numbersOf(features: unknown): string[] {
  if (!Array.isArray(features)) return [];
  return [
    ...new Set(
      features.flatMap((one: unknown) =>
        isRecord(one) && one.type !== "categorical" && typeof one.name === "string" ? [one.name] : [],
      ),
    ),
  ];
}

/** A fold that stays open while something in it has a fault, and after it was mended. */
function Fold(props: {
  readonly isFaulty: boolean;
  readonly summary: ReactNode;
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(props.isFaulty);
  if (props.isFaulty && !isOpen) setOpen(true);
  return (
    <details className="advanced" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{props.summary}</summary>
      {props.children}
    </details>
  );
}

/** Fields that few people change: folded, open where one of them has a fault. */
function Advanced(props: {
  readonly title: string;
  readonly specs: readonly FieldSpec[];
  readonly path: readonly string[];
}) {
  const { title, specs, path } = props;
  const { value, faultAt, derivedAt } = useForm();
  if (specs.length === 0) return null;
  const isFaulty = specs.some(({ key }) => faultAt([...path, key]) !== null);
  const shownOf = (spec: FieldSpec, at: readonly string[]): string[] => {
    if (spec.field.kind === "group" && valueAt(value, at) !== spec.field.off)
      return spec.field.fields.flatMap((one) => shownOf(one, [...at, one.key]));
    const shown = shownValue(valueAt(value, at)) ?? shownValue(derivedAt(at)) ?? spec.usual ?? "";
    return shown === "" ? [] : [`${titleOf(spec.key)} ${shown}`];
  };
  const values = specs.flatMap((spec) => shownOf(spec, [...path, spec.key]));
  return (
    <Fold
      isFaulty={isFaulty}
      summary={
        <>
          {title}
          {values.length === 0 ? null : <span className="muted"> ({values.join("; ")})</span>}
        </>
      }
    >
      <SpecFields specs={specs} path={path} />
    </Fold>
  );
}

function PrivacyFields({
  chosen,
  plan,
  precision,
}: {
  readonly chosen: Chosen | null;
  readonly plan: StudyPlan | null;
  readonly precision: DraftPrecision;
}) {
  const { value, change, faultAt } = useForm();
  const isNone = value.privacy === "none";
  const cost = isRecord(value.privacy) ? value.privacy : {};
  return (
    <>
      <fieldset className="bare">
        <legend className="visually-hidden">{t("Privacy")}</legend>
        <label className="check">
          <input
            type="radio"
            name="privacy"
            checked={!isNone}
            onChange={() => change(["privacy"], { epsilon: 1, delta: 0.00001 })}
          />
          {t("With noise, at a cost of ε and δ to every record")}
        </label>
        <label className="check">
          <input type="radio" name="privacy" checked={isNone} onChange={() => change(["privacy"], "none")} />
          {t("None: for public data only, and only at sites whose policy allows it")}
        </label>
      </fieldset>
      {isNone ? null : (
        <>
          <EpsilonDial
            epsilon={cost.epsilon}
            delta={cost.delta}
            unit={chosen?.choice.method.variant === "sound" ? (plan?.claim.unit ?? null) : null}
          />
          <Precision precision={precision} />
          <Fold isFaulty={faultAt(["privacy", "delta"]) !== null} summary={t("Advanced: delta")}>
            <Field
              id={fieldId(["privacy", "delta"])}
              label={t("Delta (δ)")}
              hint={t("Much less than 1 / (number of records), such as 0.00001.")}
              fault={faultAt(["privacy", "delta"])}
            >
              {(ids) => (
                <NumberInput
                  ids={ids}
                  value={cost.delta}
                  onChange={(next) => change(["privacy", "delta"], next)}
                />
              )}
            </Field>
          </Fold>
        </>
      )}
    </>
  );
}

function LabelFields({ isNeeded }: { readonly isNeeded: boolean }) {
  const { value, change, faultAt } = useForm();
  const has = value.label !== undefined;
  const label = isRecord(value.label) ? value.label : {};
  return (
    <fieldset id={fieldId(["label"])}>
      <legend>{isNeeded ? t("Outcome") : t("Outcome or group")}</legend>
      {isNeeded && has ? null : (
        <Tick checked={has} onChange={(on) => change(["label"], on ? openLabel : undefined)}>
          {isNeeded
            ? t("The table has an outcome column")
            : t("Divide the results by a column: groups, or an outcome")}
        </Tick>
      )}
      {faultAt(["label"]) === null ? null : <p className="fault">{faultAt(["label"])}</p>}
      {has ? (
        <div className="field-row">
          <Field
            id={fieldId(["label", "name"])}
            label={isNeeded ? t("Outcome's column") : t("Its column")}
            fault={faultAt(["label", "name"])}
          >
            {(ids) => (
              <input
                {...ids}
                list={columnsList}
                value={textOf(declared(label.name))}
                onChange={({ target }) => change(["label", "name"], target.value)}
              />
            )}
          </Field>
          <Field
            id={fieldId(["label", "levels"])}
            label={t("Levels")}
            hint={t("comma-separated")}
            fault={faultAt(["label", "levels"])}
          >
            {(ids) => (
              <TextsInput
                ids={ids}
                value={declared(label.levels)}
                onChange={(levels) => change(["label", "levels"], levels ?? [])}
              />
            )}
          </Field>
        </div>
      ) : null}
    </fieldset>
  );
}

function SitesField({ sites }: { readonly sites: readonly ConsoleSiteView[] }) {
  const { value, change, faultAt } = useForm();
  const participation = isRecord(value.participation) ? value.participation : {};
  const named: readonly unknown[] | null = Array.isArray(participation.sites) ? participation.sites : null;
  const enrolled = sites.filter(({ presence }) => presence !== "invited" && presence !== "expelled");
  const others = (named ?? []).filter((id) => !enrolled.some((site) => site.id === id));
  const path = ["participation", "sites"];
  const toggle = (id: string, isIn: boolean) =>
    change(path, isIn ? [...(named ?? []), id] : (named ?? []).filter((one) => one !== id));
  const fault = faultAt(path);
  return (
    <fieldset id={fieldId(path)} tabIndex={-1}>
      <legend>{t("Sites")}</legend>
      <label className="check">
        <input type="radio" name="sites" checked={named === null} onChange={() => change(path, undefined)} />
        {rich("All sites enrolled at the start ({enrolled} now)", { enrolled: enrolled.length })}
      </label>
      <label className="check">
        <input
          type="radio"
          name="sites"
          checked={named !== null}
          onChange={() =>
            change(
              path,
              enrolled.map(({ id }) => id),
            )
          }
        />
        {t("Only these")}
      </label>
      {named === null ? null : (
        <div className="choices">
          {enrolled.map(({ id, presence }) => (
            <Tick key={id} checked={named.includes(id)} onChange={(on) => toggle(id, on)}>
              {id} <Badge tone={presenceTones[presence]}>{presenceWords[presence]}</Badge>
            </Tick>
          ))}
          {others.map((id) => (
            <Tick key={String(id)} checked onChange={() => toggle(String(id), false)}>
              {String(id)} <Badge tone="bad">{t("not enrolled")}</Badge>
            </Tick>
          ))}
        </div>
      )}
      {fault === null ? null : <p className="fault">{fault}</p>}
    </fieldset>
  );
}

function PatientFields() {
  const { value, change, faultAt } = useForm();
  const has = value.patient !== undefined;
  const patient = isRecord(value.patient) ? value.patient : {};
  return (
    <fieldset>
      <legend>{t("Whom it protects")}</legend>
      <Tick
        checked={has}
        onChange={(on) => change(["patient"], on ? { column: "patient_id", maxRows: 4 } : undefined)}
      >
        {t("Protect patients instead of rows (a patient may have several rows)")}
      </Tick>
      {has ? (
        <div className="field-row">
          <Field
            id={fieldId(["patient", "column"])}
            label={t("Patient's column")}
            hint={t("Identifies the patient; not used for anything else.")}
            fault={faultAt(["patient", "column"])}
          >
            {(ids) => (
              <input
                {...ids}
                value={textOf(patient.column)}
                onChange={({ target }) => change(["patient", "column"], target.value)}
              />
            )}
          </Field>
          <Field
            id={fieldId(["patient", "maxRows"])}
            label={t("Maximum rows per patient")}
            hint={t("Sites exclude further rows.")}
            fault={faultAt(["patient", "maxRows"])}
          >
            {(ids) => (
              <NumberInput
                ids={ids}
                value={patient.maxRows}
                onChange={(next) => change(["patient", "maxRows"], next)}
              />
            )}
          </Field>
          <Field
            id={fieldId(["patient", "weighting"])}
            label={t("Patients with several rows")}
            hint={t(
              "Weighed: all rows of a patient together count as one, with the noise for one row. Counted: noise grows with the number of rows.",
            )}
            fault={faultAt(["patient", "weighting"])}
          >
            {(ids) => (
              <select
                {...ids}
                value={textOf(patient.weighting)}
                onChange={({ target }) => change(["patient", "weighting"], target.value || undefined)}
              >
                <option value="">{t("Default (weighed where the method can)")}</option>
                <option value="patients">{t("Weighed: sums count patients")}</option>
                <option value="rows">{t("Counted: sums count rows")}</option>
              </select>
            )}
          </Field>
        </div>
      ) : null}
    </fieldset>
  );
}
