import { Field } from "../../shared/components";
import { locale, rich, t } from "../../shared/language";
import { isRecord } from "../../shared/yaml/values";
import type { StudyCheck } from "../api";
import { fieldId, NumberInput, useForm } from "./fields";
import { isOfPatients } from "./preview/precision";

const path = ["participation", "expectedRows"];
const eventsPath = ["participation", "expectedEvents"];

/** Asks for the number that precision depends on, where it is first shown, and proposes what a former study says. */
export function ExpectedRows({
  known,
  asksEvents,
}: {
  readonly known: StudyCheck["knownRows"];
  /** Whether precision depends on the number of events. */
  readonly asksEvents: boolean;
}) {
  const { value, change, faultAt } = useForm();
  const participation = isRecord(value.participation) ? value.participation : {};
  const { expectedRows: own, expectedEvents: events } = participation;
  return (
    <div className="expected-rows">
      <Field
        id={fieldId(path)}
        label={
          isOfPatients(value)
            ? t("Expected rows: about how many patients do all hospitals together have?")
            : t("Expected rows: about how many rows do all hospitals together have?")
        }
        hint={t(
          "A rough number is enough, such as 12000. It is public: ask the hospitals, or take it from a former study.",
        )}
        fault={faultAt(path)}
      >
        {(ids) => <NumberInput ids={ids} value={own} onChange={(next) => change(path, next)} />}
      </Field>
      {known === null || own !== undefined ? null : (
        <p className="row">
          <button type="button" onClick={() => change(path, known.rows)}>
            {t("Use {rows}", { rows: known.rows.toLocaleString(locale()) })}
          </button>
          <span className="muted">
            {known.from === "released"
              ? rich("Proposed: {study}, with {sites} hospitals, counted about so many on this table.", {
                  study: <a href={`/studies/${known.study}`}>{known.study}</a>,
                  sites: known.sites,
                })
              : rich("Proposed: {study} expected so many on this table.", {
                  study: <a href={`/studies/${known.study}`}>{known.study}</a>,
                })}
          </span>
        </p>
      )}
      {asksEvents || events !== undefined ? (
        <Field
          id={fieldId(eventsPath)}
          label={t("Expected events: about how many of them have the event?")}
          hint={t(
            "A rough number is enough. Precision depends on it: a rare event tells less. It is public, as the rows are.",
          )}
          fault={faultAt(eventsPath)}
        >
          {(ids) => <NumberInput ids={ids} value={events} onChange={(next) => change(eventsPath, next)} />}
        </Field>
      ) : null}
    </div>
  );
}
