import { errorSummaries } from "../core/src/errorSummaries.js";
import { type ErrorCode, type ErrorFamily, errorTable } from "../core/src/errors.js";
import { type Dependence, leavingCodes } from "../gate/src/leavingCodes.js";
import { causesOfTheWorld } from "../site-agent/src/studies/zeros.js";
import { filesOf, isTestOrGenerated, readProjectFile } from "./repository.js";

const families: Readonly<Record<ErrorFamily, { title: string; text: string; who: string }>> = {
  config: {
    title: "Configuration and use",
    text: "Something that a person wrote or typed is wrong, or is missing. Nothing was done.",
    who: "the operator of the process, or the user of the command",
  },
  peer: {
    title: "The other side",
    text: "The other side of a connection, or what it sent, is not what the protocol allows. It was refused.",
    who: "the operator of the other side",
  },
  refusal: {
    title: "Refusals",
    text: "A policy, a limit or a deadline said no. This is a normal outcome, not a defect.",
    who: "nobody must; the remedy says who can",
  },
  internal: {
    title: "Faults of Consilium",
    text: "A defect of the software or of the machine. The other side is told the code alone.",
    who: "Consilium's developers",
  },
};

/** In the table and raised by nothing today. A test keeps this list true. */
export const neverRaised: readonly ErrorCode[] = [];

const head = `# Errors

Every failure has a stable code. On standard error and in logs it reads
\`[CODE] what, where and the numbers. What to do.\` With \`--json\` a command prints
\`{"error": {"code", "message", "remedy"}}\`. The place that raises an error may know a better remedy than the one
listed here; then it gives that one.

No message holds a record's value: numbers in messages are counts, sizes, limits, offsets and row numbers.

Between processes the code travels in the gRPC trailer \`consilium-code\`, or in the JSON body of an HTTP answer. Of
\`INTERNAL\` and \`DISK_FULL\` only the code travels. Of a refusal by a site only a code travels, and only
[some](#codes-that-can-leave-a-hospital); the hospital reads its own code and reason with \`consilium site status\`.

A process that meets an error it cannot continue from prints it and ends with exit code 1. The exit codes of the
\`consilium\` command are in [CLI.md](CLI.md#exit-codes).
`;

function sentence(text: string): string {
  return text.replaceAll("|", "\\|").replace(/^./, (first) => first.toUpperCase());
}

/** The page of error codes, from core/src/errors.ts and errorSummaries.ts. */
export function renderErrors(): string {
  const codes = Object.keys(errorTable) as ErrorCode[];
  const sections = (Object.keys(families) as ErrorFamily[]).map((family) => {
    const { title, text, who } = families[family];
    const rows = codes
      .filter((code) => errorTable[code].family === family)
      .map((code) => {
        const { remedy } = errorTable[code];
        const summary = errorSummaries[code];
        const reserved = neverRaised.includes(code) ? " (Nothing raises it today.)" : "";
        return `| \`${code}\` | ${sentence(summary)}${reserved} | ${sentence(who)} | ${sentence(remedy)} |`;
      });
    const table = [
      "| code | what happened | who must act | what to do |",
      "| --- | --- | --- | --- |",
      ...rows,
    ];
    return `## ${title}\n\nFamily \`${family}\`. ${text}\n\n${table.join("\n")}\n`;
  });
  return [head, ...sections, leaving()].join("\n");
}

const dependences: Readonly<Record<Dependence, string>> = {
  "the study": "the study's text, its plan and its method, tried with made-up records",
  "the policy": "the hospital's policy and its permissions",
  "a person": "what a person at the hospital decided",
  "the ledger": "what was charged before: answers that have left",
  "other parties": "what the aggregator and other hospitals have sent",
  "the world": "files, servers, disks and clusters, before a record is read",
  "the software": "the versions that are installed, and defects outside of reading",
  "the table's shape":
    "names and types of columns, as files and databases state them, before the hospital joins; later only of studies that hold it to an approved table",
  "an approved table":
    "the table's content, of `variant: paper` and without privacy alone; of others, before the hospital joins, an engine that ended",
  records:
    "records, of `variant: paper` and without privacy alone, but for `COLUMN_TYPE` of a column whose stated type is another; they leave as `PREFLIGHT_FAILED`",
};

/** Which codes a hospital may send, with what each depends on. */
function leaving(): string {
  const rows = (Object.keys(dependences) as Dependence[]).map(
    (on) => `| ${dependences[on]} | ${leavingCodes[on].map((code) => `\`${code}\``).join(", ")} |`,
  );
  return `## Codes that can leave a hospital

Any other leaves as \`INTERNAL\`. Once a hospital has joined a study of \`variant: sound\` with noise, no code depends on a record: where its table
cannot be read or added up, a stage is answered as of an empty table, with its noise and charged, and only its own people are told.
The causes for which a stage of such a study may fail are ${Object.keys(causesOfTheWorld)
    .map((code) => `\`${code}\``)
    .join(", ")}.

| depends on | codes |
| --- | --- |
${rows.join("\n")}
`;
}

/** Files that only translate codes: a mention there raises nothing. */
const translators = new Set([
  "core/src/errors.ts",
  "core/src/errorSummaries.ts",
  "secure-sum/src/errors.ts",
  "proto/src/status.ts",
  "cli/src/exitCodes.ts",
]);

/** The codes that no source outside of tests mentions but to translate it. */
export function unraisedCodes(): ErrorCode[] {
  const sources = filesOf(/\.ts$/)
    .filter(
      (file) => /^(?:[a-z-]+\/src|methods|methods-paper)\//.test(file) && !/^(?:bench|test)\//.test(file),
    )
    .filter((file) => !isTestOrGenerated(file) && !translators.has(file))
    .map(readProjectFile);
  return (Object.keys(errorTable) as ErrorCode[]).filter(
    (code) => !sources.some((source) => source.includes(`"${code}"`)),
  );
}
