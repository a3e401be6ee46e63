import type { MouseEvent, ReactNode } from "react";
import { Card } from "../../shared/components";
import { plural, rich, t } from "../../shared/language";
import type { Path } from "../../shared/yaml/values";
import { useForm } from "./fields";
import { type FormFault, faultText } from "./formFaults";
import { fieldId, stepOf } from "./places";

const steps: readonly { readonly title: string }[] = [
  {
    get title() {
      return t("1. What do you want to know?");
    },
  },
  {
    get title() {
      return t("2. About whom, and which variables?");
    },
  },
  {
    get title() {
      return t("3. How private?");
    },
  },
  {
    get title() {
      return t("4. Who takes part, and until when?");
    },
  },
  {
    get title() {
      return t("5. Check and start");
    },
  },
];

const idOf = (at: number) => `step-${at + 1}`;
const nameOf = (at: number) => steps[at]!.title.replace(/^\d\. /, "");

/** The steps that have faults, each with how many. */
export function faultsByStep(faults: readonly Pick<FormFault, "at">[]): number[] {
  const counts = steps.map(() => 0);
  for (const { at } of faults) counts[stepOf(at)]!++;
  return counts;
}

/** What is wrong, leading to its field, or to its step where no field shows it. */
export function FaultLink({ fault }: { readonly fault: FormFault }) {
  const { at, field } = fault;
  const go = (event: MouseEvent) => {
    if (field !== null && goToField(field)) event.preventDefault();
  };
  return (
    <a href={`#${idOf(stepOf(at))}`} className="fault" onClick={go}>
      {faultText(fault)}
    </a>
  );
}

/** Mends an error where that is known; nothing where only a person knows. */
export function MendButton({ fault: { mend } }: { readonly fault: FormFault }) {
  const { change } = useForm();
  return mend === null ? null : (
    <button type="button" onClick={() => change(mend.path, mend.value)}>
      {mend.label}
    </button>
  );
}

/** Opens the folds around a field, shows it and puts the cursor there; of a field that is not drawn, what is around it. */
function goToField(path: Path): boolean {
  for (let length = path.length; length > 0; length--) {
    const found = document.getElementById(fieldId(path.slice(0, length)));
    if (found === null) continue;
    for (
      let fold = found.closest("details");
      fold !== null;
      fold = fold.parentElement?.closest("details") ?? null
    )
      fold.open = true;
    found.scrollIntoView({ block: "center" });
    found.focus({ preventScroll: true });
    return true;
  }
  return false;
}

export function Step({ at, children }: { readonly at: number; readonly children: ReactNode }) {
  return (
    <div id={idOf(at)} className="step">
      <Card title={steps[at]!.title}>
        {children}
        {at + 1 < steps.length ? <StepFoot at={at} /> : null}
      </Card>
    </div>
  );
}

/** What the step still lacks, before the next one: told, and in nobody's way. */
function StepFoot({ at }: { readonly at: number }) {
  const { faults } = useForm();
  const own = faults.filter((one) => stepOf(one.at) === at);
  return (
    <div className="step-foot">
      {own.length === 0 ? null : (
        <div role="status">
          <p>{t("Still to be corrected in this step:")}</p>
          <ul>
            {own.slice(0, faultsShown).map((fault) => (
              <li key={`${fault.path} ${fault.words}`}>
                <FaultLink fault={fault} /> <MendButton fault={fault} />
              </li>
            ))}
          </ul>
          {own.length > faultsShown ? (
            <p className="muted">{t("and {count} more", { count: own.length - faultsShown })}</p>
          ) : null}
        </div>
      )}
      <a href={`#${idOf(at + 1)}`} className="step-next">
        {rich("Next: {step}", { step: nameOf(at + 1) })}
      </a>
    </div>
  );
}

/** Of a long list the first ones: further ones show once these are mended. */
const faultsShown = 8;

/** Leads to each step, and says which of them has errors; it stays in view. */
export function StepsNav({ faults }: { readonly faults: readonly FormFault[] }) {
  const counts = faultsByStep(faults);
  return (
    <nav className="steps" aria-label={t("Steps")}>
      <ol>
        {steps.map((_, at) => {
          const count = counts[at]!;
          return (
            <li key={idOf(at)}>
              <a href={`#${idOf(at)}`} data-faulty={count > 0}>
                <span className="step-mark" aria-hidden="true">
                  {at + 1}
                </span>
                <span className="step-title">{nameOf(at)}</span>
                {count === 0 ? null : (
                  <span className="step-faults">{plural(count, "{count} error", "{count} errors")}</span>
                )}
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
