import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { DoctorCheck, DoctorView } from "@consilium/core/hospital/doctorView";
import { unwrap } from "@consilium/core/result";
import { softwareVersion } from "@consilium/core/version";
import { check, fail, ok, skipped, type Verdict, warn } from "@consilium/runtime/doctor/check";
import { checkDisk } from "@consilium/runtime/doctor/disk";
import { checkIdentity } from "@consilium/runtime/doctor/identity";
import { checkNetwork } from "@consilium/runtime/doctor/network";
import { defaultPorts } from "@consilium/runtime/home";
import { leaseAnswer } from "@consilium/runtime/http/operations";
import { spokenError } from "@consilium/runtime/http/spoken";
import { rootFingerprint } from "@consilium/runtime/identity/certificates";
import type { Identity } from "@consilium/runtime/identity/files";
import type { Role } from "@consilium/runtime/identity/names";
import { parseAddress } from "@consilium/runtime/tls/address";
import { isMap, parseDocument } from "yaml";
import { dialable, localHttpUrl } from "../http/localAddress.js";
import { parseJson } from "../http/reach.js";
import type { Session } from "../session.js";

const notMade = "create the federation with `consilium init`, or give its folder with --home";

/** Checks a federation on the operator's machine: folders, certificates, and its servers as sites reach them. */
export async function examineFederation(session: Session, timeoutMs: number): Promise<DoctorView> {
  const { aggregator, publisher } = session.home;
  const now = Date.now();
  const own = await checkIdentity(join(aggregator, "identity"), now, notMade);
  const address = await grpcAddress(aggregator);
  const checks: DoctorCheck[] = [
    check("identity:aggregator", "Aggregator certificate", own.verdict),
    check("disk:aggregator", "Aggregator folder", await checkDisk(aggregator)),
    ...(await serverChecks("aggregator", address, own.identity, timeoutMs)),
    check("console", "Operator's API", await answers(aggregator, defaultPorts.aggregatorHttp, timeoutMs)),
  ];
  const lease = await leaseVerdict(aggregator, timeoutMs);
  if (lease !== null) checks.push(check("console:lease", "Lease on the store", lease));
  const publishing = await checkIdentity(join(publisher, "identity"), now, notMade);
  if (publishing.identity !== null) {
    checks.push(
      check("identity:publisher", "Publisher certificate", publishing.verdict),
      check("disk:publisher", "Publisher folder", await checkDisk(publisher)),
      await publisherCheck(await grpcAddress(publisher), publishing.identity, timeoutMs),
      check(
        "console:publisher",
        "Catalogue",
        await answers(publisher, defaultPorts.publisherHttp, timeoutMs),
      ),
    );
  }
  return {
    checkedAt: new Date(now).toISOString(),
    software: softwareVersion,
    subject: "operator",
    name: own.identity?.federation ?? null,
    aggregator: address,
    checks,
  };
}

/** The address in invitations, or the one that the server listens on; null if neither is known. */
async function grpcAddress(folder: string): Promise<string | null> {
  const read = (name: string) => readFile(join(folder, name), "utf8").catch(() => "");
  const config = parseDocument(await read("config.yaml"));
  const values = isMap(config.contents)
    ? (config.toJS() as { advertise?: unknown; listen?: { grpc?: unknown } })
    : {};
  const running = parseJson(await read("addresses.json")) as { grpc?: unknown } | undefined;
  for (const candidate of [values.advertise, running?.grpc, values.listen?.grpc]) {
    const url = typeof candidate === "string" ? dialable(candidate) : undefined;
    if (url !== undefined) return url.replace(/^https?:\/\//, "");
  }
  return null;
}

async function serverChecks(
  serverRole: Role,
  address: string | null,
  identity: Identity | null,
  timeoutMs: number,
): Promise<DoctorCheck[]> {
  if (address === null || identity === null) {
    const why = address === null ? "no address configured, and no running process wrote one" : "see above";
    return [check("tcp", `Network path to the ${serverRole}`, skipped(`not checked: ${why}`))];
  }
  return checkNetwork({
    address: unwrap(parseAddress(address)),
    proxy: null,
    serverRole,
    rootFingerprint: rootFingerprint(identity.rootPem),
    now: Date.now,
    timeoutMs,
  });
}

/**
 * Checks the publisher as the aggregator reaches it for deposits: one line, because both are on the operator's side.
 */
async function publisherCheck(
  address: string | null,
  identity: Identity,
  timeoutMs: number,
): Promise<DoctorCheck> {
  const found = await serverChecks("publisher", address, identity, timeoutMs);
  const fault = found.find(({ status }) => status === "fail");
  const title = "Publisher (deposits)";
  if (fault !== undefined) {
    const remedy = "start it with `consilium serve publisher`, or correct `listen:` in its config.yaml";
    return check("publisher", title, fail(fault.found, remedy));
  }
  if (found.every(({ status }) => status === "skipped"))
    return check("publisher", title, skipped(found[0]!.found));
  return check("publisher", title, ok(`${address} answers with a certificate of this federation`));
}

/** Which aggregator is active, as the one of this folder sees it; null where no other one shares its store. */
async function leaseVerdict(folder: string, timeoutMs: number): Promise<Verdict | null> {
  const response = await localHttpUrl(folder, defaultPorts.aggregatorHttp)
    .then((url) => fetch(`${url}/leasez`, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" }))
    .catch(() => null);
  if (!response?.ok) return null;
  const read = leaseAnswer.safeParse(await response.json());
  if (!read.success) return null;
  const { active, holder, ageMs, takenAt, takenFrom, fault } = read.data;
  if (fault !== null)
    return warn(`the database does not answer: ${fault}`, "check the database and the way to it");
  const since = `since ${takenAt ?? "now"}${takenFrom === null ? "" : `, taken over from ${takenFrom}`}`;
  const who = active
    ? `${holder} (this aggregator) is active`
    : `this aggregator stands by; ${holder} is active`;
  return ok(`${who}, ${since}; last renewed ${(ageMs / 1000).toFixed(1)} s ago`);
}

async function answers(folder: string, defaultPort: number, timeoutMs: number): Promise<Verdict> {
  let url = "";
  try {
    url = await localHttpUrl(folder, defaultPort);
    const response = await fetch(`${url}/healthz`, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "error",
    });
    if (response.ok) return ok(`${url} answers`);
    throw new ConsiliumError("UNREACHABLE", `HTTP ${response.status}`);
  } catch (thrown) {
    const what = thrown instanceof ConsiliumError ? spokenError(thrown).message : "no answer";
    return fail(
      `${url}: ${what}`,
      "start it with `consilium serve`, or correct `listen:` in its config.yaml",
    );
  }
}
