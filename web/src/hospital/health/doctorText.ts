import type { DoctorView } from "@consilium/core/hospital/doctorView";

/** What the doctor found, in one line. */
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
    return { tone: "warn", title: `All works now; ${count(warned.length, "thing")} will not always.` };
  return { tone: "ok", title: "Everything is in order." };
}

/** Everything that the hospital's network team is to do, as one text to send; null: nothing. */
export function letterToIt(view: DoctorView): string | null {
  const asked = view.checks.flatMap(({ title, forIt }) => (forIt === null ? [] : [`${title}\n${forIt}`]));
  if (asked.length === 0) return null;
  const head = `Consilium site agent${view.name === null ? "" : ` ${view.name}`}, version ${view.software}, checked ${view.checkedAt}${view.aggregator === null ? "" : `, aggregator ${view.aggregator}`}`;
  return `${[head, ...asked].join("\n\n")}\n`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
