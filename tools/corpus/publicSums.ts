import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { certificateOf, releaseContent, resultHash } from "@consilium/aggregator/release/assemble";
import type { FinishedStudy } from "@consilium/aggregator/rounds/runContext";
import { fromLittleEndianBytes, newRingVector, ringBytes } from "@consilium/core/fixed-point/ringVector";
import type { StageId, StudyId } from "@consilium/core/ids";
import { sumFile } from "@consilium/core/release/certificate";
import { statementOf, statementText } from "@consilium/core/release/statement";
import { withFlow } from "@consilium/core/release/withFlow";
import { broadcastsHash } from "@consilium/core/study/broadcast";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { planStudy, type SumStage } from "@consilium/core/study/plan";
import { type Study, studyDocument } from "@consilium/core/study/study";
import { countersignaturesOf } from "@consilium/core/testing/release/statement";
import { softwareVersion } from "@consilium/core/version";
import { renderRelease } from "@consilium/publisher/formats/render";
import { pemChainToDer } from "@consilium/runtime/identity/x509";
import { signCertificate } from "@consilium/runtime/release/signCertificate";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { type TestHospitals, testHospitals } from "@consilium/runtime/testing/release/hospitals";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { converse, type Recorded, readText, recordedAnswers, siteNames } from "./conversation.js";

/** Who signs releases that are made of recordings. */
export interface Signers {
  readonly federation: TestFederation;
  readonly hospitals: (sites: number) => Promise<TestHospitals>;
}

export async function makeSigners(): Promise<Signers> {
  const federation = await testFederation("corpus");
  const known = new Map<number, Promise<TestHospitals>>();
  return {
    federation,
    hospitals(sites) {
      const made = known.get(sites) ?? testHospitals(federation, { names: siteNames(sites) });
      known.set(sites, made);
      return made;
    },
  };
}

/**
 * The release of a recorded study as if it had asked that its sums become public, signed by everybody.
 * @param folder - an empty one
 * @returns the release's own folder
 */
export async function releaseOfRecording(
  recorded: Recorded,
  { federation, hospitals }: Signers,
  folder: string,
): Promise<string> {
  const read = readText(recorded).study;
  const document = studyDocument({ ...read, release: { ...read.release, sums: true } } as Study);
  const { events, result } = await converse(
    document,
    recorded.sites,
    recordedAnswers(recorded, folder),
    folder,
  );
  const onRoster = documentOnRoster(document, recorded.sites);
  const plan = planStudy(onRoster.study);
  const { sites, chains, federation: stated } = await hospitals(recorded.sites);
  const names = sites.map(({ site }) => site);
  const opened = events.flatMap((event) => (event.kind === "sum" ? [event] : []));
  const contents = opened.map(({ stage: id, sum }) => {
    const stage = plan.stages.find((one) => one.id === id) as SumStage;
    const wide = fromLittleEndianBytes(Buffer.from(sum, "base64"));
    const narrow = newRingVector(stage.ringBits, wide.length);
    for (const [at, entry] of wide.entries())
      narrow[at] = narrow instanceof Uint32Array ? Number(BigInt.asUintN(32, entry)) : entry;
    return ringBytes(narrow);
  });
  const studyId = `${read.name}-0123456789` as StudyId;
  const roster = {
    studyId,
    studyHash: document.hash,
    hash: sha256("roster"),
    members: sites.map((one) => ({ ...one, exchangeKey: new Uint8Array(32) })),
  };
  const computed = {
    record: { id: studyId } as FinishedStudy["record"],
    software: softwareVersion,
    document: onRoster,
    roster,
    result: withFlow(result, recorded.sites, []),
    missing: [],
    published: {
      sums: opened.map(({ stage }, at) => ({
        stage: stage as StageId,
        attempt: 1,
        bytes: contents[at]!.length,
        sha256: sha256(contents[at]!),
      })),
      draws: events.flatMap((event) =>
        event.kind === "draw" ? [{ name: event.name, value: event.value }] : [],
      ),
      contents,
    },
  };
  const statement = statementOf({
    federation: stated,
    studyId,
    document: onRoster,
    plan,
    roster,
    attempts: opened.map(({ stage, survivors }) => ({
      stage: stage as StageId,
      attempt: 1,
      survivors: names.slice(0, survivors),
    })),
    result: await resultHash(computed),
    broadcasts: broadcastsHash(
      opened.flatMap(({ stage, broadcast }) =>
        broadcast.map(([name, length, hash]) => ({ stage: stage as StageId, name, length, sha256: hash })),
      ),
    ),
  });
  const countersignatures = countersignaturesOf(statementText(statement), studyId, sites);
  const finished: FinishedStudy = {
    ...computed,
    plan,
    refusals: [],
    finishedAt: Date.now(),
    countersigned: { statement, countersignatures, chains },
  };
  const release = join(folder, "release");
  for (const [at, { stage, attempt }] of computed.published.sums.entries()) {
    const path = join(release, sumFile(stage, attempt));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents[at]!);
  }
  const files = await renderRelease({
    content: releaseContent(finished),
    dataPath: result.table?.rows.path ?? "/dev/null",
    folder: release,
    scratch: join(folder, "scratch"),
    baseUrl: `http://localhost/releases/${studyId}/`,
  });
  const aggregator = await federation.leaf("aggregator", "aggregator");
  const signed = signCertificate(certificateOf(finished, files), {
    signingKey: aggregator.signingKey,
    chainDer: pemChainToDer(aggregator.chainPem),
  });
  await writeFile(join(release, "certificate.json"), signed.bytes);
  await writeFile(join(release, "certificate.jws"), signed.jws);
  return release;
}
