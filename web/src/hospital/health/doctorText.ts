import type { DoctorView } from "@consilium/core/hospital/doctorView";
import { plural, served, t } from "../../shared/language";

/** The doctor's findings, in one line. */
export function doctorSummary(view: DoctorView): {
  readonly tone: "ok" | "warn" | "bad";
  readonly title: string;
} {
  const failed = view.checks.filter(({ status }) => status === "fail");
  const warned = view.checks.filter(({ status }) => status === "warn");
  if (failed.length > 0) {
    const [first] = failed;
    const more =
      failed.length === 1
        ? ""
        : plural(
            failed.length - 1,
            ", and {count} other check after it",
            ", and {count} other checks after it",
          );
    return { tone: "bad", title: t("{title} fails{more}.", { title: served(first!.title), more }) };
  }
  if (warned.length > 0)
    return {
      tone: "warn",
      title: plural(
        warned.length,
        "All checks passed, with {count} warning.",
        "All checks passed, with {count} warnings.",
      ),
    };
  return { tone: "ok", title: t("All checks passed.") };
}

/** All tasks for the hospital's network team, as one text to send; null if there are none. */
export function letterToIt(view: DoctorView): string | null {
  const asked = view.checks.flatMap(({ title, forIt }) =>
    forIt === null ? [] : [`${served(title)}\n${served(forIt)}`],
  );
  if (asked.length === 0) return null;
  const head = t("Consilium site agent{more}, version {software}, checked {checkedAt}{more2}", {
    more: view.name === null ? "" : ` ${view.name}`,
    software: view.software,
    checkedAt: view.checkedAt,
    more2: view.aggregator === null ? "" : t(", aggregator {aggregator}", { aggregator: view.aggregator }),
  });
  return `${[head, ...asked].join("\n\n")}\n`;
}
