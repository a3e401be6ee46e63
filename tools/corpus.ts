import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { makeCertificates } from "./corpus/certificates.js";
import { chargesText, packed, record, stagesText } from "./corpus/conversation.js";
import { place, recordingFiles, root } from "./corpus/place.js";
import { makeReleases } from "./corpus/releases.js";
import { recordedNames, recordedSites, recordedStudy } from "./corpus/studies.js";

const usage = `Usage: npx tsx --tsconfig tsconfig.check.json tools/corpus.ts <command>

Writes test/corpus: what this version of the software makes, for later ones to be held against.

  record <study>…  a study's conversation, what its sites sent and what it was charged; for a study
                   that has them already, anew: in the commit that changes its numbers, and no other
  list             the names of these studies
  certificates     a certificate of every form and state; made once, refused where there are any
  releases         whole folders of releases, over real processes (npm run build comes first);
                   made once, refused where there are any
  --help           this text

Certificates and releases are never made anew: somebody holds one. A further version of the
software, or a further format, has a folder of its own (tools/corpus/place.ts).
`;

const say = (line: string) => process.stderr.write(`${line}\n`);

function stop(line: string): never {
  say(line);
  process.exit(2);
}

/** Made once: what is there stays. */
async function once(folder: string, make: (tell: typeof say) => Promise<void>): Promise<void> {
  if (existsSync(folder)) stop(`${relative(root, folder)} is there, and is never made anew`);
  await make(say);
}

async function recordAll(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !recordedNames.includes(name));
  if (unknown !== undefined) stop(`no study is called ${unknown}; \`list\` names them`);
  if (names.length === 0) stop("name a study, or several; `list` names them");
  await Promise.all(
    [place.conversations, place.sites, place.charges].map((folder) => mkdir(folder, { recursive: true })),
  );
  for (const name of names) {
    const { recorded, sites } = await record(recordedStudy(name), recordedSites(name));
    const files = recordingFiles(name);
    await writeFile(files.conversation, packed(recorded));
    await writeFile(files.sites, stagesText(sites));
    await writeFile(files.charges, chargesText(sites));
    say(`recorded ${name}: ${recorded.events.length} events`);
  }
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
const [command, ...names] = positionals;
if (values.help || command === undefined) {
  process.stdout.write(usage);
  process.exit(values.help ? 0 : 2);
}
if (command === "list") process.stdout.write(`${recordedNames.join("\n")}\n`);
else if (command === "record") await recordAll(names);
else if (command === "certificates") await once(place.certificates, makeCertificates);
else if (command === "releases") await once(place.releases, makeReleases);
else stop(`no command is called ${command}\n\n${usage}`);
