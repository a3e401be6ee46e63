import { certificateFile, signatureFile } from "@consilium/core/release/certificate";
import type { ReleaseContent } from "@consilium/core/release/content";
import { creatorsOf } from "@consilium/core/release/creators";
import { softwareVersion } from "@consilium/core/version";
import { english } from "@consilium/runtime/http/spoken";
import { fileDescription } from "./descriptions.js";
import { fileNames, mediaTypeOf } from "./files.js";
import { licenseUrl, withoutLicence } from "./license.js";

/** The profile that the crate follows. */
const fiveSafesProfile = "https://w3id.org/5s-crate/0.4";
const roCrateVersion = "https://w3id.org/ro/crate/1.2";
const done = "http://schema.org/CompletedActionStatus";

type Entity = {
  readonly "@id": string;
  readonly "@type": string | readonly string[];
  [key: string]: unknown;
};

const to = (id: string) => ({ "@id": id });

interface CrateFile {
  readonly name: string;
  /** Left out where the file is written after the crate, or holds its hash. */
  readonly bytes?: number;
  readonly sha256?: string;
}

/**
 * ro-crate-metadata.json: where a release comes from, as an RO-Crate 1.2 by the Five Safes profile 0.4 [FSC04]. The
 * study is the workflow, its run the CreateAction; the hospitals' approval is the sign-off, the certificate's privacy the
 * disclosure check, and the publisher's verification of the certificate the check of values.
 *
 * Departing from the profile: where no person is named, organisations act; hospitals are counted and not named, the
 * certificate names them; the study is described here and stands in the certificate, not in a Workflow RO-Crate.
 * @param files - those rendered already
 * @param baseUrl - of the release, ending in a slash
 */
export function roCrate(content: ReleaseContent, files: readonly CrateFile[], baseUrl: string): unknown {
  const later = [fileNames.dictionary, fileNames.readme, certificateFile, signatureFile];
  const parts = [...files, ...later.map((name) => ({ name }))];
  const actions = [run(content, files), signOff(content), disclosureCheck(content), valueCheck(content)];
  const graph: Entity[] = [
    {
      "@id": fileNames.roCrate,
      "@type": "CreativeWork",
      about: to("./"),
      conformsTo: to(roCrateVersion),
    },
    root(content, parts, actions, baseUrl),
    { "@id": fiveSafesProfile, "@type": ["CreativeWork", "Profile"], name: "Five Safes RO-Crate profile" },
    licence(content),
    ...actions,
    ...actors(content, baseUrl),
    ...studyEntities(content),
    ...safes(content),
    ...parts.map(fileEntity),
  ];
  return { "@context": `${roCrateVersion}/context`, "@graph": graph };
}

function root(
  content: ReleaseContent,
  parts: readonly CrateFile[],
  actions: readonly Entity[],
  baseUrl: string,
): Entity {
  return {
    "@id": "./",
    "@type": "Dataset",
    name: content.title,
    description: [content.privacyStatement, content.description].filter(Boolean).join("\n\n"),
    identifier: content.id,
    url: baseUrl,
    version: "1.0.0",
    datePublished: content.createdAt,
    license: to(licenceId(content)),
    conformsTo: to(fiveSafesProfile),
    creator: creatorIds(content).map(to),
    publisher: to("#publisher"),
    sourceOrganization: to("#project"),
    mainEntity: to("#study"),
    hasPart: parts.map((file) => to(file.name)),
    mentions: actions.map((action) => to(action["@id"])),
    about: ["#safe-people", "#safe-projects", "#safe-settings", "#safe-data", "#safe-outputs"].map(to),
  };
}

/** The first is who ran the study. */
const creatorIds = ({ creator }: Pick<ReleaseContent, "creator">) =>
  creatorsOf(creator ?? hospitals).map((_, index) => (index === 0 ? "#creator" : `#creator-${index + 1}`));
const hospitals = "The hospitals of the federation";

const licenceId = (content: ReleaseContent) => licenseUrl(content.license) ?? "#license";

function licence(content: ReleaseContent): Entity {
  const name = content.license ?? "No licence is stated";
  return {
    "@id": licenceId(content),
    "@type": "CreativeWork",
    name,
    description: content.license === null ? withoutLicence(content) : `The release is licensed as ${name}.`,
  };
}

