import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { usesFewRows } from "@consilium/core/hospital/profileRemarks";
import type { ProfileReportView } from "@consilium/core/hospital/profileViews";
import { unwrap } from "@consilium/core/result";
import { hidesTables } from "@consilium/core/study/hidesTables";
import { type Study, studyDocument } from "@consilium/core/study/study";
import { softwareVersion } from "@consilium/core/version";
import { defaultPorts } from "@consilium/runtime/home";
import { enrol, enrolledBefore } from "@consilium/runtime/identity/enrol";
import { parseInvitation } from "@consilium/runtime/identity/invitation";
import { makePrivateFolder } from "@consilium/runtime/store/durableFile";
import { formatAddress } from "@consilium/runtime/tls/address";
import { type Command, Option } from "commander";
import { exitCodes } from "../exitCodes.js";
import { installedMethods } from "../methods.js";
import { addressOption, collect } from "../options.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { loadStudy, readStudy } from "../study/studyFile.js";
import { printable } from "../terminal/layout.js";
import { addAcceptProtocol } from "./acceptProtocol.js";
import { agentOf } from "./agentSocket.js";
import { addDataProtection } from "./dataProtection.js";
import { addOfferedStudies, offeredText } from "./offeredStudies.js";
import { remarkText } from "./offeredStudiesText.js";
import { askedPopulations, populationsOf } from "./populations.js";
import { addProxyOptions, type ProxyOptions, proxyOption, proxyText, siteProxy } from "./proxyOptions.js";
import { tableOption, unitOptions, writeSiteConfig } from "./siteConfig.js";
import { writeSitePolicy } from "./sitePolicy.js";
import { addStateOptions, type SiteStateOptions, siteState } from "./siteState.js";
import { readSiteStatus, statusText } from "./siteStatus.js";
import { addTable } from "./siteTable.js";
import { readToken } from "./tokenOption.js";
import { readUndeclared, undeclaredText } from "./undeclared.js";

interface EnrollOptions extends ProxyOptions {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly state?: string;
  readonly table?: readonly string[];
  readonly csvHeader?: boolean;
  readonly unit?: readonly string[];
  readonly samePatients?: readonly string[];
  readonly firstContact?: readonly string[];
  readonly allowPaperVariants?: boolean;
  readonly allowNoPrivacy?: boolean;
  readonly approval?: "person" | "automatic";
  readonly console?: string;
}

/** Reading a large table takes time. */
const profileTimeoutMs = 60 * 60_000;
const statusTimeoutMs = 10_000;

export function addSite(program: Program, parent: Command): void {
  const site = parent
    .command("site")
    .summary("at the hospital: enrol, check the data, decide on studies")
    .description("Commands for hospital staff, on the machine with the records.")
    .addHelpText(
      "after",
      `
Typical use at a hospital:
  $ consilium site enroll --token-file st-mary.token --table patients=/data/patients.parquet
  $ consilium serve site
  $ consilium site status
  $ consilium site studies
  $ consilium site approve vital-signs`,
    );
  addEnroll(program, site);
  addProfile(program, site);
  addTable(program, site);
  addStatus(program, site);
  addOfferedStudies(program, site);
  addDataProtection(program, site);
  addAcceptProtocol(program, site);
}

function addEnroll(program: Program, site: Command): void {
  const enrolling = site
    .command("enroll")
    .summary("join a federation with an invitation token")
    .description(
      "Creates this hospital's keys, which never leave the machine, has them certified by the federation that the token " +
        "pins, and writes config.yaml and policy.yaml. It connects to the aggregator's address; no inbound port is needed.\n\n" +
        "If the response is lost, repeat the same command with the same token. A hospital that has " +
        "enrolled before stops its agent and gives its state folder: signing key, ledger, accounts and configuration " +
        "stay, and only the certificate is new.",
    )
    .argument("[token]", "the invitation token; other users of this machine may see it while this runs")
    .option("--token <token>", "the same, as an option")
    .option("--token-file <file>", "a file with the token, or - for standard input")
    .option("--state <folder>", "the state folder, new or of this site (default: <home>/sites/<site>)")
    .option(
      "--table <name=path>",
      "a table that studies may name; repeatable; path#table within a SQLite file",
      collect,
    )
    .option("--csv-header", "the first row of the given CSV tables holds the column names")
    .option(
      "--unit <name=unit>",
      "a table's unit of privacy: name=rows, or name=patient:<column>:<rows>; repeatable",
      collect,
    )
    .option(
      "--same-patients <tables>",
      "tables of the same patients, which share one budget: a,b; repeatable (default: all tables; asked for on a terminal)",
      collect,
    )
    .option(
      "--first-contact <tables>",
      "tables that each hold the patients of one year of first contact and no others: each has a budget of its own",
      collect,
    )
    .option("--allow-paper-variants", "allow studies whose privacy is claimed, not proven")
    .option("--allow-no-privacy", "allow studies without privacy: for public data only")
    .addOption(
      new Option(
        "--approval <who>",
        "how studies allowed by the policy are approved (default: person)",
      ).choices(["person", "automatic"]),
    )
    .option(
      "--console <address>",
      `the address of the hospital's pages, such as 127.0.0.1:0 for any free port (default: 127.0.0.1:${defaultPorts.siteConsole})`,
      addressOption,
    );
  const command = addProxyOptions(enrolling).addHelpText(
    "after",
    `
Examples:
  $ consilium site enroll cns1.eyJhIjoi... --table patients=/data/patients.parquet --unit patients=rows
  $ consilium site enroll --token-file st-mary.token --table visits=/data/visits.parquet \\
      --unit visits=patient:person:5
  $ consilium site enroll --token-file st-mary.token --table tumours=/data/t.csv --table stroke=/data/s.csv \\
      --same-patients tumours --same-patients stroke
  $ pass show consilium | consilium site enroll --token-file - --table labs=/data/labs.sqlite#results`,
  );
  program.verb<[string | undefined, EnrollOptions]>(command, enroll);
}

