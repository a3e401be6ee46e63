import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyMessage } from "@consilium/core/crypto/sign";
import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { joinMessage } from "@consilium/core/secure-sum/roster";
import { planHash, planStudy } from "@consilium/core/study/plan";
import { parseStudy, type StudyDocument, studyDocument } from "@consilium/core/study/study";
import type { Identity } from "@consilium/runtime/identity/files";
import { ed25519Raw } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import { osRandom } from "@consilium/runtime/random";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unresolvedTables } from "../data/tableSources.js";
import type { Tables } from "../data/tables.js";
import { Outbox } from "../outbox/outbox.js";
import { PolicyFile } from "../policy/policyFile.js";
import { migrations } from "../store/schema.js";
import { SealedStorage } from "../store/sealedStorage.js";
import { Approvals } from "./approvals.js";
import { Joining } from "./joining.js";
import { SiteRecords } from "./records.js";

const id = "vitals-0123456789" as StudyId;
const { privateKey } = generateKeyPairSync("ed25519");
const identity = { id: "st-mary", signingKey: privateKey } as unknown as Identity;

function document(change: Record<string, unknown> = {}): StudyDocument {
  return studyDocument(
    unwrap(
      parseStudy({
        name: "vitals",
        table: "visits",
        analysis: "pca",
        method: "elfed-pca",
        variant: "paper",
        parameters: { components: 1 },
        privacy: { epsilon: 1, delta: 1e-5 },
        participation: { maxRowsPerSite: 100 },
        features: [{ name: "age", type: "numeric", min: 0, max: 1 }],
        ...change,
      }),
    ),
  );
}

/** A site with everything real but its table, its ledger and its connection. */
class Site {
  readonly folder = mkdtempSync(join(tmpdir(), "consilium-joining-"));
  readonly said: string[] = [];
  readonly reserved: StudyId[] = [];
  readonly preflights: string[] = [];
  now = 1_000_000;
  rows = 50;
  tableFault: ConsiliumError | null = null;
  ledgerFault: ConsiliumError | null = null;
  beforePreflightEnds: () => void = () => undefined;
  store!: Store;
  records!: SiteRecords;
  joining!: Joining;

  async start(): Promise<void> {
    this.store = openStore(join(this.folder, "state.db"), migrations);
    this.records = new SiteRecords(this.store);
    this.joining = new Joining({
      records: this.records,
      approvals: new Approvals(this.store),
      outbox: new Outbox(
        () => undefined,
        () => this.now,
      ),
      tables: {
        preflight: async (study: { table: string }) => {
          this.preflights.push(study.table);
          await Promise.resolve();
          this.beforePreflightEnds();
          if (this.tableFault !== null) throw this.tableFault;
          return { rows: this.rows, contentHash: "c".repeat(64) as Sha256 };
        },
      } as unknown as Tables,
      policy: new PolicyFile(join(this.folder, "policy.yaml")),
      knownTables: {
        ...unresolvedTables([{ name: "visits", unit: "rows" }]),
        resolve: async () => undefined,
      },
      allowNoPrivacy: false,
      charges: {
        reserveStudy: (record) => {
          if (this.ledgerFault !== null) throw this.ledgerFault;
          this.reserved.push(record.id);
        },
      },
      sealed: await SealedStorage.open(this.folder, osRandom),
      random: osRandom,
      identity: () => identity,
      now: () => this.now,
      log: createLogger({ service: "site-agent", level: "silent" }),
      send: ({ frame }) => {
        const { decision } = frame;
        if (decision?.decision === "refusalCode") this.said.push(`refused ${decision.refusalCode}`);
        else if (decision?.decision === "join") this.said.push(`joined ${key(decision.join!.exchangeKey!)}`);
        else this.said.push(decision?.awaitingApproval ? "awaiting approval" : "something else");
      },
    });
  }

  /** As a process that ended at any instant: only what is stored is left. */
  async restart(): Promise<void> {
    this.store.close();
    await this.start();
  }

  policy(text: string): void {
    writeFileSync(join(this.folder, "policy.yaml"), text);
  }

