import type { ReactNode } from "react";
import { Card } from "../../shared/components";
import { plural, t } from "../../shared/language";
import { pathOf, type TextFault } from "./studyText";

/** What a person decides, in this order. */
const steps: readonly { readonly title: string; readonly keys: readonly string[] }[] = [
  {
    get title() {
      return t("1. What do you want to know?");
    },
    keys: ["analysis", "method", "variant"],
  },
  {
    get title() {
      return t("2. About whom, and which variables?");
    },
    keys: [],
  },
  {
    get title() {
      return t("3. How private?");
    },
    keys: ["privacy", "patient"],
  },
  {
    get title() {
      return t("4. Who takes part, and until when?");
    },
    keys: ["participation"],
  },
  {
    get title() {
      return t("5. Check and start");
    },
    keys: ["name", "release", "request"],
  },
];

/** Where what belongs to no other step is: columns, and what is asked of them. */
const ofColumns = 1;

const idOf = (at: number) => `step-${at + 1}`;

function stepOf({ path }: TextFault): number {
  const key = String(pathOf(path)[0] ?? "");
  const at = steps.findIndex(({ keys }) => keys.includes(key));
  return at === -1 ? ofColumns : at;
}

/** The steps that have faults, each with how many. */
export function faultsByStep(faults: readonly TextFault[]): number[] {
  const counts = steps.map(() => 0);
  for (const fault of faults) counts[stepOf(fault)]!++;
  return counts;
}

/** What is wrong, leading to its step. */
export function FaultLink({ fault }: { readonly fault: TextFault }) {
  const { path, message } = fault;
  return (
    <a href={`#${idOf(stepOf(fault))}`} className="fault">
      {path === "" ? message : `${path}: ${message}`}
    </a>
  );
}

export function Step({ at, children }: { readonly at: number; readonly children: ReactNode }) {
  return (
    <div id={idOf(at)} className="step">
      <Card title={steps[at]!.title}>{children}</Card>
    </div>
  );
}

/** Leads to each step, and says which of them has errors; it stays in view. */
export function StepsNav({ faults }: { readonly faults: readonly TextFault[] }) {
  const counts = faultsByStep(faults);
  return (
    <nav className="steps" aria-label={t("Steps")}>
      <ol>
        {steps.map(({ title }, at) => {
          const count = counts[at]!;
          return (
            <li key={idOf(at)}>
              <a href={`#${idOf(at)}`} data-faulty={count > 0}>
                <span className="step-mark" aria-hidden="true">
                  {at + 1}
                </span>
                <span className="step-title">{title.replace(/^\d\. /, "")}</span>
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
