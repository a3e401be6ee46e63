import { access, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { type DoctorView, doctorViewSchema, isHealthy } from "@consilium/core/hospital/doctorView";
import { parseSiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { studyDocument } from "@consilium/core/study/study";
import { spoken } from "@consilium/runtime/http/spoken";
import type { Command } from "commander";
import { exitCodes } from "../exitCodes.js";
import { durationFlag } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { addProxyOptions, type ProxyOptions } from "../site/proxyOptions.js";
import { addStateOptions, type SiteStateOptions, siteState } from "../site/siteState.js";
import { readToken } from "../site/tokenOption.js";
import { loadStudy } from "../study/studyFile.js";
import { doctorText } from "./doctorText.js";
import { examineInvitation } from "./invitation.js";
import { examineFederation } from "./operator.js";
import { doctorFault, runSiteDoctor } from "./siteDoctor.js";

interface DoctorOptions extends SiteStateOptions, ProxyOptions {
  readonly tokenFile?: string;
  readonly operator?: boolean;
  readonly study?: string;
  readonly timeout: number;
}

export function addDoctor(program: Program, parent: Command): void {
  const command = addStateOptions(
    parent
      .command("doctor")
      .summary("find out why a site is not connected, with the text to send to the network team")
      .description(
        "Checks everything between a hospital's tables and the aggregator: configuration, keys, disk, web " +
          "proxy, DNS, port, TLS interception, HTTP/2, clocks, certificates, versions, the agent and " +
          "the tables. For each failure it shows a remedy, and the text to send to the hospital's network team.\n\n" +
          "At a site it works with or without a running agent. Before a site enrols, give the invitation token: it is " +
          "not used up. On the operator's machine it checks the federation. It changes nothing and sends nothing about " +
          "records. Exit code 0 if no check fails, 1 otherwise.",
      )
      .argument("[token]", "an invitation token, before the site is enrolled")
      .option("--token-file <file>", "a file with the token, or - for standard input")
      .option("--operator", "check the federation below --home instead of a site")
      .option("--study <file>", "compare the tables with this study's columns"),
  );
  addProxyOptions(command)
    .addOption(durationFlag("--timeout <duration>", "the timeout of each network step", "10s"))
    .addHelpText(
      "after",
      `
Examples:
  $ consilium doctor
  $ consilium doctor --token-file st-mary.token --proxy http://proxy.example.org:3128
  $ consilium doctor --site st-mary --study pca.yaml --json`,
    );
  program.verb<[string | undefined, DoctorOptions]>(command, async (session, token, options) => {
    const view = await examine(session, token, options);
    if (session.json) session.printJson(view);
    else session.print(doctorText(view, session.style, session.io.stdout.size().columns));
    return isHealthy(view) ? exitCodes.ok : exitCodes.failed;
  });
}

async function examine(
  session: Session,
  token: string | undefined,
  options: DoctorOptions,
): Promise<DoctorView> {
  const { operator, tokenFile, timeout: timeoutMs } = options;
  if (token !== undefined || tokenFile !== undefined) {
    const given = await readToken(session, { argument: token, tokenFile });
    return examineInvitation(session, given, { ...options, timeoutMs, state: options.state ?? null });
  }
  const names = await siteNames(session);
  const isOperator =
    operator ?? (options.state === undefined && options.site === undefined && names.length === 0);
  if (!isOperator) return examineSite(session, await siteState(session, options), options);
  if (operator !== true && !(await isThere(session.home.aggregator))) {
    throw new ConsiliumError(
      "STATE_MISSING",
      `no state of a site or a federation below ${session.home.home}`,
      {
        remedy: "give the invitation token, or the state folder with --state",
      },
    );
  }
  return examineFederation(session, timeoutMs);
}

async function siteNames(session: Session): Promise<string[]> {
  const sites = dirname(session.home.site(unwrap(parseSiteId("any"))));
  const entries = await readdir(sites, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Every step has a timeout, and a site has at most a dozen steps; tables are opened, not read in full. */
const stepsAtMost = 15;
const tablesMs = 120_000;

/** Runs the site agent's doctor in its own process: only that package reads tables. */
async function examineSite(session: Session, state: string, options: DoctorOptions): Promise<DoctorView> {
  const temporary = await mkdtemp(join(tmpdir(), "consilium-doctor-"));
  try {
    const args = ["--state", state, "--timeout-ms", String(options.timeout)];
    if (options.study !== undefined) {
      const { study } = await loadStudy(session.path(options.study), options.study);
      const path = join(temporary, "study.json");
      await writeFile(path, studyDocument(study).text);
      args.push("--study", path);
    }
    const answer = await runSiteDoctor(session, args, stepsAtMost * options.timeout + tablesMs);
    const view = doctorViewSchema.safeParse(answer);
    if (view.success) return spoken(view.data) as DoctorView;
    throw doctorFault(answer);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