  async invited(of: StudyDocument = document(), deadlineInMs = 60_000): Promise<string[]> {
    const before = this.said.length;
    await this.joining.invited({
      kind: "invitation",
      studyId: id,
      studyText: of.text,
      studyHash: of.hash,
      planHash: planHash(planStudy(of.study)),
      deadlineInMs,
    });
    return this.said.slice(before);
  }

  async approve(): Promise<string> {
    return this.joining.approve(id, "ada").then(({ status }) => status, describeFault);
  }

  get status() {
    return this.records.study(id)?.status ?? null;
  }

  remove(): void {
    this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const key = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString("hex");
const describeFault = (thrown: unknown) =>
  thrown instanceof ConsiliumError ? `${thrown.code}: ${thrown.message}` : `foreign: ${String(thrown)}`;
const anyVariant = "variants: [sound, paper]\n";

let site: Site;
beforeEach(async () => {
  site = new Site();
  site.policy(anyVariant);
  await site.start();
});
afterEach(() => site.remove());

describe("an invitation", () => {
  it("waits for a person, and the table is not read before one has approved", async () => {
    expect(await site.invited()).toEqual(["awaiting approval"]);
    expect(site.status).toBe("waiting for approval");
    expect(site.preflights).toEqual([]);
    expect(await site.approve()).toBe("joined");
    expect(site.preflights).toEqual(["visits"]);
    expect(site.reserved).toEqual([id]);
    const record = site.records.study(id)!;
    expect(site.said.at(-1)).toBe(`joined ${key(record.exchangeKey)}`);
    const message = joinMessage(id, record.hash, identity.id, record.exchangeKey!);
    expect(verifyMessage(ed25519Raw(privateKey), message, record.joinSignature!)).toBe(true);
  });

  it("is joined at once where the policy says so", async () => {
    site.policy(`${anyVariant}approval: automatic\nperStudy: {epsilon: 1, delta: 1.0e-5}\n`);
    expect((await site.invited())[0]).toMatch(/^joined /);
    expect(site.reserved).toEqual([id]);
  });

  it("is refused by the policy before anybody is asked", async () => {
    site.policy("variants: [sound]\n");
    expect(await site.invited()).toEqual(["refused POLICY_VARIANT"]);
    site.policy("variants: [sond]\n");
    expect(await site.invited()).toEqual(["refused POLICY_INVALID"]);
    expect(site.records.study(id)!.localReason).toContain("line 1: variants[0]");
    // Asked again once the policy is right, it is judged anew.
    site.policy(anyVariant);
    expect(await site.invited()).toEqual(["awaiting approval"]);
    expect(site.preflights).toEqual([]);
  });

  it("does not tell how many rows there are", async () => {
    site.policy(`${anyVariant}approval: automatic\nperStudy: {epsilon: 1, delta: 1.0e-5}\nminimumRows: 51\n`);
    expect(await site.invited()).toEqual(["refused PREFLIGHT_FAILED"]);
    expect(site.records.study(id)).toMatchObject({ status: "refused", localCode: "POLICY_ROWS" });
  });

  it("that is not what it says it is gets no further", async () => {
    const other = document({ name: "other" });
    expect(await site.invited({ ...document(), hash: other.hash })).toEqual(["refused STUDY_HASH"]);
    expect(site.status).toBeNull();
    await site.invited();
    expect(await site.invited(other)).toEqual(["refused STUDY_HASH"]);
    expect(site.records.study(id)!.hash).toBe(document().hash);
  });
});

describe("a study that waits", () => {
  it("waits across restarts, and says so again whenever it is asked", async () => {
    await site.invited();
    await site.restart();
    expect(site.status).toBe("waiting for approval");
    expect(await site.invited()).toEqual(["awaiting approval"]);
    expect(await site.approve()).toBe("joined");
    const first = site.said.at(-1)!;
    await site.restart();
    // The same key again: a second one would be another join.
    expect(await site.invited()).toEqual([first]);
    expect(site.reserved).toEqual([id]);
  });

  it("is approved once, however often that is said", async () => {
    await site.invited();
    const answers = await Promise.all([site.approve(), site.approve(), site.invited()]);
    expect(answers.slice(0, 2)).toEqual(["joined", "joined"]);
    expect(site.reserved).toEqual([id]);
    expect(new Set(site.said.filter((said) => said.startsWith("joined"))).size).toBe(1);
    expect(await site.approve()).toBe("joined");
  });

  it("waits on when the table or the budget says no, and the person is told", async () => {
    await site.invited();
    site.tableFault = new ConsiliumError("COLUMN_MISSING", "no column age");
    expect(await site.approve()).toBe("COLUMN_MISSING: no column age");
    site.tableFault = null;
    site.ledgerFault = new ConsiliumError("ROWS_TOO_MANY", "stands for a budget that is spent");
    expect(await site.approve()).toMatch(/^ROWS_TOO_MANY/);
    expect(site.records.study(id)).toMatchObject({
      status: "waiting for approval",
      localCode: "ROWS_TOO_MANY",
      exchangeKey: null,
    });
    expect(site.said).toEqual(["awaiting approval"]);
    site.ledgerFault = null;
    expect(await site.approve()).toBe("joined");
  });

  it("is judged again when it is approved", async () => {
    await site.invited();
    site.policy(`${anyVariant}perStudy: {epsilon: 0.5}\n`);
    expect(await site.approve()).toMatch(/^POLICY_EPSILON/);
    expect(site.preflights).toEqual([]);
  });

  it("cannot be approved once the time to join is over, before or after the table was read", async () => {
    await site.invited(document(), 60_000);
    site.beforePreflightEnds = () => {
      site.now += 60_000;
    };
    expect(await site.approve()).toMatch(/^APPROVAL_LATE: .*nothing has left this hospital$/);
    expect(await site.approve()).toMatch(/^APPROVAL_LATE/);
    expect(site.preflights).toHaveLength(1);
    expect(site.reserved).toEqual([]);
    // The operator resumes the study: there is time again.
    site.beforePreflightEnds = () => undefined;
    await site.invited(document(), 60_000);
    expect(await site.approve()).toBe("joined");
  });

  it("is over when the study ends, even while the table is read", async () => {
    await site.invited();
    site.beforePreflightEnds = () => site.records.end(id, "cancelled", site.now);
    expect(await site.approve()).toMatch(/^STUDY_STATE: .*it was cancelled, without this hospital/);
    expect(site.status).toBe("cancelled");
    expect(site.said).toEqual(["awaiting approval"]);
    expect(await site.invited()).toEqual([]);
  });
});

describe("a refusal by a person", () => {
  it("keeps its reason here, stands, and is said again", async () => {
    await site.invited();
    site.joining.refuse(id, "grace", "the ethics board has not met");
    expect(site.said.at(-1)).toBe("refused REFUSED_BY_SITE");
    expect(JSON.stringify(site.said)).not.toContain("ethics");
    expect(site.records.study(id)).toMatchObject({
      status: "refused",
      localCode: "REFUSED_BY_SITE",
      localReason: "the ethics board has not met",
    });
    await site.restart();
    site.policy(`${anyVariant}approval: automatic\nperStudy: {epsilon: 1, delta: 1.0e-5}\n`);
    expect(await site.invited()).toEqual(["refused REFUSED_BY_SITE"]);
    expect(await site.approve()).toMatch(/^STUDY_STATE: .*a person refused it/);
    expect(site.joining.refuse(id, "grace", null).status).toBe("refused");
  });

  it("is of studies that wait", async () => {
    const refuse = () => {
      try {
        return site.joining.refuse(id, "grace", null).status;
      } catch (thrown) {
        return describeFault(thrown);
      }
    };
    expect(refuse()).toMatch(/^STUDY_UNKNOWN/);
    expect(await site.approve()).toMatch(/^STUDY_UNKNOWN/);
    await site.invited();
    await site.approve();
    expect(refuse()).toMatch(/^STUDY_STATE: .*this hospital takes part/);
  });

  it("wins over an approval that still reads the table", async () => {
    await site.invited();
    site.beforePreflightEnds = () => site.joining.refuse(id, "grace", null);
    expect(await site.approve()).toMatch(/^STUDY_STATE: .*a person refused it/);
    expect(site.said).toEqual(["awaiting approval", "refused REFUSED_BY_SITE"]);
  });
});
