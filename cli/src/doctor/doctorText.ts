import { type DoctorCheck, type DoctorView, isHealthy } from "@consilium/core/hospital/doctorView";
import { assertNever } from "@consilium/core/result";
import { counted } from "@consilium/core/words";
import { padTo, printable, wrap } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";

const statusWidth = 6;
const indent = " ".repeat(statusWidth);

/** The findings as text, followed by the text for the network team as one block to copy. */
export function doctorText(view: DoctorView, style: Style, columns: number): string {
  const width = Math.max(40, Math.min(110, columns)) - statusWidth;
  const requests = view.checks.flatMap(({ title, forIt }) => (forIt === null ? [] : [{ title, forIt }]));
  const letter =
    requests.length === 0
      ? []
      : [
          "",
          style.strong("To send to the network team:"),
          ...requests.flatMap(({ forIt }) => [
            "",
            ...wrap(printable(forIt), width).map((line) => `  ${line}`),
          ]),
        ];
  return [
    style.strong(heading(view)),
    "",
    ...view.checks.flatMap((one) => checkLines(one, style, width)),
    "",
    conclusion(view, style),
    ...letter,
  ].join("\n");
}

function heading({ subject, name, aggregator }: DoctorView): string {
  const what = {
    site: `Site ${name ?? "(not enrolled)"}`,
    invitation: `Invitation of ${name ?? "a site"}`,
    operator: `Federation ${name ?? ""}`.trim(),
  }[subject];
  return printable(aggregator === null ? what : `${what}, aggregator ${aggregator}`);
}

/** A finding: its status and title, what was found, and what to do. */
export function checkLines(
  { title, status, found, remedy }: DoctorCheck,
  style: Style,
  width: number,
): string[] {
  const detail = [...wrap(printable(found), width - 2)].map((line) => `${indent}${style.faint(line)}`);
  const todo =
    remedy === null || status === "ok"
      ? []
      : wrap(`To do: ${printable(remedy)}`, width - 2).map((line) => `${indent}${line}`);
  return [`${padTo(statusText(status, style), statusWidth)}${printable(title)}`, ...detail, ...todo];
}

function statusText(status: DoctorCheck["status"], style: Style): string {
  switch (status) {
    case "ok":
      return style.good("ok");
    case "warn":
      return style.caution("warn");
    case "fail":
      return style.bad("FAIL");
    case "skipped":
      return style.faint("-");
    default:
      return assertNever(status);
  }
}

function conclusion(view: DoctorView, style: Style): string {
  const count = (status: DoctorCheck["status"]) => view.checks.filter((one) => one.status === status).length;
  const warnings = count("warn");
  const also = warnings === 0 ? "" : `, ${counted(warnings, "warning")}`;
  if (isHealthy(view)) return style.good(`All checks passed${also}.`);
  return style.bad(`${count("fail")} of ${view.checks.length} checks failed${also}.`);
}
