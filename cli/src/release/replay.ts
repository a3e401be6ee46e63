import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unwrap } from "@consilium/core/result";
import { lines, nameOf } from "@consilium/core/said";
import { softwareBuild } from "@consilium/core/version";
import type { ReleaseSays } from "@consilium/words/says/release";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../exitCodes.js";
import { installedMethods } from "../methods.js";
import type { Program } from "../program.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/layout.js";
import type { PublisherOptions } from "./publisherClient.js";
import { readRoot } from "./rootFile.js";

interface ReplayOptions extends PublisherOptions {
  readonly authority: string;
}

/** @param command - `release replay`, with the options of a publisher */
export function addReplay(program: Program, command: Command): void {
  command
    .summary("compute a release anew from its noisy sums")
    .description(
      "Verifies a release, and then runs its method's side at the aggregator over the noisy sums and draws that the release " +
        "holds. It has to broadcast what the hospitals signed, and to come to result.json: to the byte with the version that " +
        "result.json names, and with another in every number that stands there, to 1e-12. Rows and tables are compared too. " +
        "Releases hold their sums where the study asks for it: `release: { sums: true }`.\n\n" +
        "What it does not say: a sum is signed by the hospitals only as far as a later broadcast depends on it. Of the other " +
        "sums, always that of the last stage, it is the aggregator's word that they are the hospitals'. The command names these " +
        "stages.\n\n" +
        "Without a folder of this name the release is downloaded from the publisher, and removed afterwards. No connection is " +
        "made for a folder.\n\n" +
        "Exit code 4 if the release does not verify, or the replay differs: what differs first is printed. Exit code 1 where the " +
        "release holds no sums, or this version does not have its method.",
    )
    .argument("<release>", "a folder as `release get` made it, a release's id, or its address at a publisher")
    .requiredOption("--authority <file>", "the federation's root.pem, from a trusted source")
    .addHelpText(
      "after",
      `
Examples:
  $ consilium release replay ./pca-1f2e3d4c5b --authority root.pem
  $ consilium release replay https://releases.example.org/releases/pca-1f2e3d4c5b/ --authority root.pem`,
    );
  program.verb<[string, ReplayOptions]>(command, replay);
}

async function replay(session: Session, given: string, options: ReplayOptions): Promise<ExitCode> {
  const rootPem = await readRoot(session, options.authority);
  const scratch = await mkdtemp(join(tmpdir(), "consilium-replay-"));
  try {
    const folder = await folderOf(session, given, { ...options, rootPem, to: join(scratch, "release") });
    return await replayFolder(session, { folder, rootPem, scratch });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The folder that is named, or one with the release that is. */
async function folderOf(
  session: Session,
  given: string,
  options: PublisherOptions & { readonly rootPem: string; readonly to: string },
): Promise<string> {
  const found = await stat(session.path(given)).catch(() => undefined);
  if (found?.isDirectory()) return session.path(given);
  const [{ openPublisher }, { getRelease }] = await Promise.all([
    import("./publisherClient.js"),
    import("./getRelease.js"),
  ]);
  const [, publisher = options.publisher, id = given] =
    /^(https?:\/\/.+)\/releases\/([^/?#]+)\/?$/.exec(given) ?? [];
  const at = { ...options, ...(publisher === undefined ? {} : { publisher }) };
  const { folder } = await getRelease(session, await openPublisher(session, at), id, options);
  return folder;
}

const sentence = lines<ReleaseSays>();

async function replayFolder(
  session: Session,
  {
    folder,
    rootPem,
    scratch,
  }: { readonly folder: string; readonly rootPem: string; readonly scratch: string },
): Promise<ExitCode> {
  const [
    { verifyReleaseFolder },
    { replayRelease },
    { openInlineKernels },
    { english },
    { membersText, verifiedText },
    methods,
  ] = await Promise.all([
    import("@consilium/runtime/release/verifyFolder"),
    import("@consilium/runtime/release/replay"),
    import("@consilium/kernels/inlineKernels"),
    import("@consilium/runtime/http/spoken"),
    import("./verifiedText.js"),
    installedMethods(),
  ]);
  // Nothing of it is read before it is verified.
  const verified = unwrap(await verifyReleaseFolder(folder, { rootPem }));
  const { certificate } = verified;
  if (!session.json) {
    session.print(membersText(null));
    session.print(verifiedText(verified, session.style));
  }
  const made = join(scratch, "made");
  await mkdir(made);
  const software = softwareBuild;
  const kernels = openInlineKernels();
  const found = await replayRelease({
    folder,
    certificate,
    methods,
    kernels,
    software,
    scratch: made,
  }).finally(() => kernels.close());
  const { release } = certificate;
  const say = (line: string) => printable(english(line));
  if (found.kind === "otherwise") {
    const difference = say(found.difference);
    if (session.json) session.printJson({ release, verified: true, replayed: false, software, difference });
    else session.print(`${session.style.bad("Not replayed")}: ${difference}`);
    return exitCodes.unverified;
  }
  const code = found.kind === "same" ? "release.replayed" : "release.replayed-numbers";
  const { sums, unheld } = found;
  if (session.json)
    session.printJson({
      release,
      verified: true,
      replayed: true,
      software,
      to: found.kind,
      named: found.software,
      sums,
      unheld,
    });
  else {
    session.print(
      `${session.style.good("Replayed")}: ${say(sentence(code, { sums, software: nameOf(found.software) }))}`,
    );
    session.note(
      `${session.style.caution("Note:")} ${say(sentence("release.sums-whose-word", { stages: unheld }))}`,
    );
  }
  return exitCodes.ok;
}
