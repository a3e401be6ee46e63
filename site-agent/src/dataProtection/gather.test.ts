import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { protectionFactsSchema } from "@consilium/core/hospital/protectionFacts";
import { allMethods } from "@consilium/methods-paper/all";
import { openStore } from "@consilium/runtime/store/store";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { afterEach, beforeEach, expect, it } from "vitest";
import { egressEntry } from "../../testing/dataProtection/facts.js";
import { spend, testLedger } from "../../testing/ledger/ledger.js";
import { offered } from "../../testing/socket/agent.js";
import { siteConfigSchema } from "../config.js";
import { unresolvedTables } from "../data/tableSources.js";
import { EgressLog } from "../ledger/egressLog.js";
import { PolicyFile } from "../policy/policyFile.js";
import { AuditLog } from "../socket/auditLog.js";
import { migrations } from "../store/schema.js";
import { Approvals } from "../studies/approvals.js";
import { folderFacts, gatherFacts } from "./gather.js";
import { protectionFacts } from "./protectionFacts.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-facts-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function gathered(config: object = {}, environment: NodeJS.ProcessEnv = {}) {
  const { root, leaf } = await testFederation("north-sea");
  const { chainPem } = await leaf("site", "st-mary");
  const { ledger } = testLedger();
  const store = openStore(":memory:", migrations);
  new AuditLog(store, () => 1).record({ actor: "dr.ada", kind: "changed the policy" });
  new Approvals(store).wait(offered, 5_000, 1_000);
  new EgressLog(store).record({ ...egressEntry({ study: offered.id }), isRoutine: false });
  spend(ledger, offered.id, 1);
  return gatherFacts({
    stateFolder: folder,
    config: siteConfigSchema.parse({ aggregator: "aggregator.example.org:7443", ...config }),
    identity: {
      site: "st-mary",
      federation: "north-sea",
      signingKeyFingerprint: "bb",
      rootPem: root.certificatePem,
      chainPem,
    },
    policy: new PolicyFile(join(folder, "policy.yaml")),
    store,
    methods: allMethods,
    ledger,
    descriptions: [],
    knownTables: unresolvedTables([]),
    agent: null,
    folder: await folderFacts(folder),
    environment,
    now: 2_000,
  });
}

it("are what the store holds and when the certificate ends", async () => {
  const facts = await gathered();
  expect(facts.kept).toEqual({ ledgerEntries: 3, trailEvents: 1, policyVersions: 0 });
  expect(facts).toMatchObject({ proxy: null, hasPolicyFile: false, egress: [{ what: "masked vector" }] });
  expect(facts.studies).toMatchObject([{ record: { id: offered.id }, approval: { decision: null } }]);
  expect(facts.identity.rootFingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(facts.identity.notAfter).toBeGreaterThan(Date.now());
  const sent = protectionFacts(facts);
  expect(protectionFactsSchema.parse(JSON.parse(JSON.stringify(sent)))).toEqual(sent);
  expect(sent.studies).toMatchObject([{ id: offered.id, approval: { decision: null } }]);
  expect(JSON.stringify(sent)).not.toContain("dr.ada");
});

it("are of the folder as it is on the disk", async () => {
  await chmod(folder, 0o755);
  await writeFile(join(folder, "policy.yaml"), "minimumSites: 4\n");
  await writeFile(join(folder, "state.db"), "", { mode: 0o600 });
  await mkdir(join(folder, "policy-history"));
  await writeFile(join(folder, "policy-history", "1.yaml"), "");
  const facts = await gathered();
  expect(facts.permissions).toEqual([
    { path: "", mode: 0o755 },
    { path: "state.db", mode: 0o600 },
  ]);
  expect(facts).toMatchObject({
    hasPolicyFile: true,
    policy: { minimumSites: 4 },
    kept: { policyVersions: 1 },
  });
});

it("are the proxy's address, and not its password", async () => {
  const environment = { https_proxy: "http://consilium:hunter2@proxy.example:3128" };
  const facts = await gathered({}, environment);
  expect(facts.proxy).toEqual({
    address: "proxy.example:3128",
    isTls: false,
    hasCredentials: true,
    source: "https_proxy",
  });
  expect(JSON.stringify(protectionFacts(facts))).not.toContain("hunter2");
});
