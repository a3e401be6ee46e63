import { ConsiliumError } from "@consilium/core/errors";
import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { spokenFormats } from "@consilium/core/limits";
import { type Method, namesOf } from "@consilium/core/method/method";
import { Methods } from "@consilium/core/method/methods";
import type { SiteView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import type { Retired } from "@consilium/core/study/retired";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import { english } from "@consilium/runtime/http/spoken";
import { afterEach, describe, expect, it, vi } from "vitest";
import { smallStudy as study } from "../../testing/operator-api/study.js";
import { testIdentity, testRegistry } from "../../testing/roster/registry.js";
import { shownResultStep } from "../release/shownResult.js";
import { DisplacedKeys } from "../roster/displacedKeys.js";
import { EventSampler } from "../roster/eventSampler.js";
import { Presence, turnedAwayView } from "../roster/presence.js";
import { StudyRecords } from "../rounds/records.js";
import { Studies } from "../rounds/studies.js";
import { StudyPlans } from "../rounds/studyPlans.js";
import { OperatorConsole } from "./console.js";

const now = 1_000_000;
const siteIds = ["a-one", "b-two", "c-three"] as SiteId[];
const hash = (digit: string) => digit.repeat(64) as Sha256;

function consoleOf(
  enrolled: readonly SiteId[],
  { retired = [], methods = allMethods }: { retired?: readonly Retired[]; methods?: Methods } = {},
) {
  const { store, registry, invitations, invite } = testRegistry();
  const presence = new Presence(() => now);
  const records = new StudyRecords(store);
  enrolled.forEach((site, index) => {
    invite(site, hash(String(index + 1)), now + 1, "refuse", now);
    const identity = testIdentity(hash("e"));
    unwrap(invitations.enrol(hash(String(index + 1)), identity, { from: "10.0.0.9", now }));
  });
  const displaced = new DisplacedKeys(
    new EventSampler(
      () => undefined,
      () => now,
    ),
    () => now,
  );
  const context = {
    records,
    plans: new StudyPlans(methods, retired),
    presence,
    now: () => now,
    disk: { demand: () => undefined },
  };
  const studies = new Studies(context as never, registry, () => false);
  const sites = () =>
    registry
      .sites()
      .map(
        ({ id, fingerprint }) =>
          ({ id, presence: "gone", signingKeyFingerprint: fingerprint }) as unknown as SiteView,
      );
  const console = new OperatorConsole({
    studies,
    records,
    invitations,
    displaced,
    presence,
    sites,
    software: "0.1.0",
    now: () => now,
  });
  return { console, registry, invitations, displaced, invite, presence, records, studies };
}

const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (thrown) {
    return (thrown as ConsiliumError).code;
  }
  return "none";
};

afterEach(() => vi.useRealTimers());

