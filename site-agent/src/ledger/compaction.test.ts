import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { isSame } from "@consilium/gate/account";
import { createLogger } from "@consilium/runtime/log";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  cost,
  insert,
  restored,
  spend,
  testLedger,
  testOwner,
  unbounded,
  unitEvent,
} from "../../testing/ledger/ledger.js";
import { unresolvedTables } from "../data/tableSources.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { SiteRecords } from "../studies/records.js";
import { Anchors } from "./anchors.js";
import { archivedOf } from "./archived.js";
import { archiveFolder, joinArchives } from "./archives.js";
import { compacted, cutOf } from "./compaction.js";
import { EgressLog } from "./egressLog.js";
import type { SignedEntry } from "./entry.js";
import { readExport } from "./exported.js";
import { exportText } from "./exportText.js";
import type { Ledger } from "./ledger.js";
import { storedEntries } from "./ledger.js";
import { reportOn } from "./report.js";
import { egressNow, type LedgerContext, ledgerNow, seriesNow, verified } from "./requests.js";
import { populationViews } from "./views.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-compaction-"));
  await writeFile(
    join(folder, policyFileName),
    "populations:\n  default: {epsilon: 1, delta: 1.0e-6}\n  children: {tables: [wards], epsilon: 0.5, delta: 1.0e-6}\n",
  );
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Made = ReturnType<typeof testLedger>;

function contextOf({ ledger, store, owner }: Made): LedgerContext {
  return {
    ledger,
    anchors: new Anchors(folder),
    records: new SiteRecords(store),
    egress: new EgressLog(store),
    policy: new PolicyFile(join(folder, policyFileName)),
    knownTables: unresolvedTables([]),
    stateFolder: folder,
    fingerprint: () => sha256(owner.signingPublicKey),
    now: () => 2_000_000_000_000,
    log: createLogger({ service: "test", level: "error", stream: { write: () => undefined } }),
  };
}

const everything = 1_900_000_000_000;
const compact = (made: Made, before = everything) => compacted(contextOf(made), { before, dryRun: false });

/** Just after an entry. */
const after = (ledger: Ledger, sequence: number) =>
  ledger.entries().find(({ entry }) => entry.sequence === sequence)!.entry.at + 1;

const archivePaths = async () =>
  (await readdir(join(folder, archiveFolder))).map((name) => join(folder, archiveFolder, name));

