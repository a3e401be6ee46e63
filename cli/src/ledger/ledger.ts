import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { HospitalAgent } from "@consilium/runtime/agent/hospitalAgent";
import { commandLineName } from "@consilium/runtime/commandLineName";
import { writeFileDurable } from "@consilium/runtime/store/durableFile";
import { type Command, Option } from "commander";
import { exitCodes } from "../exitCodes.js";
import { collect } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { agentOf } from "../site/agentSocket.js";
import { addStateOptions, type SiteStateOptions, siteState } from "../site/siteState.js";
import { printable } from "../terminal/layout.js";
import { addCompact } from "./compact.js";
import { confirmed } from "./confirmed.js";
import { askAtRest, askRunning, ledgerTimeoutMs } from "./ledgerSource.js";
import {
  behindText,
  egressTable,
  entriesCsv,
  type Ledger,
  ledgerText,
  type Report,
  reportText,
} from "./ledgerText.js";

interface ShowOptions extends SiteStateOptions {
  readonly all?: boolean;
}

interface VerifyOptions extends SiteStateOptions {
  readonly file?: string;
  readonly key?: string;
  readonly anchor?: readonly string[];
  readonly archive?: readonly string[];
}

interface ExportOptions extends SiteStateOptions {
  readonly to?: string;
  readonly format: "jsonl" | "csv";
}

interface ReconcileOptions extends SiteStateOptions {
  readonly yes?: boolean;
  readonly charge?: number;
}

interface EgressOptions extends SiteStateOptions {
  readonly study?: string;
}

/** The hospital's ledger of privacy spending. */
export function addLedger(program: Program, parent: Command): void {
  const ledger = parent
    .command("ledger")
    .summary("at the hospital: privacy spending and outgoing data")
    .description(
      "The site's privacy ledger: what each study may spend and has spent, per population, in an append-only chain " +
        "signed by the site. Reads from the running agent, or from the state folder if no agent is running.",
    )
    .addHelpText(
      "after",
      `
Typical use by a data protection officer:
  $ consilium ledger show
  $ consilium ledger egress
  $ consilium ledger verify
  $ consilium ledger export --to ledger.jsonl
  $ consilium ledger compact --before 2y --dry-run`,
    );
  addShow(program, ledger);
  addVerify(program, ledger);
  addExport(program, ledger);
  addReconcile(program, ledger);
  addCompact(program, ledger);
  addEgress(program, ledger);
}

// ---- show and egress --------------------------------------------------------------------------------------------

function addShow(program: Program, ledger: Command): void {
  const command = addStateOptions(
    ledger
      .command("show")
      .summary("show spent and remaining budget by population")
      .description(
        "For each population: its budget, and the spent, reserved (for running studies) and remaining epsilon " +
          "at the population's delta, rounded conservatively. Then the newest entries.",
      ),
  )
    .option("--all", "print every entry")
    .addHelpText(
      "after",
      "\nExamples:\n  $ consilium ledger show\n  $ consilium ledger show --site st-mary --all",
    );
  program.verb<[ShowOptions]>(command, async (session, options) => {
    const state = await siteState(session, options);
    const shown = await askEither(session, state, { ask: askLedger, verb: "show" });
    if (session.json) session.printJson(shown);
    else session.print(ledgerText(shown, { all: options.all === true }, session.style));
    return exitCodes.ok;
  });
}

function addEgress(program: Program, ledger: Command): void {
  const command = addStateOptions(
    ledger
      .command("egress")
      .summary("show everything that this hospital has sent")
      .description(
        "For each message: kind, time, recipient, bytes, SHA-256, and its cost and ledger entry. Messages that " +
          "reveal nothing about records, such as keys, signatures and heartbeats, cost nothing. Repeated " +
          "messages of one day, and all heartbeats of a day, share a line.",
      ),
  )
    .option("--study <study>", "only for this study: its id, or the start of its id")
    .addHelpText(
      "after",
      "\nExamples:\n  $ consilium ledger egress\n  $ consilium ledger egress --study vital-signs --json",
    );
  program.verb<[EgressOptions]>(command, async (session, options) => {
    const state = await siteState(session, options);
    const log = await askEither(session, state, {
      ask: (agent) => agent.egress({}),
      verb: "egress",
    });
    const shown = log.filter(
      ({ study }) => options.study === undefined || study?.startsWith(options.study) === true,
    );
    if (session.json) session.printJson(shown);
    else session.print(egressTable(shown, session.style));
    return exitCodes.ok;
  });
}

