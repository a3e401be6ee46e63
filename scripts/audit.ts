import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { distinguisherLines } from "../test/audit/distinguisher/distinguisher.js";
import { auditedMethods } from "../test/audit/methods/all.js";
import { noiseShareLines } from "../test/audit/noiseShares.js";
import { powerTable } from "../test/audit/power.js";
import { formatFindings, formatPower } from "../test/audit/report.js";
import { type AuditLines, type Effort, efforts, type Finding, runAudit } from "../test/audit/runAudit.js";
import { whatLeaves } from "../test/what-leaves/audit.js";

/** The privacy of every method, measured: docs/AUDIT.md. */
const usage = `Usage: npm run audit [-- --full] [-- --json] [-- --method <name>] [-- --seed <text>]

Measures the privacy of every method: sensitivity by trying all small tables, the noise that sites add, and lower
bounds on epsilon by experiment. Of each stage of each proven method it searches the two neighbouring tables that are
farthest apart, and tells them apart through the noise. Then it runs a federation and compares what a hospital sends for tables that differ in
one record, and counts patients as a hostile operator would. What is proven must hold; published claims known to be
wrong, and faults put in on purpose, must be caught.

  --full           larger tables and samples, and the table of what the experiment can see: some twenty minutes
  --json           print one JSON object to standard output
  --method <name>  only methods whose name begins with this; "what-leaves" for the comparison of what is
                   sent, "noise-shares" for the fewest sites in a sum, "distinguisher" for neighbours that are searched
  --seed <text>    the same findings again, but for the noise of the distinguisher, which is the operating system's;
                   without it the seed is drawn, and printed
  --help           this text

Exit code 0: everything is as it has to be. 1: something is not. 2: the command line is not understood. 3: the audit
failed before its end; the findings made until then are printed.
`;

const fullPowerRuns = 1_000_000;
/** Parts of the audit beside the methods' own mechanisms. */
const others: readonly {
  readonly name: string;
  readonly lines: (run: { readonly effort: Effort["name"]; readonly seed: string }) => AuditLines;
}[] = [
  { name: "noise-shares", lines: () => noiseShareLines() },
  { name: "distinguisher", lines: distinguisherLines },
  { name: "what-leaves", lines: () => whatLeaves() },
];

type Options = ReturnType<typeof readOptions>;

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      full: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      method: { type: "string", default: "" },
      seed: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const methods = auditedMethods.filter(({ name }) => name.startsWith(values.method));
  const beside = others.filter(({ name }) => name.startsWith(values.method));
  if (methods.length === 0 && beside.length === 0) {
    const known = auditedMethods.filter(({ kind }) => kind !== "mutation").map(({ name }) => name);
    throw new RangeError(
      `no method is called "${values.method}"; there are: ${[...known, ...others.map(({ name }) => name)].join(", ")}`,
    );
  }
  const { full, json, help, seed = randomBytes(8).toString("hex") } = values;
  return { methods, beside, full, json, help, seed };
}

/** @returns the exit code; what was measured before a failure is printed, for it may have taken an hour */
export async function audit(
  { methods, beside, full, json, seed }: Omit<Options, "help">,
  output: { readonly out: (text: string) => void; readonly progress: (text: string) => void },
): Promise<0 | 1 | 3> {
  const { out, progress } = output;
  progress(`Auditing, seed ${seed}…\n`);
  const effort = full ? efforts.full : efforts.default;
  const findings: Finding[] = [];
  let power: Awaited<ReturnType<typeof powerTable>> | null = null;
  let failure: string | null = null;
  try {
    await runAudit({
      methods,
      beside: beside.map(
        ({ lines }) =>
          () =>
            lines({ effort: effort.name, seed }),
      ),
      effort,
      seed,
      now: () => performance.now(),
      report: (finding) => {
        const { method, check, subject, what, seconds } = finding;
        findings.push(finding);
        progress(`  ${method}: ${check} of ${subject}, ${what} (${seconds.toFixed(1)} s)\n`);
      },
    });
    if (full) power = await powerTable(fullPowerRuns, seed);
  } catch (thrown) {
    failure = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
  const asExpected = failure === null && findings.every((finding) => finding.asExpected);
  out(
    json
      ? `${JSON.stringify({ seed, effort: effort.name, asExpected, findings, power, failure })}\n`
      : `\n${formatFindings(findings)}${power === null ? "" : `\n${formatPower(power)}`}`,
  );
  if (failure === null) return asExpected ? 0 : 1;
  progress(`\nThe audit failed after ${findings.length} findings; the rest was not measured.\n${failure}\n`);
  return 3;
}

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${usage}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  return audit(options, {
    out: (text) => process.stdout.write(text),
    progress: (text) => process.stderr.write(text),
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