describe("a study that is checked", () => {
  it("is told of with every fault, and no plan", async () => {
    const { console } = consoleOf(siteIds);
    const { issues, plan, parameters } = await console.check({ ...study, name: "Small", privacy: "nearly" });
    expect(issues.map(({ path }) => path)).toEqual(["name", "privacy"]);
    expect([plan, parameters]).toEqual([null, null]);
  });

  it("has its plan, and the sites that would be asked", async () => {
    const checked = await consoleOf(siteIds).console.check(study);
    expect(checked).toMatchObject({ issues: [], obstacle: null, sites: { asked: siteIds, online: 0 } });
    expect(checked.plan?.claim.verdict).toBe("proved");
  });

  it("has its parameters with what the file leaves out filled in", async () => {
    const { parameters } = await consoleOf(siteIds).console.check(study);
    expect(parameters).toMatchObject({ ...study.parameters, kappa: 0.5, ball: "auto" });
  });

  it("has a plan and is refused where its sites do not have its columns", async () => {
    const { console, registry } = consoleOf(siteIds);
    const columns = ["height", "weight"].map((name) => ({ name, type: "number" }));
    for (const site of siteIds) {
      const tables = [{ name: "people", columns, budget: null }];
      registry.greeted(site, { software: "0.1.0", speaks: null, admits: null, tables, clockSkewMs: 0 }, now);
    }
    expect((await console.check(study)).obstacle).toBeNull();
    const features = [study.features[0], { ...study.features[1], name: "wieght" }];
    const checked = await console.check({ ...study, features });
    expect(checked.issues).toEqual([]);
    expect(checked.obstacle).toContain('features[1].name: no column "wieght" in table people');
    expect(checked.plan).not.toBeNull();
  });

  it("is refused by the aggregator itself where what it rests on is retired", async () => {
    const entry = { method: "dp-pca", edition: 1, why: "its noise was too small" };
    const message = "dp-pca, edition 1 is retired: its noise was too small";
    const { console, studies, records } = consoleOf(siteIds, { retired: [entry] });
    expect((await console.check(study)).obstacle).toContain(message);
    const parsed = unwrap(parseStudy(study));
    expect(codeOf(() => studies.start(parsed))).toBe("STUDY_RETIRED");
    expect(records.underWay()).toEqual([]);
    const other = consoleOf(siteIds, { retired: [{ ...entry, edition: 2 }] });
    expect((await other.console.check(study)).obstacle).toBeNull();
  });

  it("has a plan although too few sites are enrolled, and says so", async () => {
    const checked = await consoleOf(siteIds.slice(0, 2)).console.check(study);
    expect(checked.plan).not.toBeNull();
    expect(english(checked.obstacle!)).toBe(
      "study small: 2 sites are enrolled, participation.minimumSites is 3. Invite more sites, or wait until they are online",
    );
  });
});

describe("a new study of a method that has several editions", () => {
  const methods = new Methods(
    allMethods.list.map(
      (one): Method => (namesOf(one).includes("dp-pca") ? { ...one, editions: [1, 2] } : one),
    ),
  );
  const four = [...siteIds, "d-four"] as SiteId[];
  const of = (newest: readonly number[], change: object = {}) => {
    const made = consoleOf(four, { methods });
    four.forEach((site, at) => {
      const edition = newest[at]!;
      const speaks = edition === 1 ? null : { ...spokenFormats, editions: { "dp-pca": edition } };
      made.registry.greeted(
        site,
        { software: "0.1.0", speaks, admits: null, tables: [], clockSkewMs: 0 },
        now,
      );
    });
    const written = { ...study, ...change };
    return { ...made, written, read: unwrap(made.studies.written(written)) };
  };

  it("is of the newest that as many sites speak as it needs, and says so", async () => {
    const { console, written, read } = of([2, 1, 2, 2]);
    expect(read.edition).toBe(2);
    const { plan, obstacle } = await console.check(written);
    expect(obstacle).toBeNull();
    expect(plan!.warnings).toContain('study.edition {"edition":2,"method":"dp-pca","newest":2}');
  });

  it("is of an older one where too few speak a newer, or one that it names", async () => {
    const { console, written, read } = of([2, 1, 2, 1]);
    expect(read.edition).toBeUndefined();
    expect((await console.check(written)).plan!.warnings).toContain(
      'study.edition {"edition":1,"method":"dp-pca","newest":2}',
    );
    const sites = siteIds;
    const participation = { ...study.participation, sites };
    expect(of([2, 1, 2, 2], { participation }).read.edition).toBeUndefined();
    expect(of([2, 2, 2, 1], { participation }).read.edition).toBe(2);
  });

  it("keeps the one that it names, is told which sites do not speak it, and refused where too few do", async () => {
    const message = 'study.edition-unspoken {"edition":2,"method":"dp-pca","more":0,"sites":["b-two"]}';
    const enough = of([2, 1, 2, 2], { edition: 2 });
    const { obstacle, plan } = await enough.console.check(enough.written);
    expect(obstacle).toBeNull();
    expect(plan!.warnings).toContain(`edition: ${message}; 3 of 4 sites can take part`);
    const participation = { ...study.participation, sites: siteIds };
    const { console, studies, written, read } = of([2, 1, 2, 2], { edition: 2, participation });
    expect((await console.check(written)).obstacle).toBe(`edition: ${message}`);
    expect(codeOf(() => studies.start(read))).toBe("STUDY_INVALID");
  });
});

