import { guessText, strengthOf } from "@consilium/core/privacy/words";
import { useId } from "react";
import { Field } from "../../shared/components";
import { decimal, served, t } from "../../shared/language";
import { fieldId, NumberInput, useForm } from "./fields";

/** Where the dial stops: what studies use, from very strong to hardly any protection. */
const stops = [0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 10] as const;

/** ε as a dial and as a number, with what it means. */
export function EpsilonDial(props: {
  readonly epsilon: unknown;
  readonly delta: unknown;
  /** What is protected; null while there is no plan. */
  readonly unit: string | null;
}) {
  const { change, faultAt } = useForm();
  const { epsilon, delta, unit } = props;
  const id = useId();
  const path = ["privacy", "epsilon"];
  const value = typeof epsilon === "number" && epsilon > 0 ? epsilon : null;
  const strength = value === null ? null : strengthOf(value);
  const cost = { epsilon: value ?? 1, delta: typeof delta === "number" ? delta : 0 };
  return (
    <>
      <div className="dial">
        <Field
          label={t("Privacy and precision")}
          hint={
            <span className="ends">
              <span>{t("more private")}</span>
              <span>{t("more precise")}</span>
            </span>
          }
        >
          {(ids) => (
            <input
              {...ids}
              type="range"
              min={0}
              max={stops.length - 1}
              step={1}
              value={nearestStop(value ?? 1)}
              aria-valuetext={
                strength === null
                  ? undefined
                  : t("ε = {value}: {word} protection", {
                      value: decimal(String(value)),
                      word: served(strength.word),
                    })
              }
              aria-describedby={`${id}-meaning`}
              onChange={({ target }) => change(path, stops[Number(target.value)])}
            />
          )}
        </Field>
        <Field id={fieldId(path)} label={t("Epsilon (ε)")} fault={faultAt(path) ?? faultAt(["privacy"])}>
          {(ids) => <NumberInput ids={ids} value={epsilon} onChange={(next) => change(path, next)} />}
        </Field>
      </div>
      <p id={`${id}-meaning`} className="hint">
        {strength === null
          ? t("Enter a number above 0: 1 is common.")
          : `${served(strength.text)} ${served(guessText(cost, unit ?? "one record of one site"))}`}
      </p>
    </>
  );
}

/** The stop with the nearest logarithm. */
function nearestStop(epsilon: number): number {
  const far = (stop: number) => Math.abs(Math.log(stop / epsilon));
  return stops.reduce((best, stop, i) => (far(stop) < far(stops[best]!) ? i : best), 0);
}