describe("a compaction", () => {
  it("moves entries of ended studies and keeps every total, head and position", async () => {
    const made = testLedger();
    const { ledger, store } = made;
    spend(ledger, "a-0123456789", 3);
    spend(ledger, "b-0123456789", 5, "children");
    const middle = ledger.anchor();
    const position = `3:${ledger.hashOf(3)}`;
    spend(ledger, "c-0123456789", 7);
    const whole = [...ledger.entries()];
    const before = { view: ledgerNow(contextOf(made)).populations, bookings: ledger.totals.bookings() };

    const done = await compact(made, after(ledger, 5));

    expect(done).toMatchObject({ entries: 5, kept: 3, checkpoint: 8, heldBy: null });
    expect(storedEntries(store).map(({ sequence }) => sequence)).toEqual([6, 7, 8]);
    expect(ledger.totals.bookings()).toEqual(before.bookings);
    expect(ledgerNow(contextOf(made)).populations).toEqual(before.view);
    expect(ledger.entries().slice(0, 2)).toEqual(whole.slice(5));
    // Opened again, it is the same ledger.
    expect(made.open().totals.bookings()).toEqual(before.bookings);
    expect(ledger.accept(middle)).toBe(true);
    const report = await verified(contextOf(made), [position]);
    expect(report).toMatchObject({
      entries: 8,
      verifiedFrom: 1,
      archives: [{ from: 1, to: 5, state: "verified" }],
    });
    expect(report.anchors.every(({ state }) => state === "held")).toBe(true);
    expect(report.anchors).toHaveLength(2);
    const [series] = await seriesNow(contextOf(made));
    expect(series!.points[0]!.entry).toBe(5);
  });

  it("keeps what was signed of the studies that it archives, which nobody signs again", async () => {
    const made = testLedger();
    const { ledger } = made;
    spend(ledger, "a-0123456789", 3);
    const statement = sha256("what it came to");
    ledger.sign("a-0123456789", statement);
    await compact(made);
    expect(ledger.entries().map(({ entry }) => entry.kind)).toEqual(["open"]);
    for (const one of [ledger, made.open()]) {
      expect(one.totals.statementOf("a-0123456789")).toBe(statement);
      expect(() => one.sign("a-0123456789", sha256("another"))).toThrow("signed before");
    }
    // A second compaction carries it on.
    spend(ledger, "b-0123456789", 1);
    await compact(made);
    expect(made.open().totals.statementOf("a-0123456789")).toBe(statement);
  });

  it("archives nothing of a study that has not ended, holds a reservation, or has later entries", async () => {
    const made = testLedger();
    const { ledger } = made;
    const records = new SiteRecords(made.store);
    spend(ledger, "a-0123456789", 1);
    ledger.reserve({
      study: "b-0123456789",
      population: "default",
      limit: null,
      stages: [cost("x", unitEvent(1))],
    });
    spend(ledger, "c-0123456789", 1);
    const study = "b-0123456789";
    expect(await compact(made)).toMatchObject({ entries: 3, heldBy: { study, isUnderWay: true } });
    ledger.release(study);
    const between = after(ledger, 5);
    expect(await compact(made, between)).toMatchObject({ entries: 0, heldBy: { study, isUnderWay: false } });
    records.join(
      { id: study as StudyId, hash: sha256("b"), text: "{}", name: "b" },
      {
        contentHash: sha256("c"),
        rows: 1,
        exchangeKey: new Uint8Array(32),
        joinSignature: new Uint8Array(64),
        exchangeSecret: new Uint8Array(9),
      },
      1,
    );
    expect(await compact(made)).toMatchObject({ entries: 0, heldBy: { study, isUnderWay: true } });
    records.end(study as StudyId, "cancelled", 2);
    expect(await compact(made)).toMatchObject({ heldBy: null, checkpoint: 9 });
    expect(ledger.entries()).toHaveLength(1);
  });

  it("changes nothing when it is only tried, and refuses a date in the future", async () => {
    const made = testLedger();
    spend(made.ledger, "a-0123456789", 1);
    const stored = storedEntries(made.store);
    const tried = await compacted(contextOf(made), { before: everything, dryRun: true });
    expect(tried).toMatchObject({ entries: 3, checkpoint: null, archive: { from: 1, to: 3 } });
    expect(storedEntries(made.store)).toEqual(stored);
    await expect(archivePaths()).rejects.toThrow();
    await expect(
      compacted(contextOf(made), { before: 3_000_000_000_000, dryRun: true }),
    ).rejects.toMatchObject({ code: "FIELD_INVALID" });
    expect(await compact(testLedger())).toMatchObject({ entries: 0, archive: null });
  });

  it("leaves the whole ledger when it ends before its transaction, and takes up the archive again", async () => {
    const made = testLedger();
    spend(made.ledger, "a-0123456789", 1);
    const stored = storedEntries(made.store);
    const stopped = {
      ...contextOf(made),
      records: {
        study: () => null,
        transaction: () => {
          throw new Error("killed");
        },
      } as unknown as SiteRecords,
    };
    await expect(compacted(stopped, { before: everything, dryRun: false })).rejects.toThrow("killed");
    expect(storedEntries(made.store)).toEqual(stored);
    expect(await archivePaths()).toHaveLength(1);

    // A transaction that is rolled back after the entries were removed.
    const records = new SiteRecords(made.store);
    const rolledBack = {
      study: () => null,
      transaction: (work: () => unknown) =>
        records.transaction(() => {
          work();
          throw new Error("rolled back");
        }),
    } as unknown as SiteRecords;
    const late = { ...contextOf(made), records: rolledBack };
    await expect(compacted(late, { before: everything, dryRun: false })).rejects.toThrow("rolled back");
    expect(made.ledger.entries()).toHaveLength(3);
    expect(storedEntries(made.store)).toEqual(stored);

    expect(await compact(made)).toMatchObject({ entries: 3, checkpoint: 4 });
    expect(await archivePaths()).toHaveLength(1);
  });

  it("does not change what is spent, left or refused, for any history and any points (property)", async () => {
    // Few costs, for their exact ρ takes the longest; their sums need every bit.
    const units = fc.constantFrom(1, 3, 7, 1_001);
    const spending = {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("spend" as const),
        units,
        population: fc.constantFrom("default", "children", "gone"),
        sources: fc.subarray([sha256("x").slice(0, 16), sha256("y").slice(0, 16)]),
        unit: fc.constantFrom("row" as const, "patient" as const),
        factor: fc.constantFrom(1, 3, 25),
      }),
    };
    const other = <T>(weight: number, kind: T) => ({
      weight,
      arbitrary: fc.record({ kind: fc.constant(kind) }),
    });
    const operation = fc.oneof(
      spending,
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("compact" as const), back: fc.nat(9) }) },
      other(1, "unproved" as const),
      other(1, "leave open" as const),
      other(2, "close" as const),
    );
    // Writes no anchors, which other tests do.
    const quick = (made: Made) => ({
      ...contextOf(made),
      anchors: { keep: async () => {} } as unknown as Anchors,
    });
    let compactions = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 8, maxLength: 20 }), async (operations) => {
        const owner = testOwner();
        const [plain, made] = [testLedger(owner), testLedger(owner)];
        const heads = [made.ledger.anchor()];
        let open: string[] = [];
        for (const [index, one] of operations.entries()) {
          const study = `study-${index}-0123456789`;
          if (one.kind === "compact") {
            const entries = made.ledger.entries();
            const done = await compacted(quick(made), {
              before: entries.at(-1 - (one.back % entries.length))!.entry.at + 1,
              dryRun: false,
            });
            if (done.checkpoint !== null) compactions++;
            heads.push(made.ledger.anchor());
            continue;
          }
          for (const { ledger } of [plain, made]) {
            if (one.kind === "close") for (const each of open) ledger.release(each);
            else if (one.kind === "unproved" || one.kind === "leave open") {
              const event = one.kind === "unproved" ? unbounded : unitEvent(3);
              ledger.reserve({ study, population: "default", limit: null, stages: [cost("only", event)] });
              if (one.kind === "unproved") ledger.commit(study, "only", 1);
            } else {
              const { units, population, sources, unit, factor } = one;
              const stages = ["a", "b"].map((stage) => ({ ...cost(stage, unitEvent(units)), factor }));
              ledger.reserve({ study, population, limit: null, sources, unit, stages });
              ledger.commit(study, "a", 1);
              ledger.commit(study, "b", 1);
            }
          }
          if (one.kind === "close") open = [];
          if (one.kind === "leave open") open.push(study);
          heads.push(made.ledger.anchor());
        }
        expect(made.ledger.totals.bookings()).toEqual(plain.ledger.totals.bookings());
        expect(made.ledger.totals.reservations()).toEqual(plain.ledger.totals.reservations());
        const { policy, knownTables } = contextOf(made);
        const views = [plain, made].map(({ ledger }) =>
          populationViews(ledger, unwrap(policy.read()), knownTables),
        );
        expect(views[1]).toEqual(views[0]);
        const asked = ({ ledger }: Made) => {
          try {
            const limit = { epsilon: 1, delta: 1e-6 };
            ledger.reserve({
              study: "asked",
              population: "default",
              limit,
              stages: [cost("x", unitEvent(500))],
            });
            return "reserved";
          } catch (thrown) {
            return String(thrown);
          }
        };
        expect(asked(made)).toBe(asked(plain));
        // Every head that was ever given out is held, by the ledger itself and after a start.
        const again = made.open();
        for (const head of heads) expect(again.accept(head)).toBe(true);
        expect(again.behind).toBeNull();
        const report = await verified(contextOf(made), []);
        expect(report.verifiedFrom).toBe(1);
        expect(report.entries).toBe(again.entries().at(-1)!.entry.sequence);
        await rm(join(folder, archiveFolder), { recursive: true, force: true });
        await rm(join(folder, "ledger-anchor.json"), { force: true });
      }),
      { numRuns: 5 },
    );
    expect(compactions).toBeGreaterThan(1);
  });
});