/** What was run, from what, and what came of it. */
function run(content: ReleaseContent, files: readonly CrateFile[]): Entity {
  const { study } = content;
  return {
    "@id": "#run",
    "@type": "CreateAction",
    name: `Run of the study ${study.name}`,
    description: "Every hospital computed on its own records; the certificate lists all outgoing data.",
    actionStatus: done,
    endTime: content.createdAt,
    agent: to("#creator"),
    instrument: [to("#study"), to("#consilium")],
    object: [to("#records"), ...parametersOf(content).map(({ "@id": id }) => to(id))],
    result: files.map(({ name }) => to(name)),
  };
}

function signOff({ privacy }: ReleaseContent): Entity {
  return {
    "@id": "#sign-off",
    "@type": "AssessAction",
    additionalType: to("https://w3id.org/shp#SignOff"),
    name: `Approval by each of ${privacy.countersigned.of} hospitals, by its policy or its staff: approved`,
    actionStatus: done,
    agent: to("#hospitals"),
    instrument: to("#policies"),
    object: [to("./"), to("#study"), to("#project")],
  };
}

/** What is known about what the release discloses. A paper variant's is a decision, not a proof, and says so. */
function disclosureCheck(content: ReleaseContent): Entity {
  const { privacy, createdAt, privacyStatement } = content;
  const outcome =
    privacy.verdict === "proved"
      ? "approved, by proof"
      : `released by the hospitals' decision, without a proof (${privacy.verdict})`;
  return {
    "@id": "#disclosure-check",
    "@type": "AssessAction",
    additionalType: to("https://w3id.org/shp#DisclosureCheck"),
    name: `Disclosure check of the results: ${outcome}`,
    description: [privacyStatement, ...privacy.reasons.map(english)].join(" "),
    actionStatus: done,
    endTime: createdAt,
    agent: to("#hospitals"),
    instrument: to(certificateFile),
    object: to("./"),
    result: [to("#verdict"), to("#epsilon"), to("#delta"), to("#countersigned")],
  };
}

function valueCheck({ createdAt }: ReleaseContent): Entity {
  return {
    "@id": "#certificate-check",
    "@type": "AssessAction",
    additionalType: to("https://w3id.org/shp#CheckValue"),
    name: "SHA-256 of every file and signatures of the certificate: OK",
    description:
      "The publisher shows a release only if its certificate verifies: signatures, the SHA-256 of every file, and epsilon recomputed from every event.",
    actionStatus: done,
    endTime: createdAt,
    agent: to("#consilium"),
    instrument: to("https://www.iana.org/assignments/named-information#sha-256"),
    object: to("./"),
  };
}

function actors({ creator, privacy }: ReleaseContent, baseUrl: string): Entity[] {
  return [
    ...creators(creator),
    {
      "@id": "#hospitals",
      "@type": "Organization",
      name: `${privacy.countersigned.of} hospitals of the federation`,
      description: `They are listed in ${certificateFile}.`,
      memberOf: to("#project"),
    },
    {
      "@id": "#publisher",
      "@type": "Organization",
      name: "The federation's publisher",
      url: new URL("../../", baseUrl).href,
    },
    {
      "@id": "#consilium",
      "@type": "SoftwareApplication",
      name: "Consilium",
      softwareVersion,
      provider: to("#publisher"),
    },
    {
      "@id": "https://www.iana.org/assignments/named-information#sha-256",
      "@type": "DefinedTerm",
      name: "sha-256 algorithm",
    },
    {
      "@id": "#policies",
      "@type": "CreativeWork",
      name: "The hospitals' own policies: methods, columns, limits on epsilon, minimum number of sites",
    },
  ];
}

