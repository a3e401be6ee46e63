import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { Replanned } from "@consilium/core/release/replanned";
import type { ReleaseSummary } from "@consilium/core/release/views";
import type { Withdrawal } from "@consilium/core/release/withdrawal";
import { holdingsText } from "@consilium/core/release/wording";
import { unwrap } from "@consilium/core/result";
import { formatBytes } from "@consilium/core/units";
import type { VerifiedRelease } from "@consilium/release/verify";
import { type Command, Option } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { fileFault } from "../failure.js";
import { installedMethods } from "../methods.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { verdictWord } from "../study/claimText.js";
import { fit, minuteText, printable, table } from "../terminal/layout.js";
import type { Style } from "../terminal/style.js";
import { openPublisher, type PublisherOptions } from "./publisherClient.js";
import { addReplay } from "./replay.js";
import { readRoot } from "./rootFile.js";
import { addSupersede, addWithdraw } from "./withdraw.js";

interface GetOptions extends PublisherOptions {
  readonly to?: string;
  readonly authority?: string;
  readonly members?: string;
}

export function addRelease(program: Program, parent: Command): void {
  const release = parent
    .command("release")
    .summary("find, get, verify, replay and withdraw releases")
    .description("Results of studies: data and models, each with a signed privacy certificate.")
    .addHelpText(
      "after",
      `
Typical use by an analyst:
  $ consilium release list --publisher https://releases.example.org
  $ consilium release show pca-1f2e3d4c5b --publisher https://releases.example.org
  $ consilium release get pca-1f2e3d4c5b --publisher https://releases.example.org --authority root.pem
  $ consilium release verify pca-1f2e3d4c5b --authority root.pem
  $ consilium release replay pca-1f2e3d4c5b --authority root.pem

By the federation's operator:
  $ consilium release withdraw pca-1f2e3d4c5b --reason "one hospital's dates were wrong"
  $ consilium release supersede pca-1f2e3d4c5b --by pca-9a8b7c6d5e --reason "longer follow-up"`,
    );
  addList(program, release);
  addShow(program, release);
  addGet(program, release);
  addVerify(program, release);
  addReplay(program, addPublisherOptions(release.command("replay")));
  addWithdraw(program, release);
  addSupersede(program, release);
}

function addPublisherOptions(command: Command): Command {
  return command
    .option(
      "--publisher <url>",
      "the publisher's address (default: $CONSILIUM_PUBLISHER, the context's, the one below --home, else 127.0.0.1:7081)",
    )
    .option("--token-file <file>", "a reader token, for releases that are not open (or: $CONSILIUM_TOKEN)");
}