/** From the running agent, or from its store if none is running: both have this version. */
async function askEither<T>(
  session: Session,
  state: string,
  what: {
    readonly ask: (agent: HospitalAgent) => Promise<T>;
    readonly verb: string;
    readonly argv?: readonly string[];
  },
): Promise<T> {
  const running = await askRunning(session, state, what.ask);
  return running ?? ((await askAtRest(session, [what.verb, "--state", state, ...(what.argv ?? [])])) as T);
}

function askLedger(agent: HospitalAgent): Promise<Ledger> {
  return agent.ledger({});
}

// ---- verify -----------------------------------------------------------------------------------------------------

function addVerify(program: Program, ledger: Command): void {
  const command = addStateOptions(
    ledger
      .command("verify")
      .summary("check the ledger from its first entry to its head")
      .description(
        "Checks that every entry follows the previous one, is signed by the site, charges the cost of its event and " +
          "commits what was reserved, and that no entry known from an anchor is missing. Exit code 4 if not: the " +
          "first invalid entry is named.\n\n" +
          "It works with a running agent, a state folder or its backup, and anywhere with a file that `ledger " +
          "export` wrote and the site's key.\n\n" +
          "Entries that `ledger compact` has archived are verified too if their archives are in the state folder, or given " +
          "with --archive. Without an archive, the chain is verified from the checkpoint on, and the report says so; a changed " +
          "archive is an error.",
      ),
  )
    .option("--file <file>", "an exported ledger instead of a state folder")
    .option("--key <fingerprint>", "the expected signing key, as shown by `site status`")
    .option("--anchor <sequence:hash>", "a known head, such as a certificate's; repeatable", collect)
    .option("--archive <file>", "an archive that is not in the state folder; repeatable", collect)
    .addHelpText(
      "after",
      `
Examples:
  $ consilium ledger verify
  $ consilium ledger verify --state /backup/st-mary --anchor 41:8f2ac1d09b3e5f77
  $ consilium ledger verify --file ledger.jsonl \\
      --key 5d41402abc4b2a76b9719d911017c592ae2d1b3c4d5e6f708192a3b4c5d6e7f8`,
    );
  program.verb<[VerifyOptions]>(command, async (session, options) => {
    const report = (await verified(session, options)) as Report;
    if (session.json) session.printJson(report);
    else session.print(reportText(report, session.style));
    const newest = report.anchors.every(({ state }) => state !== "missing");
    return newest ? exitCodes.ok : exitCodes.unverified;
  });
}

async function verified(session: Session, options: VerifyOptions): Promise<unknown> {
  const { file, key, anchor = [], archive = [] } = options;
  const archives = archive.flatMap((path) => ["--archive", session.path(path)]);
  const given = [
    ...(key === undefined ? [] : ["--key", key]),
    ...anchor.flatMap((position) => ["--anchor", position]),
    ...archives,
  ];
  if (file !== undefined) {
    if (options.state !== undefined || options.site !== undefined)
      throw new ConsiliumError("USAGE", "give either --file or a site's state folder");
    return askAtRest(session, ["verify", "--file", session.path(file), ...given]);
  }
  const state = await siteState(session, options);
  const report = await askEither(session, state, {
    ask: async (agent) => {
      const answer = await agent.ledgerVerify({ anchors: [...anchor] });
      return archive.length === 0
        ? answer
        : { ...answer, ...(await withArchives(session, { agent, state, archives })) };
    },
    verb: "verify",
    argv: given,
  });
  // The agent verified it with its own key.
  const present = (report as Report).keys.at(-1);
  if (key !== undefined && present !== key.toLowerCase()) {
    throw new ConsiliumError(
      "LEDGER_BROKEN",
      `the ledger is signed with the key ${printable(String(present))}, not with ${printable(key)}`,
    );
  }
  return report;
}