/** Flat, as a crate's entities are: an affiliation is one of its own. */
function creators(creator: string | null): Entity[] {
  const ids = creatorIds({ creator });
  return creatorsOf(creator ?? hospitals).flatMap((one, index): Entity[] => {
    const about = { "@id": ids[index]!, memberOf: to("#project") };
    if (one.kind === "institution") return [{ ...about, "@type": "Organization", name: one.name }];
    const { given: givenName, family: familyName, affiliation } = one;
    const person = {
      ...about,
      "@type": "Person",
      name: `${givenName} ${familyName}`,
      givenName,
      familyName,
    };
    if (affiliation === null) return [person];
    const at = `#affiliation-${index + 1}`;
    return [
      { ...person, affiliation: to(at) },
      { "@id": at, "@type": "Organization", name: affiliation },
    ];
  });
}

/** The study with what it was asked for, and the records that it read. */
function studyEntities(content: ReleaseContent): Entity[] {
  const { study, privacy } = content;
  return [
    {
      "@id": "#project",
      "@type": "Project",
      name: `Study ${study.name}`,
      identifier: study.id,
      member: [...creatorIds(content), "#hospitals"].map(to),
    },
    {
      "@id": "#study",
      "@type": "Dataset",
      name: `Study ${study.name}: ${study.analysis}, ${study.method}, variant ${study.variant}`,
      description: `The study that each hospital approved. Its text is in ${certificateFile}.`,
      identifier: [to("#study-hash")],
      subjectOf: to(certificateFile),
    },
    { "@id": "#study-hash", "@type": "PropertyValue", name: "SHA-256 of the study", value: study.hash },
    {
      "@id": "#records",
      "@type": "DigitalDocument",
      name: "The hospitals' records",
      description: "They stayed at the hospitals and are not part of this crate.",
      hasDigitalDocumentPermission: to("#records-permission"),
    },
    {
      "@id": "#records-permission",
      "@type": "DigitalDocumentPermission",
      name: "Only each hospital reads its own records",
      permissionType: "http://schema.org/ReadPermission",
      grantee: to("#hospitals"),
    },
    ...parametersOf(content),
    value("#verdict", "Verdict on privacy", privacy.verdict),
    value("#epsilon", "epsilon", privacy.epsilon ?? "no bound"),
    value("#delta", "delta", privacy.delta ?? "none"),
    value(
      "#countersigned",
      "Hospitals that countersigned",
      `${privacy.countersigned.by} of ${privacy.countersigned.of}`,
    ),
  ];
}

function parametersOf({ study }: ReleaseContent): Entity[] {
  const names = ["analysis", "method", "variant"] as const;
  return names.flatMap((name) => [
    { ...value(`#input-${name}`, name, study[name]), exampleOfWork: to(`#parameter-${name}`) },
    { "@id": `#parameter-${name}`, "@type": "FormalParameter", name },
  ]);
}

const value = (id: string, name: string, of: string | number): Entity => ({
  "@id": id,
  "@type": "PropertyValue",
  name,
  value: of,
});

/** The five questions of the framework, each with this release's answer. */
function safes({ privacy, access }: ReleaseContent): Entity[] {
  const { by, of } = privacy.countersigned;
  const term = (name: string, description: string): Entity => ({
    "@id": `#safe-${name}`,
    "@type": "DefinedTerm",
    name: `Safe ${name}`,
    description,
    inDefinedTermSet: to("#five-safes"),
  });
  return [
    { "@id": "#five-safes", "@type": "DefinedTermSet", name: "Five Safes" },
    term(
      "people",
      access === "open"
        ? "Only each hospital read its own records. Anyone may read the release."
        : "Only each hospital read its own records. The release requires a token from its publisher.",
    ),
    term(
      "projects",
      `Each of ${of} hospitals applied its own policy to the study before any record was used.`,
    ),
    term(
      "settings",
      "The records stayed on the hospitals' own machines. Only masked sums were sent; the certificate lists all other outgoing data.",
    ),
    term("data", `Protected: ${privacy.unit}. ${privacy.neighbouringRelation}.`),
    term(
      "outputs",
      `Verdict: ${privacy.verdict}. ${by} of ${of} hospitals signed the certificate's statements.`,
    ),
  ];
}

function fileEntity({ name, bytes, sha256 }: CrateFile): Entity {
  return {
    "@id": name,
    "@type": "File",
    name,
    description: fileDescription(name),
    encodingFormat: mediaTypeOf(name),
    ...(bytes === undefined ? {} : { contentSize: String(bytes) }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}
