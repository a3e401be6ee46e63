import { twiceBeyond } from "./distinguisher/distinguisher.js";
import { epsilonAlpha } from "./epsilon.js";
import type { PowerRow } from "./power.js";
import type { Finding } from "./runAudit.js";
import { falsePositiveRate } from "./statistics.js";

/** The audit as a table to read on a terminal. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = [
    ["method", "variant", "check", "of", "claimed", "measured", "verdict"],
    ...findings.map((finding) => [
      finding.method,
      finding.variant,
      finding.check,
      finding.subject,
      finding.claimed,
      finding.measured,
      `${finding.asExpected ? "" : "!! "}${finding.verdict}`,
    ]),
  ];
  const unexpected = findings.filter((finding) => !finding.asExpected);
  return [
    ...grid(rows),
    "",
    unexpected.length === 0
      ? `${findings.length} findings, all as they have to be: what is proven holds, what is not and every control was caught.`
      : `${unexpected.length} of ${findings.length} findings are NOT as they have to be:`,
    ...unexpected.map(
      ({ method, check, subject, what, verdict }) =>
        `  ${method}, ${check} of ${subject} (${what}): ${verdict}`,
    ),
    `False alarms: none in a line of sensitivity, at most ${falsePositiveRate} in one of noise, ${epsilonAlpha} in one of ε, ${twiceBeyond} in one of the distinguisher.`,
    "",
  ].join("\n");
}

export function formatPower(rows: readonly PowerRow[]): string {
  const table = rows.map(({ stdDev, epsilonAtLeast, expected }) => [
    stdDev,
    `ε ≥ ${epsilonAtLeast.toFixed(2)}`,
    expected.toFixed(2),
  ]);
  return `${[
    "What the experiment can see: one number, ε = 1, δ = 0.00001",
    ...grid([["noise", "measured", "expected"], ...table]),
    "",
  ].join("\n")}\n`;
}

function grid(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, k) => Math.max(...rows.map((row) => row[k]!.length)));
  return rows.map((row) =>
    row
      .map((cell, k) => cell.padEnd(widths[k]!))
      .join("  ")
      .trimEnd(),
  );
}