/** The agent opens no files that it is given: archives are verified before an export of its ledger, by a process of their own. */
async function withArchives(
  session: Session,
  from: { readonly agent: HospitalAgent; readonly state: string; readonly archives: readonly string[] },
): Promise<Partial<Report>> {
  const { agent, state, archives } = from;
  const [{ keys }, { text }] = [await agent.ledgerVerify({ anchors: [] }), await agent.ledgerExport({})];
  const folder = await mkdtemp(join(tmpdir(), "consilium-ledger-"));
  try {
    const file = join(folder, "ledger.jsonl");
    await writeFile(file, text, { mode: 0o600 });
    const argv = ["verify", "--file", file, "--state", state, "--key", String(keys.at(-1)), ...archives];
    const report = (await askAtRest(session, argv)) as Report;
    return { entries: report.entries, verifiedFrom: report.verifiedFrom, archives: report.archives };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// ---- export -----------------------------------------------------------------------------------------------------

function addExport(program: Program, ledger: Command): void {
  const command = addStateOptions(
    ledger
      .command("export")
      .summary("write the ledger to a file that others can verify")
      .description(
        "One signed entry per line as JSON, with the signed head as the last line; `ledger verify --file` checks it " +
          "anywhere. It holds studies' names and costs, and no record data. CSV is for spreadsheets and " +
          "proves nothing.",
      ),
  )
    .option("--to <file>", "the file to write (default: standard output)")
    .addOption(
      new Option("--format <format>", "the output format").choices(["jsonl", "csv"]).default("jsonl"),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ consilium ledger export --to ledger.jsonl\n  $ consilium ledger export --format csv > ledger.csv",
    );
  program.verb<[ExportOptions]>(command, async (session, options) => {
    const state = await siteState(session, options);
    const text = await exported(session, state, options.format);
    if (options.to === undefined) {
      session.io.stdout.write(text);
      return exitCodes.ok;
    }
    const path = session.path(options.to);
    await writeFileDurable(path, text, { mode: 0o600 });
    // The head is the last line of the JSON lines; a CSV file has none.
    const lines = text.split("\n").length - 2;
    if (session.json) session.printJson({ file: path, format: options.format, entries: lines });
    else session.print(`${session.style.good("Written")} ${path}: ${lines} entries.`);
    return exitCodes.ok;
  });
}

async function exported(session: Session, state: string, format: ExportOptions["format"]): Promise<string> {
  if (format === "csv") {
    const shown = await askEither(session, state, { ask: askLedger, verb: "show" });
    return entriesCsv(shown.entries);
  }
  const running = await askRunning(session, state, (agent) => agent.ledgerExport({}));
  return running?.text ?? String(await askAtRest(session, ["export", "--state", state]));
}

// ---- reconcile --------------------------------------------------------------------------------------------------

function addReconcile(program: Program, ledger: Command): void {
  const command = addStateOptions(
    ledger
      .command("reconcile")
      .summary("charge the spending missing from an old copy of the ledger")
      .description(
        "After an old backup is restored, a newer ledger head proves that more was spent, and the site spends " +
          "nothing. If there is no newer backup, this charges the difference, rounded up, and unblocks the site. Studies " +
          "that the restored copy takes part in end for this hospital. This cannot be undone.\n\n" +
          "The missing amount is known if ledger-anchor.json is the newest one. The aggregator's head only proves that entries " +
          "are missing: then give the lost amount with --charge; it is charged to every population. A population's whole " +
          "limit is always enough; a smaller amount is your own statement, and the ledger records it as such.",
      ),
  )
    .option("--yes", "do not ask for confirmation")
    .option(
      "--charge <epsilon>",
      "the lost amount, if only the aggregator's head proves a loss",
      chargeOption,
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ consilium ledger reconcile\n  $ consilium ledger reconcile --charge 3",
    );
  program.verb<[ReconcileOptions]>(command, reconcile);
}

/** @throws ConsiliumError USAGE */
function chargeOption(written: string): number {
  const epsilon = Number(written);
  if (Number.isFinite(epsilon) && epsilon > 0) return epsilon;
  throw new ConsiliumError("USAGE", "--charge takes an epsilon greater than 0, such as 3");
}

async function reconcile(session: Session, options: ReconcileOptions): Promise<number> {
  const state = await siteState(session, options);
  const agent = agentOf(session, state, ledgerTimeoutMs);
  const { behind } = await askLedger(agent);
  if (behind !== null && options.yes !== true) {
    if (!session.json) session.print(`${behindText(behind, session.style)}\n`);
    if (!(await confirmed(session, chargeQuestion))) return exitCodes.failed;
  }
  const charge = options.charge === undefined ? {} : { charge: options.charge };
  const answer = await agent.reconcile({ ...charge, by: commandLineName() });
  if (session.json) {
    session.printJson(answer);
    return exitCodes.ok;
  }
  const { entries, abandoned } = answer;
  if (entries.length === 0)
    session.print("The ledger is up to date with every known head; nothing was charged.");
  else
    session.print(`${session.style.good("Charged")}: entry ${entries.join(", ")}. The site can spend again.`);
  if (abandoned.length > 0)
    session.print(`Studies that ended for this hospital: ${abandoned.map(printable).join(", ")}`);
  return exitCodes.ok;
}

const chargeQuestion = {
  ask: "Charge it?",
  otherwise: "Nothing was charged.",
  remedy: "check the ledger with `consilium ledger show`, then give --yes",
};