async function enroll(
  session: Session,
  written: string | undefined,
  options: EnrollOptions,
): Promise<undefined> {
  const token = await readToken(session, { ...options, argument: written });
  const invitation = unwrap(parseInvitation(token, Date.now()));
  const state =
    options.state === undefined ? session.home.site(invitation.siteId) : session.path(options.state);
  // All local errors are checked before the token is used.
  const tables = [];
  const units = unitOptions(options.unit ?? [], options.table ?? []);
  for (const written of options.table ?? []) tables.push(await tableOption(session, written, units));
  const { samePatients = [], firstContact = [] } = options;
  const isAsked = samePatients.length + firstContact.length === 0 && !existsSync(join(state, "policy.yaml"));
  const populations = isAsked
    ? await askedPopulations(session, tables)
    : populationsOf(tables, { samePatients, firstContact });
  const isNew = !existsSync(state);
  await makePrivateFolder(state);
  const before = await enrolledBefore(state, invitation, Date.now());
  // Written first, so that an enrolled site always has one. An existing file stays.
  const config = await writeSiteConfig(state, {
    aggregator: invitation.address,
    standbys: invitation.standbys,
    tables,
    csvHeader: options.csvHeader === true,
    allowNoPrivacy: options.allowNoPrivacy === true,
    proxy: proxyOption(session, options),
    console: options.console ?? null,
  });
  const policy = await writeSitePolicy(state, {
    allowPaperVariants: options.allowPaperVariants === true,
    approval: options.approval ?? null,
    populations,
  });
  const proxy = await siteProxy(session, state, invitation.address);
  const enrolling = enrol({ token, stateFolder: state, software: softwareVersion, proxy });
  const { federation, id, notAfter, fingerprint } = await enrolling.catch(async (thrown: unknown) => {
    // A folder of nobody's would stand beside the hospital's own. Whatever was there before stays, as do keys of an answer that was lost.
    if (isNew && isRefusal(thrown)) await rm(state, { recursive: true, force: true });
    throw thrown;
  });
  const expiresAt = new Date(notAfter);
  if (session.json) {
    session.printJson({
      federation,
      site: id,
      state,
      config,
      policy,
      certificateExpiresAt: expiresAt.toISOString(),
      signingKeyFingerprint: fingerprint,
      again: before !== null,
      proxy: proxy === null ? null : { address: formatAddress(proxy), source: proxy.source },
    });
    return;
  }
  const { good, strong, accent, caution } = session.style;
  const next = options.state === undefined ? `--site ${id}` : `--state ${state}`;
  const how = before === null ? "Enrolled" : "Enrolled again with the existing key and ledger:";
  session.print(`${good(how)} ${strong(id)} in the federation ${strong(federation)}.

  state         ${state}
  config        ${config}
  policy        ${policy}
  certificate   until ${expiresAt.toISOString()}; renewed automatically while the agent runs
${proxyText(proxy)}
${headerHint(session, tables, options)}${tables.length === 0 && before === null ? `${caution("No table is configured yet:")} add one under \`tables:\` in the config.\n` : ""}${unitHint(tables, session)}Next: ${accent(`consilium serve site ${next}`)}`);
  return;
}

const isRefusal = (thrown: unknown) =>
  thrown instanceof ConsiliumError && /^(?:TOKEN_|SITE_ENROLLED$|SITE_EXPELLED$)/.test(thrown.code);

/** A CSV table without a declared header is usable, but its column names are not sent. */
function headerHint(
  { style }: Session,
  tables: readonly { readonly name: string; readonly isCsv: boolean }[],
  options: EnrollOptions,
): string {
  const undeclared = tables.filter(({ isCsv }) => isCsv && options.csvHeader !== true);
  if (undeclared.length === 0) return "";
  const names = undeclared.map(({ name }) => name).join(", ");
  return `${style.caution(`Does the first row of ${names} hold the column names?`)} If so, write \`csv: { header: true }\` under it in the config\nbefore the agent starts (or enrol with --csv-header); otherwise list them: \`csv: { header: false, names: [...] }\`.\n`;
}

