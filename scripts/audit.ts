import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { auditedMethods } from "../test/audit/methods/all.js";
import { noiseShareLines } from "../test/audit/noiseShares.js";
import { powerTable } from "../test/audit/power.js";
import { formatFindings, formatPower } from "../test/audit/report.js";
import { efforts, type Finding, runAudit } from "../test/audit/runAudit.js";
import { whatLeaves } from "../test/what-leaves/audit.js";

/** The privacy of every method, measured: docs/AUDIT.md. */
const usage = `Usage: npm run audit [-- --full] [-- --json] [-- --method <name>] [-- --seed <text>]

Measures the privacy of every method: sensitivity by trying all small tables, the noise that sites add, and lower
bounds on epsilon by experiment. Then it runs a federation and compares what a hospital sends for tables that differ in
one record, and counts patients as a hostile operator would. What is proven must hold; published claims known to be
wrong, and faults put in on purpose, must be caught. Exit code 1 when one of either is not as it has to be.

  --full           larger tables and samples, and the table of what the experiment can see: some ten minutes
  --json           print one JSON object to standard output
  --method <name>  only methods whose name begins with this; "what-leaves" for the comparison of what is
                   sent, "noise-shares" for the fewest sites in a sum
  --seed <text>    the same findings again; without it the seed is drawn, and printed
  --help           this text
`;

const fullPowerRuns = 1_000_000;
/** What is audited beside the methods' own mechanisms. */
const others: readonly { readonly name: string; readonly lines: () => AuditLines }[] = [
  { name: "noise-shares", lines: noiseShareLines },
  { name: "what-leaves", lines: whatLeaves },
];
type AuditLines = Iterable<Omit<Finding, "seconds">> | AsyncIterable<Omit<Finding, "seconds">>;

function report({ method, check, subject, what, seconds }: Finding): void {
  process.stderr.write(`  ${method}: ${check} of ${subject}, ${what} (${seconds.toFixed(1)} s)\n`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      full: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      method: { type: "string", default: "" },
      seed: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const methods = auditedMethods.filter(({ name }) => name.startsWith(values.method));
  const beside = others.filter(({ name }) => name.startsWith(values.method));
  if (methods.length === 0 && beside.length === 0) {
    const known = auditedMethods.filter(({ kind }) => kind !== "mutation").map(({ name }) => name);
    throw new RangeError(
      `no method is called "${values.method}"; there are: ${[...known, ...others.map(({ name }) => name)].join(", ")}`,
    );
  }
  const seed = values.seed ?? randomBytes(8).toString("hex");
  const effort = values.full ? efforts.full : efforts.default;
  process.stderr.write(`Auditing, seed ${seed}…\n`);
  const findings = await runAudit({
    methods,
    effort,
    seed,
    now: () => performance.now(),
    report,
  });
  for (const { lines } of beside) {
    let before = performance.now();
    for await (const line of lines()) {
      const after = performance.now();
      const finding = { ...line, seconds: (after - before) / 1000 };
      before = after;
      findings.push(finding);
      report(finding);
    }
  }
  const power = values.full ? await powerTable(fullPowerRuns, seed) : null;
  const asExpected = findings.every((finding) => finding.asExpected);
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ seed, effort: effort.name, asExpected, findings, power })}\n`
      : `\n${formatFindings(findings)}${power === null ? "" : `\n${formatPower(power)}`}`,
  );
  process.exitCode = asExpected ? 0 : 1;
}

main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${usage}`);
  process.exitCode = 2;
});
