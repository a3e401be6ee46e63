/**
 * Two aggregators on one PostgreSQL database: the active one is killed, stopped, paused and cut off at every step of
 * studies, the other one continues them. CONSILIUM_FAILOVERS says how often; the gate has one of each kind, and
 * aggregator/src/standby/takeover.test.ts takes over before every write of a sum.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import { inGate } from "@consilium/core/testing/wholeRun";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { computedStages, egressOf, studyOf } from "../support/faultFederation.js";
import { limitByProgress } from "../support/limitByProgress.js";
import { leaseMs, type PairedAggregator, StandbyFederation } from "../support/standbyFederation.js";

limitByProgress();

const rows = { north: 900, east: 600, south: 800 };
const sites = Object.keys(rows);
const programs = postgresPrograms();
const failoversWanted = Number(process.env.CONSILIUM_FAILOVERS ?? inGate(5, { whole: 10 }));

/** How an active aggregator is lost. */
const losses = ["killed", "cut from the database", "paused", "cut from all", "stopped"] as const;
type Loss = (typeof losses)[number];

describe.skipIf(programs === null)("an aggregator with a standby", () => {
  let server: TestPostgres;
  let paired: StandbyFederation;
  beforeAll(async () => {
    server = await TestPostgres.start(programs!);
    paired = await StandbyFederation.create(server, rows);
    auditWrites();
  });
  afterAll(async () => {
    await paired?.remove();
    await server?.remove();
  });

  /** Has the database write down which epoch each statement that writes was under, in their order. */
  function auditWrites(): void {
    server.psql("CREATE TABLE public.writes (id BIGSERIAL PRIMARY KEY, epoch BIGINT NOT NULL)");
    server.psql(`CREATE FUNCTION public.audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.writes (epoch) VALUES (current_setting('consilium.epoch')::bigint); RETURN NULL; END $$`);
    for (const [table] of paired.rows(
      "SELECT relname FROM pg_class c WHERE relnamespace = 'aggregator'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'consilium%'",
    ))
      server.psql(
        `CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON aggregator.${table} FOR EACH STATEMENT EXECUTE FUNCTION public.audit()`,
      );
  }

  /** By the database: no statement of an epoch after one of a later epoch. */
  const lateWrites = () =>
    paired.rows(
      "SELECT id FROM (SELECT id, epoch, max(epoch) OVER (ORDER BY id) AS newest FROM public.writes) w WHERE epoch < newest",
    );

  const until = <T>(what: string, probe: () => Promise<T | null> | T | null) => paired.until(what, probe);

  async function start(study: object): Promise<string> {
    return until("the study to start", async () => {
      const answer = await paired.api(paired.holder!, "/api/studies", {
        method: "POST",
        headers: { "content-type": "application/yaml" },
        body: stringify(study),
      });
      return answer.status === 201 ? ((await answer.json()) as StudyView).id : null;
    });
  }

  const eventsOf = (study: string) =>
    Number(paired.rows(`SELECT count(*) FROM aggregator.events WHERE study = '${study}'`)[0]![0]);
  const statusOf = (study: string) =>
    paired.rows(`SELECT status, failure_code FROM aggregator.studies WHERE id = '${study}'`)[0]!;

  /** The active one is lost, the other one takes over, and the lost one stands by again. */
  async function failOver(loss: Loss): Promise<void> {
    const active = await until("one to be active", () => paired.holder);
    const { member } = active;
    paired.down.add(member);
    const other = paired.other(active);
    const logged = (await member.log()).length;
    switch (loss) {
      case "killed":
        await member.stop("SIGKILL");
        break;
      case "stopped":
        await member.stop("SIGTERM");
        break;
      case "paused":
        process.kill(member.pid!, "SIGSTOP");
        break;
      case "cut from all":
        active.fromSites.cut();
        active.toStore.cut();
        break;
      case "cut from the database":
        active.toStore.cut();
    }
    await until(`${other.name} to take over (${loss})`, () =>
      paired.holder?.name === other.name ? true : null,
    );
    if (loss === "paused") process.kill(member.pid!, "SIGCONT");
    await until(`${active.name} to end (${loss})`, () => (member.running ? null : true));
    if (loss !== "killed" && loss !== "stopped") {
      expect(member.exitCode, loss).toBe(1);
      expect((await member.log()).slice(logged), loss).toMatch(/STORE_FENCED|STORE_LOST|UNREACHABLE/);
    }
    active.toStore.heal();
    active.fromSites.heal();
    await member.start();
    paired.down.delete(member);
    await until("the active one to serve", async () =>
      (await paired.api(paired.holder!, "/readyz")).ok ? true : null,
    );
  }

  async function ended(study: string): Promise<StudyView> {
    const [status, code] = await until(`study ${study} to end`, () => {
      const found = statusOf(study);
      return ["released", "failed", "cancelled"].includes(found[0]!) ? found : null;
    });
    expect([status, code]).toEqual(["released", null]);
    return until("the study's view", async () => {
      const answer = await paired.api(paired.holder!, `/api/studies/${study}`);
      return answer.ok ? ((await answer.json()) as StudyView) : null;
    });
  }

  async function expectOneAnswerEach(study: string): Promise<void> {
    for (const site of sites) {
      const member = paired.federation.site(site);
      const hashes = new Map<string, Set<string>>();
      for (const entry of await egressOf(member)) {
        if (entry.study !== study) continue;
        const key = `${site}, ${entry.step}: ${entry.what}`;
        hashes.set(key, (hashes.get(key) ?? new Set()).add(entry.sha256));
      }
      expect(hashes.size).toBeGreaterThanOrEqual(4);
      expect([...hashes].filter(([, different]) => different.size > 1)).toEqual([]);
      expect(new Set((await computedStages(member, study)).values()), site).toEqual(new Set([1]));
    }
  }

  /** Without what differs from run to run: a sum in floating point over shuffled rows, and the seed of synthetic ones. */
  const model = async (view: StudyView) =>
    (await paired.federation.released(view, "model.json")).replace(/"(capturedEnergy|seed)": .*/g, "");

  /** Sums masked by pairs, and one masked by a dealer with rows after it: all that an aggregator stores. */
  const shared = { phaseDeadline: "10m", sites };
  const studies: readonly (readonly [string, object])[] = [
    ["dealt", studyOf({ name: "dealt", ...shared })],
    ["pairwise", { ...studyOf({ name: "pairwise", ...shared }), method: "dp-pca", variant: "sound" }],
  ];

  it("says which one is active", async () => {
    const metrics = async (of: PairedAggregator) => (await paired.api(of, "/metrics")).text();
    const json = async (of: PairedAggregator, path: string) => {
      const answer = await paired.api(of, path);
      return [answer.status, await answer.json()];
    };
    const lease = (active: boolean, holder: string) => [
      200,
      expect.objectContaining({ active, holder, fault: null }),
    ];
    // The standby looks again within a tenth of the lease; a busy machine may take longer.
    await until("both to say it", async () => {
      const active = paired.holder!;
      const standby = paired.other(active);
      expect(await json(active, "/leasez")).toEqual(lease(true, active.name));
      expect(await json(standby, "/leasez")).toEqual(lease(false, active.name));
      expect(await json(active, "/readyz")).toEqual([200, { ok: true }]);
      expect(await json(standby, "/readyz")).toEqual([503, { ok: false, code: "AGGREGATOR_STANDBY" }]);
      const refusal = expect.objectContaining({ code: "AGGREGATOR_STANDBY" });
      expect(await json(standby, "/api/studies")).toEqual([503, refusal]);
      expect(await metrics(active)).toMatch(/^consilium_aggregator_active\{.*\} 1$/m);
      expect(await metrics(standby)).toMatch(/^consilium_aggregator_active\{.*\} 0$/m);
      return true;
    });
  });

  it("is taken over from at every step, and every study ends as if it had not been", async () => {
    const undisturbed = new Map<string, { model: string; events: number }>();
    for (const [name, study] of studies) {
      const id = await start(study);
      const view = await ended(id);
      undisturbed.set(name, { model: await model(view), events: eventsOf(id) });
      await expectOneAnswerEach(id);
    }
    let done = 0;
    const perStudy = Math.min(5, Math.ceil(failoversWanted / studies.length));
    for (let round = 0; done < failoversWanted; round++) {
      const [name, study] = studies[round % studies.length]!;
      const before = undisturbed.get(name)!;
      const id = await start(study);
      for (let n = 0; n < perStudy && done < failoversWanted; n++) {
        // Other events in every round, until each of them was the last before a failover.
        const after = 1 + ((n * Math.ceil(before.events / perStudy) + round) % before.events);
        await until(`event ${after} of ${id}`, () =>
          eventsOf(id) >= after || statusOf(id)[0] === "released" ? true : null,
        );
        await failOver(losses[done % losses.length]!);
        done++;
      }
      const view = await ended(id);
      expect(await model(view), `${name}, round ${round}`).toBe(before.model);
      await expectOneAnswerEach(id);
      await paired.federation.verify(view);
    }
    expect(lateWrites()).toEqual([]);
    const epochs = paired.rows("SELECT DISTINCT epoch FROM public.writes ORDER BY epoch");
    expect(epochs.length).toBeGreaterThan(done / 2);
    expect(leaseMs).toBeLessThan(20_000);
  });

  it("is found by a site whose invitation names the one that stands by first", async () => {
    const active = await until("one to be active", () => paired.holder);
    const { local } = paired.federation;
    const { http } = await active.member.addresses();
    const asOperator = ["--aggregator", `http://${http}`];
    const { token } = JSON.parse(
      (await local.cliOrThrow("invite", "west", ...asOperator, "--json")).stdout,
    ) as {
      token: string;
    };
    await failOver("stopped");
    const state = join(paired.federation.home, "west");
    await local.cliOrThrow("site", "enroll", "--token", token, "--state", state);
    const others = [active, paired.other(active)].map(({ fromSites }) => `127.0.0.1:${fromSites.port}`);
    const config = parse(await readFile(join(state, "config.yaml"), "utf8")) as Record<string, unknown>;
    expect([config.aggregator, config.standbys]).toEqual([others[0], [others[1]]]);
  });
});