describe("the overview", () => {
  it("says why a site was turned away, until it comes in", () => {
    const { presence } = consoleOf(siteIds);
    const site = siteIds[0]!;
    presence.turnAway(site, new ConsiliumError("PROTOCOL_VERSION", "upgrade the site"));
    expect(turnedAwayView(presence.turnedAway(site))).toMatchObject({ code: "PROTOCOL_VERSION" });
    expect(presence.presenceOf(site)).toBe("refused");
    const send = () => undefined;
    presence.connect({ site, chain: [], signingKey: new Uint8Array(), instance: "a", send, close: send });
    expect(presence.turnedAway(site)).toBeNull();
    expect(presence.presenceOf(site)).toBe("online");
  });

  it("shows that a replaced key still tries to connect", () => {
    const { console, displaced } = consoleOf(siteIds);
    expect(console.view().sites[0]?.displacedKey).toBeNull();
    displaced.note(siteIds[0]!, hash("d"), "10.0.0.9");
    expect(console.view().sites[0]?.displacedKey).toMatchObject({
      signingKeyFingerprint: hash("d"),
      from: "10.0.0.9",
      attempts: 1,
    });
  });

  it("tells a watcher of every change, and of none once it has left", () => {
    vi.useFakeTimers();
    const { console, presence } = consoleOf(siteIds);
    let changes = 0;
    const leave = console.subscribe(() => changes++);
    presence.emit("changed", siteIds[0]!);
    expect(changes).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(changes).toBe(2);
    leave();
    presence.emit("changed", siteIds[0]!);
    vi.advanceTimersByTime(60_000);
    expect(changes).toBe(2);
  });
});

describe("invitations", () => {
  it("are open, used or expired, and never shown with their tokens' hashes", () => {
    const { console, invite } = consoleOf(siteIds.slice(0, 1));
    invite("new" as SiteId, hash("8"), now + 5, "refuse", now);
    invite("late" as SiteId, hash("9"), now);
    const listed = console.invitations();
    expect(listed.map(({ site, state }) => `${site} ${state}`)).toEqual([
      "new open",
      "a-one used",
      "late expired",
    ]);
    expect(listed.every(({ id }) => id.length === 16)).toBe(true);
    expect(console.view().sites.find(({ id }) => id === "new")?.invitedUntil).not.toBeNull();
  });

  it("are taken back while nobody has used them, with the site that was invited", () => {
    const { console, registry, invitations, invite } = consoleOf(siteIds.slice(0, 1));
    invite("new" as SiteId, hash("8"), now + 5, "refuse", now);
    console.withdraw(hash("8").slice(0, 16), "anna");
    expect(registry.sites().map(({ id }) => id)).toEqual(["a-one"]);
    expect(invitations.peek(hash("8")).ok).toBe(false);
    expect(codeOf(() => console.withdraw(hash("8").slice(0, 16), "anna"))).toBe("TOKEN_INVALID");
    expect(codeOf(() => console.withdraw(hash("1").slice(0, 16), "anna"))).toBe("TOKEN_INVALID");
    expect(codeOf(() => console.withdraw("", "anna"))).toBe("TOKEN_INVALID");
  });
});

describe("a result", () => {
  it("is there once the study is released", () => {
    const { console, records } = consoleOf(siteIds);
    const id = "small-0123456789" as StudyId;
    const parsed = parseStudy(study);
    if (!parsed.ok) throw parsed.error;
    const { text, hash: own } = studyDocument(parsed.value);
    records.create({ id, name: "small", text, hash: own, software: "0.1.0", createdAt: 1, sites: siteIds });
    expect(codeOf(() => console.result(id))).toBe("STUDY_STATE");
    const result = { columns: [], rows: 0, figures: [], card: null, notes: ["n"] };
    records.setResult(id, shownResultStep, { value: JSON.stringify(result) });
    expect(codeOf(() => console.result(id))).toBe("STUDY_STATE");
    records.end(id, { status: "released", at: 2 });
    expect(console.result(id)).toEqual(result);
    expect(codeOf(() => console.result("other-0123456789" as StudyId))).toBe("STUDY_UNKNOWN");
  });
});