/** A table without a unit is allowed: its studies need manual approval. */
function unitHint(
  tables: readonly { readonly name: string; readonly unit: unknown }[],
  { style }: Session,
): string {
  const unsaid = tables.filter(({ unit }) => unit === null).map(({ name }) => name);
  if (unsaid.length === 0) return "";
  return `${style.caution(`No unit of privacy is declared for ${unsaid.join(", ")}:`)} its studies need manual approval.\nWrite unit: rows, or unit: {patient: {column: ..., maxRows: ...}}, under the table in the config.\n`;
}

function addProfile(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("profile")
      .summary("check a table as a study would use it")
      .description(
        "Reads the study's table and shows, by column, the values that the study would use, clamp to its declared " +
          "bounds, or reject, and whether the site could take part. The running agent reads the table; the result stays " +
          "at the site. Exit code 1 if the study cannot use the table, or uses less of it than the policy's minimumUsable.",
      )
      .argument("<study>", "the study file, YAML, or the id of an offered study, or the start of it")
      .option(
        "--values",
        "also show the ten commonest values of each column that the study does not declare; they are read by this " +
          "command, with your permissions, and sent nowhere",
      ),
  ).addHelpText(
    "after",
    "\nExamples:\n  $ consilium site profile vital-signs\n  $ consilium site profile pca.yaml --values",
  );
  program.verb<[string, SiteStateOptions & { readonly values?: boolean }]>(
    command,
    async (session, file, options) => {
      const state = await siteState(session, options);
      const study = await studyOf(session, state, file);
      const agent = agentOf(session, state, profileTimeoutMs);
      const { report, text, flow, remarks } = await agent.profile({
        study: studyDocument(study).text,
        values: true,
      });
      const undeclared =
        options.values === true
          ? await readUndeclared(session, { state, study, timeoutMs: profileTimeoutMs })
          : null;
      if (session.json)
        session.printJson(undeclared === null ? report : { ...report, undeclared: undeclared.columns });
      else {
        session.print(text.split("\n").map(printable).join("\n").trimEnd());
        for (const line of flow) session.print(printable(line));
        for (const remark of remarks) session.print(remarkText(session, remark));
        if (undeclared !== null) session.print(`\n${undeclaredText(undeclared, session.style)}`);
        else if (hasUndeclared(report)) session.note("What undeclared cells hold: the same with --values.");
      }
      const { used, maxRowsPerSite, minimumUsable, problems } = report;
      const isUnfit = !hidesTables(study) && (problems.length > 0 || used > maxRowsPerSite);
      if (used === 0 || isUnfit) {
        const why =
          used === 0 ? "no row is left" : problems.length > 0 ? "it has faults" : "it has too many rows";
        session.note(`${session.style.bad("The study cannot use the table:")} ${why}.`);
        return exitCodes.failed;
      }
      if (!usesFewRows(report)) return exitCodes.ok;
      session.note(
        `${session.style.caution("The study would use few rows:")} less than the ${minimumUsable} % of minimumUsable in policy.yaml.`,
      );
      return exitCodes.failed;
    },
  );
}

/** A study of a file, else one that was offered to this hospital. */
async function studyOf(session: Session, state: string, given: string): Promise<Study> {
  const path = session.path(given);
  if (existsSync(path) || !/^[a-z0-9-]+$/.test(given)) return (await loadStudy(path, given)).study;
  const { id, text } = await offeredText(session, state, given);
  const read = readStudy(text, await installedMethods());
  if (read.kind === "valid") return read.study;
  throw new ConsiliumError("STUDY_INVALID", `study ${id} is not one that this version reads`);
}

/** Cells whose value the study does not name. */
const hasUndeclared = ({ columns, label }: ProfileReportView): boolean =>
  [...columns, label].some((column) => column?.type === "categorical" && column.undeclared > 0);

function addStatus(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("status")
      .summary("show the agent's connection and studies")
      .description(
        "Shows the running agent's connection, certificate and offered studies, with " +
          "reasons that stay at the site. Exit code 3 if no agent is running.",
      ),
  ).addHelpText("after", "\nExample:\n  $ consilium site status --site st-mary");
  program.verb<[SiteStateOptions]>(command, async (session, options) => {
    const state = await siteState(session, options);
    const agent = agentOf(session, state, statusTimeoutMs);
    const answer = await agent.status({});
    if (session.json) session.printJson(answer);
    else session.print(statusText(readSiteStatus(answer), session.style));
    return exitCodes.ok;
  });
}
