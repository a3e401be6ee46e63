import type { KeyObject } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { certificateOf, releaseContent, resultHash } from "@consilium/aggregator/release/assemble";
import type { CountersignedStudy } from "@consilium/aggregator/release/countersigned";
import type { FinishedStudy } from "@consilium/aggregator/rounds/runContext";
import type { SiteId, StageId, StudyId } from "@consilium/core/ids";
import type { StageAttempt } from "@consilium/core/release/attempts";
import { type Countersignature, signStatement } from "@consilium/core/release/countersignature";
import { checkStatement, statementOf, statementText } from "@consilium/core/release/statement";
import { withFlow } from "@consilium/core/release/withFlow";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { renderRelease } from "@consilium/publisher/formats/render";
import { statedFederation } from "@consilium/runtime/identity/rootKey";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { osRandom } from "@consilium/runtime/random";
import { signCertificate } from "@consilium/runtime/release/signCertificate";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { converse, inFolder, liveSites, siteNames } from "./conversation.js";
import type { Fleet, Trouble } from "./fleet.js";
import { place } from "./place.js";
import { type CertifiedRun, certifiedRuns } from "./studies.js";

const federationName = "corpus";

/** Writes every certificate, under one root whose keys are thrown away. */
export async function makeCertificates(say: (line: string) => void): Promise<void> {
  const federation = await testFederation(federationName);
  const aggregator = await federation.leaf("aggregator", "aggregator");
  await mkdir(place.certificates, { recursive: true });
  await writeFile(join(place.certificates, "root.pem"), federation.root.certificatePem);
  for (const run of certifiedRuns) {
    const finished = await finish(run, federation);
    const folder = join(place.certificates, run.name);
    const signed = signCertificate(finished.certificate, {
      signingKey: aggregator.signingKey,
      chainDer: pemChainToDer(aggregator.chainPem),
    });
    await mkdir(folder);
    await writeFile(join(folder, "certificate.json"), signed.bytes);
    await writeFile(join(folder, "certificate.jws"), signed.jws);
    say(`certified ${run.name}: ${signed.bytes.length} bytes`);
  }
}

/** Runs a study over its sites in this process, and makes what its aggregator and they make of it. */
async function finish(run: CertifiedRun, federation: TestFederation) {
  const document = run.document();
  const { study } = document;
  const studyId = `${study.name}-${Buffer.from(osRandom.bytes(5)).toString("hex")}` as StudyId;
  const keys = new Map<SiteId, { signingKey: KeyObject; chain: readonly Uint8Array[] }>();
  for (const site of siteNames(run.sites)) {
    const { signingKey, chainPem } = await federation.leaf("site", site);
    keys.set(site, { signingKey, chain: pemChainToDer(chainPem) });
  }
  return inFolder(async (folder) => {
    const { fleet, answers } = await liveSites(
      document,
      run.sites,
      {
        studyId,
        federation: federationName,
        makeSite: (site, table) => ({
          site,
          ...table,
          random: osRandom,
          signingKey: keys.get(site)!.signingKey,
        }),
        troubleAt: (stage, running) => troubleOf(run, running, stage),
      },
      folder,
    );
    const { result } = await converse(document, run.sites, answers, folder);
    const { plan, roster } = fleet;
    const attempts: StageAttempt[] = plan.stages.flatMap(({ id }) =>
      fleet.attempts.filter(({ stage }) => stage === id),
    );
    const rootPem = federation.root.certificatePem;
    const computed = {
      record: { id: studyId } as FinishedStudy["record"],
      software: softwareVersion,
      document: fleet.document,
      roster,
      result: withFlow(result, run.sites, []),
      missing: [],
      published: null,
    };
    const of = {
      federation: statedFederation({ federation: federationName, rootPem }),
      studyId,
      document: fleet.document,
      plan,
      roster,
      broadcasts: fleet.broadcastsHash,
    };
    const statement = statementOf({ ...of, attempts, result: await resultHash(computed) });
    const text = statementText(statement);
    const countersignatures = fleet.members
      .filter((_, i) => i < run.sites - run.unsigned)
      .map((member): Countersignature => {
        const own = member.charges.committed(studyId).map((one) => {
          const taken = attempts.find(({ stage, attempt }) => stage === one.stage && attempt === one.attempt);
          const { survivors } = taken!;
          return { ...one, survivors: survivors?.includes(member.site) ? survivors : null };
        });
        const { hash } = unwrap(
          checkStatement(text, { ...of, site: member.site, attempts: own, signedBefore: null }),
        );
        const signed = {
          site: member.site,
          ledgerHead: member.charges.head().reference,
          ledgerEntries: member.charges.committedEntries(studyId),
          software: softwareVersion,
        };
        const { signingKey } = keys.get(member.site)!;
        return { ...signed, signature: signStatement(signingKey, { ...signed, studyId, statement: hash }) };
      });
    const countersigned: CountersignedStudy = {
      statement,
      countersignatures,
      chains: new Map([...keys].map(([site, { chain }]) => [site, chain])),
    };
    const finished: FinishedStudy = {
      ...computed,
      plan,
      refusals: [],
      finishedAt: Date.now(),
      countersigned,
    };
    const rendered = join(folder, "release");
    await mkdir(rendered);
    const files = await renderRelease({
      content: releaseContent(finished),
      dataPath: result.table?.rows.path ?? "/dev/null",
      folder: rendered,
      scratch: join(folder, "scratch"),
      baseUrl: `http://localhost/releases/${studyId}/`,
    });
    return { certificate: certificateOf(finished, files) };
  });
}

function troubleOf({ givenUp, dropped }: CertifiedRun, { plan, members }: Fleet, stage: StageId): Trouble {
  const [first] = plan.stages;
  const isLast = stage === plan.stages.at(-1)!.id;
  return {
    ...(givenUp > 0 && stage === first!.id ? { givenUp } : {}),
    ...(dropped > 0 && isLast ? { absent: members.slice(-dropped).map(({ site }) => site) } : {}),
  };
}
