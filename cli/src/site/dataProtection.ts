import { ConsiliumError } from "@consilium/core/errors";
import { dataProtectionScopeSchema } from "@consilium/core/hospital/dataProtectionViews";
import { counted } from "@consilium/core/words";
import type { paths } from "@consilium/runtime/http/openapi/generated/hospital";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { type Command, InvalidArgumentError, Option } from "commander";
import { exitCodes } from "../exitCodes.js";
import { askAtRest } from "../ledger/ledgerSource.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";
import { consoleOf } from "./consoleSocket.js";
import { addStateOptions, type SiteStateOptions, siteState } from "./siteState.js";

interface DataProtectionOptions extends SiteStateOptions {
  readonly to?: string;
  readonly study?: string;
  readonly since?: string;
}

type Answer = paths["/api/data-protection"]["get"]["responses"][200]["content"]["application/json"];

/** The basis of the hospital's record of processing and impact assessment. */
export function addDataProtection(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("data-protection")
      .summary("write the data protection record")
      .description(
        "Writes a Markdown document from this site's configuration, policy, ledger and egress log: the " +
          "tables, each study with its purpose and approval, outgoing data and recipients, guarantees, retention " +
          "periods, measures in place, and points for the officer to add. It contains no table " +
          "values. Reads from the running console, or from the state folder if none is running.",
      ),
  )
    .option("--study <id>", "list this study alone; the rest is about the whole site")
    .addOption(
      new Option("--since <day>", "list studies that had not ended before, such as 2026-01-01").argParser(
        dayOf,
      ),
    )
    .option("--to <file>", "the file to write (default: standard output)")
    .addHelpText(
      "after",
      "\nExamples:\n  $ consilium site data-protection\n  $ consilium site data-protection --to data-protection.md\n  $ consilium site data-protection --since 2026-01-01",
    );
  program.verb<[DataProtectionOptions]>(command, async (session, options) => {
    const { document, markdown } = await askDocument(session, await siteState(session, options), options);
    if (options.to !== undefined) return written(session, options.to, { document, markdown });
    if (session.json) session.printJson(document);
    else session.io.stdout.write(markdown.split("\n").map(printable).join("\n"));
    return exitCodes.ok;
  });
}

type Scope = Pick<DataProtectionOptions, "study" | "since">;

async function askDocument(session: Session, state: string, { study, since }: Scope): Promise<Answer> {
  const running = await askConsole(session, state, { study, since });
  if (running !== null) return running;
  const facts = await askAtRest(session, ["--state", state], "protectionFacts");
  return (await askAtRest(session, [], "dataProtection", { facts, scope: { study, since } })) as Answer;
}

/** @throws InvalidArgumentError */
function dayOf(text: string): string {
  if (!dataProtectionScopeSchema.safeParse({ since: text }).success)
    throw new InvalidArgumentError("expected a day, such as 2026-01-01");
  return text;
}

/** The console's answer, or null with a note to the user if none is running. */
async function askConsole(session: Session, state: string, query: Scope): Promise<Answer | null> {
  const { api, answer } = consoleOf(session, state, documentTimeoutMs);
  try {
    return await answer(api.GET("/api/data-protection", { params: { query } }));
  } catch (thrown) {
    if (!(thrown instanceof ConsiliumError) || thrown.code !== "UNREACHABLE") throw thrown;
    session.note(`No console or agent is running with ${state}: reading their stores directly.`);
    return null;
  }
}

/** Looking up the columns of every table takes time. */
const documentTimeoutMs = 10 * 60_000;

/** With --json the JSON form is written. */
async function written(session: Session, to: string, { document, markdown }: Answer): Promise<number> {
  const path = session.path(to);
  const text = session.json ? `${JSON.stringify(document, null, 2)}\n` : markdown;
  await writeFileDurable(path, text, { mode: 0o600 });
  const { studies, gaps, officer } = document;
  if (session.json) {
    session.printJson({ file: path, studies: studies.length, gaps: gaps.length });
    return exitCodes.ok;
  }
  const { good } = session.style;
  session.print(
    `${good("Written")} ${path}: ${counted(studies.length, "study", "studies")}, ${counted(gaps.length, "open point")}, ${counted(officer.length, "part")} for the officer to add.`,
  );
  return exitCodes.ok;
}