describe("a compacted ledger", () => {
  /** Compacted twice: entries 1 to 3, and 4 to 7. */
  async function twice() {
    const made = testLedger();
    const { ledger } = made;
    spend(ledger, "a-0123456789", 1);
    await compact(made);
    spend(ledger, "b-0123456789", 2);
    const at = after(ledger, 6);
    spend(ledger, "c-0123456789", 4);
    await compact(made, at);
    return made;
  }

  it("is verified from its checkpoint where archives are missing, and says so", async () => {
    const made = await twice();
    const context = contextOf(made);
    const paths = (await archivePaths()).sort();
    expect(await verified(context, [])).toMatchObject({ entries: 9, verifiedFrom: 1 });
    await rename(paths[0]!, join(folder, "elsewhere.jsonl"));
    const position = `2:${"0".repeat(16)}`;
    const partly = await verified(context, [position]);
    expect(partly).toMatchObject({ entries: 6, verifiedFrom: 4 });
    expect(partly.archives.map(({ state }) => state)).toEqual(["missing", "verified"]);
    // A wrong position is found without the archive.
    expect(partly.anchors.at(-1)).toMatchObject({ state: "missing" });
    await rename(paths[1]!, join(folder, "later.jsonl"));
    expect(await verified(context, [])).toMatchObject({ entries: 3, verifiedFrom: 7 });
    // Given by hand, from wherever they are.
    const given = [join(folder, "elsewhere.jsonl")];
    const states = joinArchives(made.ledger.entries(), { stateFolder: folder, given }).archives;
    expect(states.map(({ state }) => state)).toEqual(["unchanged", "missing"]);
  });

  it("refuses an archive that was changed, and a checkpoint that says something else than its archive", async () => {
    const made = await twice();
    const { ledger, owner, store } = made;
    const [path] = (await archivePaths()).sort();
    const text = await readFile(path!, "utf8");
    await writeFile(path!, text.replace('"rho":', '"rho": '));
    await expect(verified(contextOf(made), [])).rejects.toMatchObject({ code: "LEDGER_BROKEN" });
    await writeFile(path!, text);
    const joined = joinArchives(ledger.entries(), { stateFolder: folder, given: [] }).entries;
    const fingerprint = sha256(owner.signingPublicKey);
    expect(reportOn(joined, { fingerprint, kept: [] }).ok).toBe(true);

    // Its own site signs a checkpoint with less: the archive shows it.
    const other = testLedger(owner, undefined);
    other.store.run("DELETE FROM ledger");
    for (const {
      text: entry,
      entry: { sequence },
      hash,
      signature,
    } of joined.slice(0, 3))
      insert(other.store, { sequence, text: entry, hash, signature });
    const forged = other.open();
    const honest = archivedOf(ledger.entries())!;
    const through = { sequence: 3, hash: joined[2]!.hash, at: joined[2]!.entry.at };
    const marks = [
      {
        from: 1,
        hashes: joined
          .slice(0, 3)
          .map(({ hash }) => hash.slice(0, 16))
          .join(""),
      },
    ];
    const [spent] = honest.spent;
    forged.archive({
      ...honest,
      through,
      marks,
      files: honest.files.slice(0, 1),
      studies: honest.studies.slice(0, 1),
      spent: [{ ...spent!, rho: spent!.rho / 8 }],
    });
    const whole = joinArchives(forged.entries(), { stateFolder: folder, given: [] }).entries;
    const refused = reportOn(whole, { fingerprint, kept: [] });
    expect(refused).toMatchObject({ ok: false, error: { code: "LEDGER_BROKEN" } });
    expect(String(refused.ok || refused.error.message)).toContain("its spent are not those");
    expect(store).toBeDefined();
  });

  it("has no live entry changed, removed or put in unnoticed", async () => {
    const made = await twice();
    const rows = storedEntries(made.store);
    const opened = (changed: typeof rows) => {
      const copy = restored(made);
      copy.store.run("DELETE FROM ledger");
      for (const row of changed) insert(copy.store, row);
      return copy.open();
    };
    expect(opened(rows).totals.bookings()).toEqual(made.ledger.totals.bookings());
    for (let index = 0; index < rows.length; index++)
      expect(() => {
        const ledger = opened(rows.filter((_, at) => at !== index));
        // Without the newest entry, the checkpoint, nothing says what the first one follows.
        ledger.entries();
      }).toThrow(expect.objectContaining({ code: "LEDGER_BROKEN" }));
  });

  it("is exported, and with its archives before it is the export of the whole", async () => {
    const made = await twice();
    const { ledger, owner } = made;
    const fingerprint = sha256(owner.signingPublicKey);
    const text = exportText({ entries: ledger.entries(), head: ledger.signedHead() });
    const alone = unwrap(readExport(text));
    expect(reportOn(alone.entries, { fingerprint, kept: [{ from: "x", head: alone.head }] })).toMatchObject({
      value: { verifiedFrom: 7, anchors: [{ state: "held" }] },
    });
    const paths = (await archivePaths()).sort();
    const archives = await Promise.all(paths.map((path) => readFile(path, "utf8")));
    const { entries } = unwrap(readExport([...archives, text].join("")));
    expect(reportOn(entries, { fingerprint, kept: [] })).toMatchObject({
      value: { verifiedFrom: 1, entries: 9 },
    });
  });

  it("charges an older copy that is behind it, restored from before or after a compaction", async () => {
    const made = testLedger();
    spend(made.ledger, "a-0123456789", 1);
    const early = restored(made);
    await compact(made);
    spend(made.ledger, "b-0123456789", 2);
    const late = restored(made);
    spend(made.ledger, "c-0123456789", 4);
    const anchor = made.ledger.anchor();
    for (const copy of [early, late]) {
      expect(copy.ledger.accept(anchor)).toBe(false);
      expect(() => spend(copy.ledger, "d-0123456789", 1)).toThrow(
        expect.objectContaining({ code: "LEDGER_BEHIND" }),
      );
      await expect(compact(copy)).rejects.toMatchObject({ code: "LEDGER_BEHIND" });
      copy.ledger.reconcile();
      const sum = ({ ledger }: Pick<Made, "ledger">) =>
        ledger.totals.bookings().reduce((all, { rho }) => all + rho, 0);
      expect(sum(copy)).toBe(sum(made));
      expect(copy.ledger.accept(anchor)).toBe(true);
      // And it is compacted in turn: the head that was reconciled with stays known.
      spend(copy.ledger, "e-0123456789", 1);
      const before = copy.ledger.totals.bookings();
      await compact(copy);
      expect(copy.ledger.totals.bookings()).toEqual(before);
      const again = copy.open();
      expect(again.accept(anchor)).toBe(true);
      expect(again.verify().ok).toBe(true);
    }
  });

  it("keeps a reconciliation together with what its charge was computed from", async () => {
    const made = testLedger();
    spend(made.ledger, "a-0123456789", 1);
    const copy = restored(made);
    spend(made.ledger, "b-0123456789", 2);
    spend(copy.ledger, "c-0123456789", 4);
    spend(copy.ledger, "d-0123456789", 4);
    expect(copy.ledger.accept(made.ledger.anchor())).toBe(false);
    copy.ledger.reconcile();
    const entries: readonly SignedEntry[] = copy.ledger.entries();
    // A clock that always rises, so that each entry can be the point.
    const timed = entries.map((signed, at) => ({ ...signed, entry: { ...signed.entry, at } }));
    const cuts = timed.map((_, before) => cutOf(timed, { before, isUnderWay: () => false }).entries);
    // Openings alone are not archived; between entry 3 and the reconciliation, the eighth, nothing is cut.
    expect(cuts).toEqual([0, 0, 0, 3, 3, 3, 3, 3]);
    expect(cutOf(entries, { before: everything, isUnderWay: () => false }).entries).toBe(8);
    await compact(copy, entries[6]!.entry.at);
    expect(copy.open().verify().ok).toBe(true);
  });

  it("shows what archived messages cost while the archive is there", async () => {
    const made = testLedger();
    const context = contextOf(made);
    spend(made.ledger, "a-0123456789", 1);
    context.egress.record({
      at: 1,
      study: "a-0123456789" as StudyId,
      step: "only",
      what: "masked vector",
      whom: "the aggregator",
      bytes: 8,
      sha256: sha256("m"),
      charge: 3,
      isRoutine: false,
    });
    const before = await egressNow(context);
    await compact(made);
    expect(await egressNow(context)).toEqual(before);
    await rm(join(folder, archiveFolder), { recursive: true });
    expect((await egressNow(context))[0]!.charge).toBeNull();
    expect(
      isSame(archivedOf(made.ledger.entries())!.studies, [
        { study: "a-0123456789", rho: 2 ** -10, unbounded: 0 },
      ]),
    ).toBe(true);
  });
});
