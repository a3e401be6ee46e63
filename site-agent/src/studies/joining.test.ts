import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson, readCanonicalJson } from "@consilium/core/canonicalJson";
import { ConsiliumError } from "@consilium/core/errors";
import { type ApprovalRecord, approvalRecordSchema } from "@consilium/core/hospital/approvalRecords";
import type { Shown } from "@consilium/core/hospital/shown";
import type { Sha256, StageId, StudyId } from "@consilium/core/ids";
import type { ListedMethod } from "@consilium/core/method/listedMethods";
import { unwrap } from "@consilium/core/result";
import { planStudy } from "@consilium/core/study/plan";
import { planText } from "@consilium/core/study/planFacts";
import type { Retired } from "@consilium/core/study/retired";
import { type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { softwareBuild } from "@consilium/core/version";
import { Door } from "@consilium/gate/door";
import { soundRegistry } from "@consilium/methods/registry";
import { parseStudy } from "@consilium/methods/testing/studies";
import { outboundBytes } from "@consilium/proto/frames";
import type { Identity } from "@consilium/runtime/identity/files";
import { ed25519Raw } from "@consilium/runtime/identity/x509";
import { createLogger } from "@consilium/runtime/log";
import { osRandom } from "@consilium/runtime/random";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { verifyMessage } from "@consilium/secure-sum/crypto/sign";
import { joinMessage } from "@consilium/secure-sum/roster";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { unresolvedTables } from "../data/tableSources.js";
import { PolicyFile } from "../policy/policyFile.js";
import { migrations } from "../store/schema.js";
import { SealedStorage } from "../store/sealedStorage.js";
import type { Tables } from "../tables/tables.js";
import { Approvals } from "./approvals.js";
import { Joining } from "./joining.js";
import { SiteRecords } from "./records.js";
import { SiteMethods } from "./siteMethods.js";
import { shownTermsOf } from "./terms.js";

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
  readonly raised: StudyId[] = [];
  readonly released: StudyId[] = [];
  /** Hashes of records of approvals. */
  readonly approved: Sha256[] = [];
  readonly refused: Sha256[] = [];
  /** Of joins without a person. */
  readonly joinedAlone: Sha256[] = [];
  readonly preflights: string[] = [];
  readonly checks: string[] = [];
  /** Methods whose code was asked for, since the process began. */
  readonly loaded: string[] = [];
  now = 1_000_000;
  retired: readonly Retired[] = [];
  offers = { waiting: 50, perDay: 200, joined: 200 };
  rows = 50;
  contentHash = "c".repeat(64) as Sha256;
  tableFault: ConsiliumError | null = null;
  columnsFault: ConsiliumError | null = null;
  ledgerFault: ConsiliumError | null = null;
  listFault: ConsiliumError | null = null;
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
      door: new Door({
        log: () => undefined,
        charged: () => {
          throw new Error("nothing was charged");
        },
        bytesOf: outboundBytes,
        now: () => this.now,
      }),
      tables: {
        check: async (study: { table: string }) => {
          this.checks.push(study.table);
          if (this.columnsFault !== null) throw this.columnsFault;
        },
        preflight: async (study: { table: string }) => {
          this.preflights.push(study.table);
          await Promise.resolve();
          this.beforePreflightEnds();
          if (this.tableFault !== null) throw this.tableFault;
          return { rows: this.rows, contentHash: this.contentHash };
        },
      } as unknown as Tables,
      policy: new PolicyFile(join(this.folder, "policy.yaml")),
      methods: new SiteMethods(
        soundRegistry.map((one): ListedMethod => {
          const load = () => {
            this.loaded.push(one.names[0]!);
            return one.load();
          };
          return { ...one, load };
        }),
      ),
      knownTables: {
        ...unresolvedTables([{ name: "visits", unit: "rows" }]),
        resolve: async () => undefined,
      },
      retired: this.retired,
      allowNoPrivacy: false,
      offers: this.offers,
      charges: {
        reserveStudy: (record, joined) => {
          if (this.ledgerFault !== null) throw this.ledgerFault;
          this.reserved.push(record.id);
          if (joined !== undefined) this.joinedAlone.push(joined);
        },
        raiseCeiling: (record) => this.raised.push(record.id),
        release: (study) => this.released.push(study),
        approve: (_, record) => {
          if (this.ledgerFault !== null) throw this.ledgerFault;
          this.approved.push(record);
        },
        refuse: (_, record) => this.refused.push(record),
      },
      demandExpelledList: () => {
        if (this.listFault !== null) throw this.listFault;
      },
      sealed: await SealedStorage.open(this.folder, osRandom),
      random: osRandom,
      identity: () => identity,
      now: () => this.now,
      log: createLogger({ service: "site-agent", level: "silent" }),
      send: (message) => {
        const said = message.take();
        if (said.frame !== "decision") this.said.push("something else");
        else if (said.decision.decision === "refusalCode")
          this.said.push(
            `refused ${said.decision.refusalCode}${said.decision.mayPublish ? ", may be published" : ""}`,
          );
        else if (said.decision.decision === "join")
          this.said.push(`joined ${key(said.decision.join.exchangeKey)}`);
        else this.said.push("awaiting approval");
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

  /** Of the store's files. */
  get bytes(): number {
    return ["", "-wal"].reduce((sum, end) => sum + statSync(join(this.folder, `state.db${end}`)).size, 0);
  }

  async invited(of: StudyDocument = document(), deadlineInMs = 60_000, studyId = id): Promise<string[]> {
    const before = this.said.length;
    await this.joining.invited({
      kind: "invitation",
      studyId,
      studyText: of.text,
      studyHash: of.hash,
      plan: planText(of.study, planStudy(of.study)),
      deadlineInMs,
    });
    return this.said.slice(before);
  }

  async approve(by = "ada", inPlaceOf: string | null = null, shown: Shown | null = null): Promise<string> {
    return this.joining
      .approve(id, { by, inPlaceOf, shown, facts: async () => ({ of: "the agent" }) })
      .then(({ status, note }) => (note === "" ? status : `${status}: ${note}`), describeFault);
  }

  get approval() {
    return new Approvals(this.store).of(id);
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
const automatic = "approval: automatic\nperStudy: { epsilon: 10, delta: 0.1 }\n";
const sound = document({ method: "dp-pca", variant: "sound" });

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

  it("to a sound study is joined without a look at any record, and refused for its columns alone", async () => {
    site.policy(automatic);
    site.columnsFault = new ConsiliumError("COLUMN_MISSING", "no column");
    expect(await site.invited(sound)).toEqual(["refused COLUMN_MISSING"]);
    site.columnsFault = null;
    // Whatever a look at the records would find.
    site.tableFault = new ConsiliumError("LEVEL_UNDECLARED", "row 7");
    site.rows = 0;
    expect((await site.invited(sound))[0]).toMatch(/^joined /);
    expect(site.checks).toEqual(["visits", "visits"]);
    expect(site.preflights).toEqual([]);
    expect(site.records.study(id)).toMatchObject({ contentHash: null, rows: null });
  });

  it("to a sound study is read through for the person who approves, and shown no further", async () => {
    site.policy("approval: person\n");
    expect(await site.invited(sound)).toEqual(["awaiting approval"]);
    expect(await site.approve()).toBe("joined");
    expect(site.preflights).toEqual(["visits"]);
    expect(site.said).toHaveLength(2);
  });

  it("is refused by a code that may be published where the policy says so, unless it depends on records", async () => {
    const never = `${anyVariant}analyses: []\n`;
    site.policy(never);
    expect(await site.invited(document(), 60_000, "a-0123456789" as StudyId)).toEqual([
      "refused POLICY_ANALYSIS",
    ]);
    site.policy(`${never}publishRefusals: true\n`);
    expect(await site.invited(document(), 60_000, "b-0123456789" as StudyId)).toEqual([
      "refused POLICY_ANALYSIS, may be published",
    ]);
    site.policy(`${anyVariant}${automatic}publishRefusals: true\n`);
    site.tableFault = new ConsiliumError("LEVEL_UNDECLARED", "row 7");
    expect(await site.invited(document(), 60_000, "c-0123456789" as StudyId)).toEqual([
      "refused PREFLIGHT_FAILED",
    ]);
  });

  it("is refused where its method's edition is retired, before a person is asked and where one has approved", async () => {
    const entry = { method: "dp-pca", edition: 1, why: "its noise was too small" };
    expect(await site.invited(sound)).toEqual(["awaiting approval"]);
    site.retired = [entry];
    await site.restart();
    expect(await site.approve()).toBe("STUDY_RETIRED: dp-pca, edition 1 is retired: its noise was too small");
    site.policy(automatic);
    const other = "others-0123456789" as StudyId;
    expect(await site.invited(sound, 60_000, other)).toEqual(["refused STUDY_RETIRED"]);
    expect(site.reserved).toEqual([]);
    site.retired = [{ ...entry, edition: 2 }];
    await site.restart();
    expect((await site.invited(sound, 60_000, other))[0]).toMatch(/^joined /);
  });

  it("is refused as newer where it has a key or an edition that this version does not know", async () => {
    for (const key of [{ edition: 2 }, { bootstrap: true }]) {
      const text = canonicalJson({ ...(JSON.parse(sound.text) as object), ...key });
      const plan = planText(sound.study, planStudy(sound.study));
      await site.joining.invited({
        kind: "invitation",
        studyId: id,
        studyText: text,
        studyHash: sha256(text),
        plan,
        deadlineInMs: 60_000,
      });
    }
    expect(site.said).toEqual(["refused STUDY_NEWER", "refused STUDY_NEWER"]);
  });

  it("is refused while the list of expelled sites may be held back, and judged again afterwards", async () => {
    site.policy(`${automatic}${anyVariant}`);
    site.listFault = new ConsiliumError("REVOCATIONS_UNCONFIRMED", "last confirmed 2d ago");
    expect(await site.invited()).toEqual(["refused REVOCATIONS_UNCONFIRMED"]);
    expect([site.preflights, site.reserved]).toEqual([[], []]);
    site.listFault = null;
    expect((await site.invited())[0]).toMatch(/^joined /);
  });

  it("cannot be approved while the list of expelled sites may be held back, and waits on", async () => {
    await site.invited();
    site.listFault = new ConsiliumError("REVOCATIONS_EXPIRED", "it was to be signed again");
    expect(await site.approve()).toMatch(/^REVOCATIONS_EXPIRED/);
    expect(site.status).toBe("waiting for approval");
    site.listFault = null;
    expect(await site.approve()).toBe("joined");
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

  it("is refused by what its text says before any code of its method is loaded", async () => {
    for (const [policy, code] of [
      ["analyses: [describe]\n", "POLICY_ANALYSIS"],
      ["variants: [paper]\n", "POLICY_VARIANT"],
      ["variants: [sond]\n", "POLICY_INVALID"],
    ] as const) {
      site.policy(policy);
      expect(await site.invited(sound)).toEqual([`refused ${code}`]);
      expect(site.records.study(id)).toMatchObject({ status: "refused", localCode: code });
    }
    const free = document({ method: "dp-pca", variant: "sound", privacy: "none" });
    site.policy("analyses: [pca]\n");
    expect(await site.invited(free)).toEqual(["refused POLICY_NO_PRIVACY"]);
    expect(site.loaded).toEqual([]);
    expect(await site.invited(sound)).toEqual(["awaiting approval"]);
    expect(site.loaded).toEqual(["dp-pca"]);
  });

  it("that waits is approved after a restart, which loads its method again", async () => {
    await site.invited(sound);
    await site.restart();
    expect(await site.approve()).toBe("joined");
    expect(site.loaded).toEqual(["dp-pca", "dp-pca"]);
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

  it("says to the person at once what its columns lack, and nothing of it to the aggregator", async () => {
    site.columnsFault = new ConsiliumError("COLUMN_MISSING", "no column age");
    expect(await site.invited()).toEqual(["awaiting approval"]);
    await expect
      .poll(() => site.records.study(id))
      .toMatchObject({ status: "waiting for approval", localCode: "COLUMN_MISSING" });
    // Asked again, it answers and looks no further.
    await site.invited();
    expect(site.checks).toEqual(["visits"]);
    expect(site.preflights).toEqual([]);
    expect(new Set(site.said)).toEqual(new Set(["awaiting approval"]));
    site.columnsFault = null;
    expect(await site.approve()).toBe("joined");
    expect(site.records.study(id)).toMatchObject({ localCode: null });
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
    expect(inEnglish(await site.approve())).toMatch(/^APPROVAL_LATE: .*nothing has left this hospital$/);
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
    expect(inEnglish(await site.approve())).toMatch(/^STUDY_STATE: .*it is cancelled/);
    expect(site.status).toBe("cancelled");
    expect(site.said).toEqual(["awaiting approval"]);
    expect(await site.invited()).toEqual([]);
  });
});

describe("what a person approved", () => {
  const kept = () =>
    site.store.all("SELECT hash, study, record FROM approval_records ORDER BY rowid") as {
      hash: string;
      study: string;
      record: string;
    }[];
  const shownNow = async (more: Partial<Shown> = {}): Promise<Shown> => {
    const { study, hash } = document();
    const policy = unwrap(new PolicyFile(join(site.folder, "policy.yaml")).readWritten());
    const tables = unresolvedTables([{ name: "visits", unit: "rows" }]);
    const terms = shownTermsOf({ study, hash, plan: planStudy(study), policy, tables });
    return { ...terms, language: "de", software: softwareBuild, texts: ["So viel Ε."], ...more };
  };

  it("is kept as one record, whose hash the ledger is given with the decision", async () => {
    await site.invited();
    const shown = await shownNow();
    expect(await site.approve("bob", "ada", shown)).toBe("joined");
    const [{ hash, study, record }] = kept() as [ReturnType<typeof kept>[number]];
    expect(kept()).toHaveLength(1);
    expect([study, hash, site.approved]).toEqual([id, sha256(record), [hash]]);
    const read = approvalRecordSchema.parse(JSON.parse(record));
    expect(readCanonicalJson(record).ok).toBe(true);
    expect(read).toMatchObject({ by: "bob", inPlaceOf: "ada", at: site.now, decision: "joined", study: id });
    expect(read).toMatchObject({ shown, facts: { of: "the agent" }, software: softwareBuild });
    // Everything that its terms are hashes of, but for the text, which is among the facts, and the table's content.
    expect(sha256(read.policy!)).toBe(read.terms.policy);
    expect(sha256(read.table)).toBe(read.terms.table);
    expect(sha256("consilium plan v3\n", read.plan!)).toBe(read.terms.plan);
    expect(read.terms).toMatchObject({ study: document().hash, content: site.contentHash });
  });

  it("is kept of a join without a person, with all that it was of, and says that nobody was asked", async () => {
    site.policy(`${anyVariant}approval: automatic\nperStudy: {epsilon: 1, delta: 1.0e-5}\n`);
    await site.invited();
    expect(site.said).toEqual([expect.stringMatching(/^joined/)]);
    const [{ hash, record }] = kept() as [ReturnType<typeof kept>[number]];
    expect([kept().length, site.joinedAlone, site.approved]).toEqual([1, [hash], []]);
    expect(hash).toBe(sha256(record));
    const read = approvalRecordSchema.parse(JSON.parse(record));
    expect(read).toMatchObject({ by: null, decision: "automatic", at: site.now, shown: null, study: id });
    expect(read.facts).toEqual({ text: document().text });
    expect(sha256(read.policy!)).toBe(read.terms.policy);
    expect(sha256(read.table)).toBe(read.terms.table);
    expect(sha256("consilium plan v3\n", read.plan!)).toBe(read.terms.plan);
    expect(read.terms).toMatchObject({ study: document().hash, content: null });
    // What is said again is not kept again.
    await site.invited();
    expect(kept()).toHaveLength(1);
  });

  it("is kept of a refusal in its transaction, and of the first one only", async () => {
    await site.invited();
    site.joining.refuse(id, "grace", "no", '{"first":1}');
    site.joining.refuse(id, "grace", "no", '{"second":1}');
    expect(kept().map(({ record }) => record)).toEqual(['{"first":1}']);
    expect(site.refused).toEqual([sha256('{"first":1}')]);
  });

  it("says where nobody was shown anything, and is kept of each of two approvals", async () => {
    site.policy(`${anyVariant}approvals: 2\n`);
    await site.invited();
    await site.approve("ada");
    expect(await site.approve("ada")).toMatch(/^APPROVAL_SECOND/);
    await site.approve("grace", null, await shownNow());
    const read = kept().map(({ record }) => JSON.parse(record) as ApprovalRecord);
    expect(read.map(({ by, decision, shown }) => [by, decision, shown?.language ?? null])).toEqual([
      ["ada", "first", null],
      ["grace", "joined", "de"],
    ]);
    expect(site.approved).toEqual(kept().map(({ hash }) => hash));
  });

  it("is nothing where the ledger cannot take it, or the table cannot be read", async () => {
    await site.invited();
    site.ledgerFault = new ConsiliumError("LEDGER_BEHIND", "an older copy");
    expect(await site.approve()).toMatch(/^LEDGER_BEHIND/);
    expect([kept(), site.approval!.decision]).toEqual([[], null]);
  });

  it.each(["studyHash", "planHash", "policyHash", "tableHash"] as const)(
    "must be what was shown: another %s decides nothing",
    async (term) => {
      await site.invited();
      const said = await site.approve("ada", null, await shownNow({ [term]: "0".repeat(64) }));
      expect(said).toBe(`APPROVAL_CHANGED: study.shown-${term.slice(0, -4)} {}`);
      expect([kept(), site.approval!.decision, site.preflights]).toEqual([[], null, []]);
      expect(site.records.study(id)!.localReason).toBeNull();
    },
  );

  it("must be shown by the agent's own build, and must not change while the table is read", async () => {
    await site.invited();
    const stale = await shownNow({ software: "0.0.1+0123456789ab" });
    expect(await site.approve("ada", null, stale)).toBe("APPROVAL_CHANGED: study.shown-software {}");
    const shown = await shownNow();
    site.policy(`${anyVariant}minimumRows: 1\n`);
    expect(await site.approve("ada", null, shown)).toBe("APPROVAL_CHANGED: study.shown-policy {}");
    site.policy(`# the same\n${anyVariant}`);
    expect(await site.approve("ada", null, shown)).toBe("joined");
  });
});

describe("a study that two people must approve", () => {
  const two = `${anyVariant}approvals: 2\n`;
  const first = "waiting for approval: first of two";
  beforeEach(async () => {
    site.policy(two);
    await site.invited();
  });

  it("waits after the first approval, across a restart, and is joined with the second", async () => {
    expect(await site.approve("ada")).toBe(first);
    expect([site.reserved, site.said]).toEqual([[], ["awaiting approval"]]);
    await site.restart();
    expect(await site.invited()).toEqual(["awaiting approval"]);
    expect(site.approval).toMatchObject({ decision: null, first: { by: "ada", inPlaceOf: null } });
    expect(await site.approve("grace")).toBe("joined: second, after ada");
    expect(site.approval).toMatchObject({ decision: "approved", decidedBy: "ada and grace" });
    expect(site.reserved).toEqual([id]);
  });

  it("needs one person's approval where the policy says so", async () => {
    site.policy(`${anyVariant}approvals: 1\n`);
    expect(await site.approve("ada")).toBe("joined");
    expect(site.approval).toMatchObject({ decidedBy: "ada" });
  });

  it("is not joined by one person twice, under whatever spelling, nor by an API token", async () => {
    expect(inEnglish(await site.approve("token:0123456789ab (ada's script)"))).toMatch(
      /^APPROVAL_SECOND: .*token/,
    );
    expect(await site.approve("ada")).toBe(first);
    for (const name of ["ada", "ADA", " ada ", "ａｄａ"])
      expect(inEnglish(await site.approve(name))).toMatch(/^APPROVAL_SECOND: .*after ada$/);
    const [one, other] = await Promise.all([site.approve("ada"), site.approve("Ada")]);
    expect([one, other].every((said) => said.startsWith("APPROVAL_SECOND"))).toBe(true);
    expect(site.records.study(id)).toMatchObject({ status: "waiting for approval", localReason: null });
    expect(site.reserved).toEqual([]);
    expect(await site.approve("grace")).toMatch(/^joined/);
  });

  it("counts a deputy's approval as that of the person in whose place it is, too", async () => {
    expect(await site.approve("bob", "ada")).toBe("waiting for approval: first of two");
    for (const [by, inPlaceOf] of [
      ["ada", null],
      ["bob", null],
      ["bob", "grace"],
      ["carol", "ada"],
      ["carol", "bob"],
    ] as const)
      expect(await site.approve(by, inPlaceOf)).toMatch(/^APPROVAL_SECOND/);
    expect(await site.approve("carol", "grace")).toBe("joined: second, after bob for ada");
    expect(site.approval).toMatchObject({ decidedBy: "bob for ada and carol for grace" });
  });

  it("is joined once when two people approve at the same moment", async () => {
    const said = await Promise.all([site.approve("ada"), site.approve("grace")]);
    expect(said.map((one) => one.split(": ")[1])).toEqual(["first of two", "second, after ada"]);
    expect(site.reserved).toEqual([id]);
  });

  it("is denied by either, after the first approval as well", async () => {
    await site.approve("ada");
    site.joining.refuse(id, "grace", null, "{}");
    expect(site.status).toBe("refused");
    expect(await site.approve("carol")).toMatch(/^STUDY_STATE/);
    expect(site.reserved).toEqual([]);
  });

  it("needs both approvals again after its policy or its table's content changed", async () => {
    await site.approve("ada");
    site.policy(`${two}minimumRows: 1\n`);
    const lapsed = "does not count: the policy changed";
    expect(await site.approve("grace")).toBe(`${first}; the approval of ada ${lapsed}`);
    // A comment is no other policy.
    site.policy(`# reviewed\n${two}minimumRows: 1\n`);
    site.contentHash = "d".repeat(64) as Sha256;
    const content = "does not count: the table's content changed";
    expect(await site.approve("ada")).toBe(`${first}; the approval of grace ${content}`);
    expect(await site.approve("grace")).toBe("joined: second, after ada");
  });

  it("of a sound study, which is not held to its table's content, needs no approval again for new rows", async () => {
    site.remove();
    site = new Site();
    site.policy(two);
    await site.start();
    await site.invited(sound);
    await site.approve("ada");
    site.contentHash = "d".repeat(64) as Sha256;
    expect(await site.approve("grace")).toBe("joined: second, after ada");
  });

  it("needs both approvals again where the aggregator offers another text under its id", async () => {
    await site.approve("ada");
    const other = document({ privacy: { epsilon: 2, delta: 1e-5 } });
    expect(await site.invited(other)).toEqual(["refused STUDY_HASH"]);
    // Once a rule has refused the first text, another one can come under the same id.
    site.policy("variants: [sound]\napprovals: 2\n");
    expect(await site.invited()).toEqual(["refused POLICY_VARIANT"]);
    site.policy(two);
    expect(await site.invited(other)).toEqual(["awaiting approval"]);
    const what = "the study's text, the plan changed";
    expect(await site.approve("grace")).toBe(`${first}; the approval of ada does not count: ${what}`);
    expect(site.reserved).toEqual([]);
    expect(await site.approve("ada")).toBe("joined: second, after grace");
  });

  it("keeps the first approval when the second cannot be given effect", async () => {
    await site.approve("ada");
    site.ledgerFault = new ConsiliumError("BUDGET_EXHAUSTED", "nothing is left");
    expect(await site.approve("grace")).toMatch(/^BUDGET_EXHAUSTED/);
    expect(site.approval).toMatchObject({ decision: null, first: { by: "ada" } });
    site.ledgerFault = null;
    expect(await site.approve("grace")).toBe("joined: second, after ada");
  });
});

describe("a refusal by a person", () => {
  it("keeps its reason here, stands, and is said again", async () => {
    await site.invited();
    site.joining.refuse(id, "grace", "the ethics board has not met", "{}");
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
    expect(inEnglish(await site.approve())).toMatch(/^STUDY_STATE: .*it is refused/);
    expect(site.joining.refuse(id, "grace", null, "{}").status).toBe("refused");
  });

  it("is of studies that wait", async () => {
    const refuse = () => {
      try {
        return site.joining.refuse(id, "grace", null, "{}").status;
      } catch (thrown) {
        return describeFault(thrown);
      }
    };
    expect(refuse()).toMatch(/^STUDY_UNKNOWN/);
    expect(await site.approve()).toMatch(/^STUDY_UNKNOWN/);
    await site.invited();
    await site.approve();
    expect(inEnglish(refuse())).toMatch(/^STUDY_STATE: .*it is joined/);
  });

  it("wins over an approval that still reads the table", async () => {
    await site.invited();
    site.beforePreflightEnds = () => site.joining.refuse(id, "grace", null, "{}");
    expect(inEnglish(await site.approve())).toMatch(/^STUDY_STATE: .*it is refused/);
    expect(site.said).toEqual(["awaiting approval", "refused REFUSED_BY_SITE"]);
  });
});

describe("offers", () => {
  const other = (n: number) => `offered-${String(n).padStart(10, "0")}` as StudyId;
  const count = 20;

  /** A study whose text is as long as a text may be. */
  function longDocument(): StudyDocument {
    const name = (n: number) => `column-${n}-${"x".repeat(80)}`;
    return document({
      features: Array.from({ length: 9_200 }, (_, n) => ({
        name: name(n),
        type: "numeric",
        min: 0,
        max: 1,
      })),
    });
  }

  it("that are refused take next to no room in the ledger's own store", async () => {
    const long = longDocument();
    expect(Buffer.byteLength(long.text)).toBeGreaterThan(1_400_000);
    expect(Buffer.byteLength(long.text)).toBeLessThan(1_500_000);
    site.policy("analyses: []\n");
    const before = site.bytes;
    for (let n = 0; n < count; n++) {
      expect(await site.invited(long, 60_000, other(n))).toEqual(["refused POLICY_ANALYSIS"]);
    }
    expect(site.bytes - before).toBeLessThan(1024 ** 2);
    expect(site.records.study(other(3))).toMatchObject({
      hash: long.hash,
      text: "",
      name: long.study.name,
      table: long.study.table,
      analysis: "pca",
      localCode: "POLICY_ANALYSIS",
      localReason: expect.stringContaining("POLICY_ANALYSIS"),
      firstSeenAt: site.now,
    });
    expect(site.records.withoutText()).toEqual([{ code: "POLICY_ANALYSIS", studies: count }]);
    // The control: texts that are kept, as all of them once were, are seen by the same measure.
    site.policy(anyVariant);
    await site.invited(long, 60_000, other(count));
    expect(site.bytes - before).toBeGreaterThan(1024 ** 2);
  });

  it("wait for approval up to a bound; those whose time is over make room", async () => {
    site.policy(anyVariant);
    site.offers.waiting = 2;
    for (const n of [1, 2])
      expect(await site.invited(document(), 60_000, other(n))).toEqual(["awaiting approval"]);
    expect(await site.invited(document(), 60_000, other(3))).toEqual(["refused OFFERS_TOO_MANY"]);
    expect(site.records.study(other(3)), "nothing of it is stored").toBeNull();
    expect(await site.invited(document(), 60_000, other(1)), "one that waits is told so again").toEqual([
      "awaiting approval",
    ]);
    site.now += 60_001;
    expect(await site.invited(document(), 60_000, other(3))).toEqual(["awaiting approval"]);
    expect(site.records.study(other(2))).toMatchObject({
      status: "refused",
      localCode: "APPROVAL_LATE",
      text: "",
    });
    // Resumed with more time, it may wait again: the bound has room for one.
    expect(await site.invited(document(), 60_000, other(2))).toEqual(["awaiting approval"]);
    expect(site.records.study(other(2))!.text).not.toBe("");
  });

  it("come at a bounded rate, counted over a day, whatever becomes of them", async () => {
    site.offers.perDay = 3;
    site.policy("analyses: []\n");
    for (const n of [1, 2, 3]) await site.invited(document(), 60_000, other(n));
    expect(await site.invited(document(), 60_000, other(4))).toEqual(["refused OFFERS_TOO_MANY"]);
    expect(await site.invited(document(), 60_000, other(2)), "no new one").toEqual([
      "refused POLICY_ANALYSIS",
    ]);
    site.now += 86_400_001;
    expect(await site.invited(document(), 60_000, other(4))).toEqual(["refused POLICY_ANALYSIS"]);
  });

  it("are joined up to a bound", async () => {
    site.offers.joined = 1;
    site.policy(`${automatic}${anyVariant}`);
    expect(await site.invited(document(), 60_000, other(1))).toEqual([expect.stringMatching(/^joined /)]);
    expect(await site.invited(document(), 60_000, other(2))).toEqual(["refused OFFERS_TOO_MANY"]);
    site.records.end(other(1), "cancelled", site.now);
    expect(await site.invited(document(), 60_000, other(2))).toEqual([expect.stringMatching(/^joined /)]);
  });

  it("keep the text of what a person refused where it is short, and of a release with this hospital", async () => {
    site.policy(anyVariant);
    await site.invited();
    site.joining.refuse(id, "ada", "no", "{}");
    expect(site.records.study(id)!.text).toBe(document().text);
    site.policy(`${automatic}${anyVariant}`);
    const long = longDocument();
    for (const n of [1, 2]) await site.invited(long, 60_000, other(n));
    site.records.end(other(1), "released", site.now);
    site.records.end(other(2), "cancelled", site.now);
    expect(site.records.study(other(1))!.text).toBe(long.text);
    expect(site.records.study(other(2))!.text).toBe("");
    expect(site.records.studies({ limit: 2 }).map((one) => one.id)).toEqual([other(1), other(2)]);
    expect(site.records.studies({ limit: 2, after: other(1) }).map((one) => one.id)).toEqual([other(2), id]);
  });
});

describe("a study that this site is in and that may cost no more", () => {
  async function asking(): Promise<void> {
    site.policy(anyVariant);
    await site.invited(sound);
    expect(await site.approve()).toBe("joined");
    new Approvals(site.store).waitAgain(id, site.now);
  }

  it("waits without a deadline, and is let on with the keys that it has", async () => {
    await asking();
    const before = site.records.study(id)!;
    site.now += 10 ** 9;
    site.records.lapse(site.now, "study.lapsed {}");
    // Invited again, it says what it said.
    expect(await site.invited(sound)).toEqual([site.said[1]]);
    expect(site.status).toBe("waiting for approval");
    site.ledgerFault = null;
    expect(await site.approve("bob")).toBe("waiting");
    expect([site.raised, site.reserved]).toEqual([[id], [id]]);
    expect(key(site.records.study(id)!.exchangeKey)).toBe(key(before.exchangeKey));
    expect(site.approval).toMatchObject({ decision: "approved", decidedBy: "bob" });
  });

  it("is left for good where a person refuses: what is reserved is free, and its keys are gone", async () => {
    await asking();
    const { length } = site.said;
    site.joining.refuse(id, "bob", null, "{}");
    expect(site.said).toHaveLength(length);
    expect(site.released).toEqual([id]);
    const localReason = "study.denied-without-reason {}";
    expect(site.records.study(id)).toMatchObject({ status: "refused", exchangeSecret: null, localReason });
    expect(await site.invited(sound)).toEqual(["refused REFUSED_BY_SITE"]);
  });

  it("needs two people again where the policy says so", async () => {
    await asking();
    site.policy("approvals: 2\n");
    expect(await site.approve("ada")).toBe("waiting for approval: first of two");
    expect(site.raised).toEqual([]);
    expect(await site.approve("bob")).toBe("waiting: second, after ada");
    expect(site.raised).toEqual([id]);
  });
});

describe("studies without an answer", () => {
  const limited = `${automatic}${anyVariant}maxUnanswered: 2\n`;
  const other = (k: number) => `other-${k}123456789` as StudyId;
  const joined = (of: StudyDocument, studyId: StudyId) =>
    site.invited(of, 60_000, studyId).then((said) => said[0]!.startsWith("joined"));
  const counted = (...tables: string[]) => site.records.unanswered(tables).map(({ name }) => name);

  it("are counted by population until a person decides, and the next waits", async () => {
    site.policy(limited);
    for (const k of [1, 2]) {
      expect(await joined(sound, other(k))).toBe(true);
      site.records.noteUnanswered(other(k), site.now++);
      // One study counts once, however often it fails.
      site.records.noteUnanswered(other(k), site.now++);
      site.records.end(other(k), "cancelled", site.now);
    }
    expect(counted("visits")).toEqual(["vitals", "vitals"]);
    expect([counted("stays"), counted("stays", "visits").length]).toEqual([[], 2]);
    expect(await site.invited(sound)).toEqual(["awaiting approval"]);
    site.now++;
    await site.approve();
    expect(site.records.unanswered(["visits"]).map((one) => one.id)).toEqual([id]);
    expect(await joined(sound, other(3))).toBe(true);
    expect(counted("visits")).toHaveLength(2);
  });

  it("count again where they fail again after a person's decision", async () => {
    site.policy(limited);
    for (const k of [1, 2]) {
      expect(await joined(sound, other(k))).toBe(true);
      site.records.noteUnanswered(other(k), site.now++);
      site.records.setStatus(other(k), "waiting");
    }
    expect(await site.invited(sound)).toEqual(["awaiting approval"]);
    site.now++;
    await site.approve();
    expect(site.records.unanswered(["visits"]).map((one) => one.id)).toEqual([id]);
    site.now++;
    for (const k of [1, 2]) site.records.noteUnanswered(other(k), site.now++);
    expect(counted("visits")).toHaveLength(3);
  });

  it("leave with a decision where an aggregator that was lost never ends them", async () => {
    site.policy(limited);
    for (const k of [1, 2]) expect(await joined(sound, other(k))).toBe(true);
    site.now += 31 * 86_400_000;
    expect(counted("visits")).toHaveLength(2);
    expect(await site.invited(sound)).toEqual(["awaiting approval"]);
    site.now++;
    await site.approve();
    expect(site.records.unanswered(["visits"]).map((one) => one.id)).toEqual([id]);
  });

  it("are those that have joined and not answered, too, however many are offered at once", async () => {
    site.policy(limited);
    await Promise.all(Array.from({ length: 20 }, (_, k) => site.invited(sound, 60_000, other(k))));
    const came = site.said;
    expect(came.filter((one) => one.startsWith("joined"))).toHaveLength(2);
    expect(came.filter((one) => one === "awaiting approval")).toHaveLength(18);
    expect(counted("visits")).toHaveLength(2);
    // A person's decision on a third leaves the two that run counted; an answer of one makes room for one.
    await site.joining.approve(other(5), {
      by: "ada",
      inPlaceOf: null,
      shown: null,
      facts: async () => null,
    });
    expect(counted("visits")).toHaveLength(3);
    const hash = "a".repeat(64) as Sha256;
    const answer = { kind: "sum", inputHash: hash, post: null, bytes: 8, sha256: hash } as const;
    for (const k of [0, 5]) site.records.saveAnswer(other(k), "sum" as StageId, 1, answer, site.now, null);
    expect(await joined(sound, other(30))).toBe(true);
    expect(await joined(sound, other(31))).toBe(false);
  });

  it("would all be joined at once, were those alone counted that have ended", async () => {
    site.policy(limited);
    const { records } = site;
    const all = records.unanswered.bind(records);
    vi.spyOn(records, "unanswered").mockImplementation((tables) =>
      all(tables).filter((one) => records.study(one.id)!.endedAt !== null),
    );
    await Promise.all(Array.from({ length: 20 }, (_, k) => site.invited(sound, 60_000, other(k))));
    expect(site.said.filter((one) => one.startsWith("joined"))).toHaveLength(20);
  });

  it("are those that were refused after the table was read, and not before", async () => {
    site.policy(limited);
    site.tableFault = new ConsiliumError("LEVEL_UNDECLARED", "a level");
    await site.invited(document(), 60_000, other(1));
    expect(counted("visits")).toHaveLength(1);
    await site.invited(document({ privacy: { epsilon: 20, delta: 1e-5 } }), 60_000, other(2));
    expect(counted("visits")).toHaveLength(1);
  });

  it("are none any more once something was charged for them", async () => {
    site.policy(limited);
    await site.invited(sound);
    site.records.noteUnanswered(id, site.now);
    const hash = "a".repeat(64) as Sha256;
    const answer = { inputHash: hash, post: null, bytes: 8, sha256: hash };
    site.records.saveAnswer(id, "deal" as StageId, 1, { ...answer, kind: "exchange" }, site.now, null);
    expect(counted("visits")).toHaveLength(1);
    site.records.saveAnswer(id, "sum" as StageId, 1, { ...answer, kind: "sum" }, site.now, null);
    expect(counted("visits")).toEqual([]);
  });
});
