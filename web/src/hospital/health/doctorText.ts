import type { DoctorView } from "@consilium/core/hospital/doctorView";

/** The doctor's findings, in one line. */
export function doctorSummary(view: DoctorView): {
  readonly tone: "ok" | "warn" | "bad";
  readonly title: string;
} {
  const failed = view.checks.filter(({ status }) => status === "fail");
  const warned = view.checks.filter(({ status }) => status === "warn");
  if (failed.length > 0) {
    const [first] = failed;
    const more = failed.length === 1 ? "" : `, and ${count(failed.length - 1, "other check")} after it`;
    return { tone: "bad", title: `${first!.title} fails${more}.` };
  }
  if (warned.length > 0)
    return { tone: "warn", title: `All checks passed, with ${count(warned.length, "warning")}.` };
  return { tone: "ok", title: "All checks passed." };
}

/** All tasks for the hospital's network team, as one text to send; null if there are none. */
export function letterToIt(view: DoctorView): string | null {
  const asked = view.checks.flatMap(({ title, forIt }) => (forIt === null ? [] : [`${title}\n${forIt}`]));
  if (asked.length === 0) return null;
  const head = `Consilium site agent${view.name === null ? "" : ` ${view.name}`}, version ${view.software}, checked ${view.checkedAt}${view.aggregator === null ? "" : `, aggregator ${view.aggregator}`}`;
  return `${[head, ...asked].join("\n\n")}\n`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