function addList(program: Program, release: Command): void {
  const command = addPublisherOptions(
    release
      .command("list")
      .summary("list releases")
      .description(
        "Lists a publisher's releases, newest first. Releases that need a token are only listed with it.",
      )
      .argument(
        "[words...]",
        "only releases whose title, description, study or columns contain all these words",
      )
      .option("--method <method>", "only of this method")
      .option("--verdict <verdict>", "only with this verdict on its privacy, such as proven")
      .option("--from <day>", "published on this day or later: 2026-03-01")
      .option("--to <day>", "published on this day or earlier")
      .addOption(
        new Option("--status <status>", "only those in force, withdrawn or superseded").choices(statuses),
      ),
  ).addHelpText(
    "after",
    `
Examples:
  $ consilium release list --publisher https://releases.example.org
  $ consilium release list breast cancer --json
  $ consilium release list --method dp-pca --from 2026-01-01 --status in-force --output name`,
  );
  program.list<[readonly string[], ReleaseListOptions]>(command, async (session, words, options) => {
    const publisher = await openPublisher(session, options);
    const { method, verdict, from, to } = options;
    const found = await publisher.releases({
      q: words.join(" "),
      ...(method !== undefined && { method }),
      ...(verdict !== undefined && { verdict: verdict === "proven" ? "proved" : verdict }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    const shown = found.filter((one) => options.status === undefined || options.status === statusOf(one));
    const isFiltered = words.length > 0 || Object.values({ method, verdict, from, to }).some(Boolean);
    const none = isFiltered || found.length > 0 ? "No releases match." : "No releases yet.";
    session.printList(shown, {
      name: ({ id }) => id,
      text: () => (shown.length === 0 ? none : releaseTable(shown, session.style)),
    });
    return exitCodes.ok;
  });
}

function releaseTable(releases: readonly ReleaseSummary[], style: Style): string {
  return table(
    releases,
    [
      { title: "RELEASE", cell: (release) => printable(release.id) },
      { title: "METHOD", cell: (release) => printable(`${release.study.method} ${release.study.variant}`) },
      { title: "FINDING", cell: ({ finding }) => findingWord(finding) },
      { title: "HOLDS", cell: holdingsText },
      { title: "ACCESS", cell: (release) => printable(release.access) },
      { title: "PRIVACY", cell: (release) => verdictWord(release.verdict) },
      { title: "STATUS", cell: (release) => statusText(statusOf(release), style) },
      { title: "PUBLISHED", cell: (release) => minuteText(release.createdAt).slice(0, 10) },
      { title: "TITLE", cell: (release) => fit(printable(release.title), 60) },
    ],
    style,
  );
}

const findingWord = (finding: ReleaseSummary["finding"]) =>
  finding === undefined ? "-" : finding.isClear ? "clear" : "inconclusive";

const statuses = ["in-force", "withdrawn", "superseded"] as const;
type Status = (typeof statuses)[number];

const statusOf = ({ withdrawal }: ReleaseSummary): Status => withdrawal?.status ?? "in-force";

function statusText(status: Status, style: Style): string {
  if (status === "in-force") return "in force";
  return status === "withdrawn" ? style.bad(status) : style.caution(status);
}

interface ReleaseListOptions extends PublisherOptions {
  readonly method?: string;
  readonly verdict?: string;
  readonly from?: string;
  readonly to?: string;
  readonly status?: Status;
}

function addShow(program: Program, release: Command): void {
  const command = addPublisherOptions(
    release
      .command("show")
      .summary("show what a release found")
      .description(
        "Shows what a release found, whether it is clear, who was counted, and its privacy guarantee.",
      )
      .argument("<id>", "the release's id, or a unique start of it"),
  ).addHelpText(
    "after",
    `
Example:
  $ consilium release show pca-1f2e3d4c5b --publisher https://releases.example.org`,
  );
  program.verb<[string, PublisherOptions]>(command, async (session, given, options) => {
    const publisher = await openPublisher(session, options);
    const [{ resolveRelease }, { foundText }] = await Promise.all([
      import("./getRelease.js"),
      import("./foundText.js"),
    ]);
    const found = await publisher.found(await resolveRelease(publisher, given));
    if (session.json) session.printJson(found);
    else session.print(foundText(found, session.style));
    return exitCodes.ok;
  });
}

function addGet(program: Program, release: Command): void {
  const command = addPublisherOptions(
    release
      .command("get")
      .summary("download a release")
      .description(
        "Downloads every file of a release and checks each against the certificate. With --authority the certificate's " +
          "signature is verified before large files are downloaded. After an interruption, the same command resumes the " +
          "download; the folder only appears when it is complete.",
      )
      .argument("<id>", "the release's id, or a unique start of it"),
  )
    .option("--to <folder>", "the target folder (default: the release's name)")
    .option(
      "--authority <file>",
      "verify the release with the federation's root.pem, obtained from a trusted source",
    )
    .option(
      "--members <file>",
      "with --authority: also ask who the hospitals are, as `release verify` does; `published` is this publisher's list",
    )
    .addHelpText(
      "after",
      `
Example:
  $ consilium release get pca-1f2e3d4c5b --publisher https://releases.example.org --authority root.pem`,
    );
  program.verb<[string, GetOptions]>(command, async (session, given, options) => {
    const rootPem = options.authority === undefined ? null : await readRoot(session, options.authority);
    if (options.members !== undefined && rootPem === null) {
      throw new ConsiliumError("USAGE", "--members needs --authority", {
        remedy: "give the federation's root.pem with --authority",
      });
    }
    const publisher = await openPublisher(session, options);
    const [{ getRelease }, { membersText, verifiedText }, { checkedMembers }] = await Promise.all([
      import("./getRelease.js"),
      import("./verifiedText.js"),
      import("./givenMembers.js"),
    ]);
    const got = await getRelease(session, publisher, given, { to: options.to, rootPem });
    const { verified } = got;
    const members =
      options.members === undefined || verified === null || rootPem === null
        ? null
        : await checkedMembers(session, { verified, given: options.members, rootPem, publisher: options });
    if (session.json) {
      session.printJson({
        release: got.id,
        folder: got.folder,
        bytes: got.bytes,
        verified: got.verified !== null,
        members: members?.signers ?? null,
      });
      return exitCodes.ok;
    }
    session.print(
      `${session.style.good("Downloaded")} ${got.id}, ${formatBytes(got.bytes)}, in ${got.folder}`,
    );
    if (verified !== null) {
      session.print(membersText(members));
      session.print(verifiedText(verified, session.style));
    } else {
      session.note(
        `${session.style.caution("Not verified:")} the files match the certificate, but its signer was not verified. ` +
          `Run: consilium release verify ${got.folder} --authority root.pem`,
      );
    }
    return exitCodes.ok;
  });
}

function addVerify(program: Program, release: Command): void {
  const command = release
    .command("verify")
    .summary("verify a release's certificate and files, offline")
    .description(
      "Verifies that a folder is exactly what a federation's aggregator signed and its sites countersigned: the " +
        "signatures under the given root certificate, every file's SHA-256, no file missing and none added. Epsilon is " +
        "recomputed from all steps on the records. No network connection is made but for a list of members. The root certificate must come from a " +
        "trusted source, never from the release itself.\n\n" +
        "With --members enough of those who signed are on a list that you trust; without it who the hospitals are is the " +
        "aggregator's word. A list that is fetched has to be signed by the root.\n\n" +
        "With --replan the study's text is also planned by this version, where it has the method. That is a remark, by which " +
        "no release fails: another version may plan the study otherwise.\n\n" +
        "What this version has retired since, such as an edition of a method, is said as a remark too.\n\n" +
        "With --revocations those who signed and were expelled are named, with the date: no release fails by it.\n\n" +
        "With --timestamp-authority the folder's certificate.tsr [RFC3161] is checked too: an authority's word that the " +
        "certificate's signature was there at a time.\n\n" +
        "With --statement it is also checked that the aggregator said it of this release; for a withdrawn one the command " +
        "fails.\n\n" +
        "Exit code 4 if any check fails.",
    )
    .argument("<folder>", "the release, as `release get` made it")
    .requiredOption("--authority <file>", "the federation's root.pem")
    .option(
      "--members <file>",
      "the hospitals that you know to be members, as a file; or the list that the federation's root signed, by its address " +
        "or as `published`: enough of them have to be in the study and have signed",
    )
    .option("--publisher <url>", "the publisher of `--members published` (default: as of `release get`)")
    .option(
      "--statement <file>",
      "what the aggregator has said of the release since: the withdrawal.jws of its page",
    )
    .option(
      "--revocations <file>",
      "the federation's list of expelled sites, which its root signed: say who of those that signed is on it",
    )
    .option(
      "--timestamp-authority <file>",
      "the root certificates, PEM, of authorities whose timestamp you trust: check certificate.tsr",
    )
    .option("--replan", "also say whether this version plans the study as the certificate does")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium release verify ./pca-1f2e3d4c5b --authority root.pem
  $ consilium release verify ./pca-1f2e3d4c5b --authority root.pem --members members.json
  $ consilium release verify ./pca-1f2e3d4c5b --authority root.pem --members published
  $ consilium release verify ./pca-1f2e3d4c5b --authority root.pem --replan
  $ consilium release verify ./pca-1f2e3d4c5b --authority root.pem --statement withdrawal.jws`,
    );
  program.verb<[string, VerifyOptions]>(command, verify);
}

interface VerifyOptions {
  readonly authority: string;
  readonly members?: string;
  readonly publisher?: string;
  readonly statement?: string;
  readonly revocations?: string;
  readonly timestampAuthority?: string;
  readonly replan?: true;
}

async function verify(session: Session, folder: string, options: VerifyOptions): Promise<ExitCode> {
  const rootPem = await readRoot(session, options.authority);
  const [
    { verifyReleaseFolder },
    {
      checksOf,
      expelledText,
      membersText,
      replannedText,
      retiredIn,
      retiredText,
      timestampText,
      verifiedText,
    },
    { checkedMembers },
    { expelledSigners },
    { givenRevocations },
    { givenTimestamp },
  ] = await Promise.all([
    import("@consilium/runtime/release/verifyFolder"),
    import("./verifiedText.js"),
    import("./givenMembers.js"),
    import("@consilium/runtime/release/expelledSigners"),
    import("./givenRevocations.js"),
    import("./givenTimestamp.js"),
  ]);
  const verified = unwrap(await verifyReleaseFolder(session.path(folder), { rootPem }));
  const members =
    options.members === undefined
      ? null
      : await checkedMembers(session, {
          verified,
          given: options.members,
          rootPem,
          publisher: options,
        });
  const withdrawal =
    options.statement === undefined
      ? null
      : await checkedStatement(session, { folder, written: options.statement, rootPem });
  const expelled =
    options.revocations === undefined
      ? null
      : expelledSigners(verified.certificate, await givenRevocations(session, options.revocations, rootPem));
  const timestamp = await givenTimestamp(session, folder, options.timestampAuthority);
  const gone = retiredIn(verified.certificate);
  const remark = options.replan ? await replannedBy(verified) : null;
  if (session.json) {
    const { certificate, signer, statement } = verified;
    session.printJson({
      verified: true,
      release: certificate.release,
      federation: certificate.federation,
      signer: signer.id,
      issuedAt: certificate.issuedAt,
      study: certificate.study.id,
      privacy: certificate.privacy,
      epsilonRecomputed: statement.epsilon,
      sites: certificate.sites.roster.map((site) => site.id),
      attempts: certificate.sites.attempts,
      countersigned: statement.countersigned,
      missing: certificate.missing,
      members: members?.signers ?? null,
      checks: checksOf(verified),
      files: certificate.files,
      supersededBy: withdrawal?.supersededBy ?? null,
      retired: gone,
      expelled,
      timestamp,
      ...(remark === null ? {} : { replanned: remark }),
    });
  } else {
    session.print(membersText(members));
    session.print(verifiedText(verified, session.style));
    if (expelled !== null) session.print(expelledText(expelled, session.style));
    if (timestamp !== null) session.print(timestampText(timestamp));
    if (gone !== null) session.print(retiredText(gone, session.style));
    if (remark !== null) session.print(replannedText(remark, session.style));
    if (withdrawal !== null)
      session.note(
        `${session.style.caution("Superseded")} by release ${withdrawal.supersededBy}, ${withdrawal.issuedAt.slice(0, 10)}: ${printable(withdrawal.reason)}`,
      );
  }
  return exitCodes.ok;
}

/** What this version's plan of a verified release's study says beside the certificate. */
async function replannedBy({ certificate }: VerifiedRelease): Promise<Replanned> {
  const [{ replanned }, methods] = await Promise.all([
    import("@consilium/core/release/replanned"),
    installedMethods(),
  ]);
  return replanned(certificate.stated, certificate.study.text, methods);
}

/**
 * What the aggregator has said of the release in a folder, which is verified.
 * @throws ConsiliumError RELEASE_CORRUPT if it is forged or of another release, RELEASE_WITHDRAWN if it withdraws it
 */
async function checkedStatement(
  session: Session,
  given: { readonly folder: string; readonly written: string; readonly rootPem: string },
): Promise<Withdrawal> {
  const [{ verifyWithdrawal, withdrawnFault }, { identifySigner }, { readShown }, { sha256 }] =
    await Promise.all([
      import("@consilium/core/release/withdrawal"),
      import("@consilium/runtime/release/verifyFolder"),
      import("@consilium/release/verify"),
      import("@consilium/secure-sum/crypto/hash"),
    ]);
  const path = session.path(given.written);
  const file = await readFile(path).catch((cause: unknown) => {
    throw new ConsiliumError("STATE_MISSING", `statement ${path}: ${fileFault(cause)}`, {
      remedy: "download withdrawal.jws from the release's page",
      cause,
    });
  });
  const certificate = await readFile(join(session.path(given.folder), "certificate.json"));
  const { release } = unwrap(readShown(certificate));
  const { withdrawal } = unwrap(
    verifyWithdrawal(file, {
      identify: identifySigner(given.rootPem),
      of: { release, certificateSha256: sha256(certificate) },
    }),
  );
  if (withdrawal.status === "withdrawn") throw withdrawnFault(withdrawal);
  return withdrawal;
}
