import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ConsiliumError } from "@consilium/core/errors";
import { parseSha256, type Sha256 } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { printAnswer } from "@consilium/runtime/answered";
import { unresolvedTables } from "../data/tableSources.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { tablesAtRest } from "../store/tablesAtRest.js";
import { Anchors } from "./anchors.js";
import { approvalRecords } from "./approvalRecords.js";
import { joinArchives } from "./archives.js";
import { egressView } from "./egress.js";
import { EgressLog } from "./egressLog.js";
import { exportMaxBytes, readExport } from "./exported.js";
import { exportText } from "./exportText.js";
import { ledgerView } from "./ledgerView.js";
import { type Kept, keptInFile, keptPositions, reportOn } from "./report.js";
import { entriesAtRest, fingerprintAtRest, ledgerAtRest, readAtRest } from "./storeAtRest.js";

/**
 * The ledger without an agent: of a state folder at rest, a backup, or an exported file. `consilium ledger` starts this
 * as a process of its own, because nothing imports a site's code. It reads, and writes nothing but one JSON object to
 * standard output: `{"answer": …}` or `{"error": {code, message, remedy}}`.
 */
const options = {
  state: { type: "string" },
  file: { type: "string" },
  key: { type: "string" },
  anchor: { type: "string", multiple: true },
  archive: { type: "string", multiple: true },
  study: { type: "string" },
} as const;

type Given = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>["values"];

async function answer(verb: string | undefined, given: Given): Promise<unknown> {
  const positions = keptPositions(given.anchor ?? []);
  const key = given.key === undefined ? null : fingerprint(given.key);
  if (verb === "verify" && given.file !== undefined) {
    const archives = (given.archive ?? []).map((path) => resolve(path));
    const stateFolder = given.state === undefined ? null : resolve(given.state);
    return verifiedFile(resolve(given.file), { key, positions, archives, stateFolder });
  }
  if (given.state === undefined) throw new ConsiliumError("USAGE", "no state folder is given");
  const state = resolve(given.state);
  const tables = verb === "show" ? await tablesAtRest(state) : unresolvedTables([]);
  return readAtRest(state, (store) => {
    if (verb === "verify") {
      const kept = [...keptInFile(state), ...positions];
      const joined = joinArchives(entriesAtRest(store), {
        stateFolder: state,
        given: (given.archive ?? []).map((path) => resolve(path)),
      });
      const fingerprint = key ?? fingerprintAtRest(state);
      return unwrap(reportOn(joined.entries, { fingerprint, kept, archives: joined.archives }));
    }
    const ledger = ledgerAtRest(store, state);
    const policy = () => unwrap(new PolicyFile(join(state, policyFileName)).read());
    switch (verb) {
      case "show":
        new Anchors(state).check(ledger);
        return ledgerView(ledger, policy(), tables);
      case "egress": {
        const { entries } = joinArchives(ledger.entries(), { stateFolder: state, given: [] });
        return egressView(new EgressLog(store).entries(), entries, policy());
      }
      case "record": {
        const { entries } = joinArchives(ledger.entries(), { stateFolder: state, given: [] });
        return approvalRecords(store, entries, given.study ?? "");
      }
      case "export":
        return exportText({ entries: ledger.entries(), head: ledger.signedHead() });
      default:
        throw new ConsiliumError("USAGE", "a ledger at rest is shown, verified or exported");
    }
  });
}

/** An export has no key beside it: whose ledger it is to be must be known from elsewhere. */
function verifiedFile(
  path: string,
  known: {
    readonly key: Sha256 | null;
    readonly positions: readonly Kept[];
    readonly archives: readonly string[];
    /** Where more archives may be. */
    readonly stateFolder: string | null;
  },
): unknown {
  const { key, positions } = known;
  if (key === null) {
    throw new ConsiliumError("USAGE", "an exported ledger is verified with its site's key", {
      remedy: "give the key's fingerprint with --key: the hospital's `consilium site status` shows it",
    });
  }
  const { entries: live, head } = unwrap(readExport(exportedText(path)));
  const { entries, archives } = joinArchives(live, { stateFolder: known.stateFolder, given: known.archives });
  const report = unwrap(
    reportOn(entries, { fingerprint: key, kept: [{ from: lastLine, head }, ...positions], archives }),
  );
  const own = report.anchors.find(({ from }) => from === lastLine)!;
  if (own.sequence === report.head.sequence && own.state === "held") return report;
  throw new ConsiliumError(
    "LEDGER_BROKEN",
    `the export ends at entry ${report.head.sequence}, and its head is that of entry ${own.sequence}`,
    { remedy: "entries were cut off or added: ask the hospital for the export anew" },
  );
}

function exportedText(path: string): string {
  try {
    if (statSync(path).size <= exportMaxBytes) return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw new ConsiliumError("STATE_MISSING", `${path} cannot be read (${code})`, {
      remedy: "give the file that `consilium ledger export` wrote",
      cause,
    });
  }
  throw new ConsiliumError("MESSAGE_TOO_LARGE", `${path} is over ${exportMaxBytes} bytes`);
}

const lastLine = "the export's last line";

function fingerprint(written: string): Sha256 {
  const parsed = parseSha256(written.toLowerCase());
  if (parsed.ok) return parsed.value;
  throw new ConsiliumError("USAGE", "--key takes the 64 hexadecimal digits of a signing key's fingerprint");
}

await printAnswer(() => {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  return answer(positionals[0], values);
});
