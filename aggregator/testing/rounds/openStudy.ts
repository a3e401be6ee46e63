import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SiteId, StudyId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { Plan } from "@consilium/core/study/plan";
import { studyDocument } from "@consilium/core/study/study";
import { parseStudy } from "@consilium/methods/testing/studies";
import { allMethods } from "@consilium/methods-paper/all";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import type { Task } from "@consilium/proto/generated/consilium/v1/Task";
import { createLogger } from "@consilium/runtime/log";
import { testDisk } from "@consilium/runtime/testing/store/disk";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { ExchangeKey, generateExchangeKey } from "@consilium/secure-sum/crypto/exchange";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { generateSigningKey, type SigningKeyPair, signMessage } from "@consilium/secure-sum/crypto/sign";
import { buildRoster, joinMessage } from "@consilium/secure-sum/roster";
import { Presence } from "../../src/roster/presence.js";
import { OpenStudy } from "../../src/rounds/openStudy.js";
import { StudyRecords } from "../../src/rounds/records.js";
import { StudyPlans } from "../../src/rounds/studyPlans.js";
import { migrations } from "../../src/store/schema.js";

/** A study with its roster fixed and all sites connected, whose tasks go to a test. */
export interface TestOpenStudy {
  readonly study: OpenStudy;
  readonly records: StudyRecords;
  readonly sites: readonly { readonly site: SiteId; readonly identity: SigningKeyPair }[];
  /** Every task that was sent. */
  readonly tasks: { readonly site: SiteId; readonly task: Task }[];
  /** The same study in another process. */
  again(): OpenStudy;
  close(): Promise<void>;
}

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };

/** @param onTask - what a site does when it is asked, a moment later */
export async function openTestStudy(options: {
  readonly raw: Record<string, unknown>;
  readonly sites: number;
  readonly adjust?: (plan: Plan) => Plan;
  readonly onTask: (study: OpenStudy, site: SiteId, task: Task) => void;
}): Promise<TestOpenStudy> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-open-"));
  const store = openTestStore(migrations);
  const records = new StudyRecords(store);
  const document = studyDocument(unwrap(parseStudy(options.raw)));
  const id = "opened-0123456789" as StudyId;
  const binding = { id, hash: document.hash, minimumSites: 3 };
  const sites = Array.from({ length: options.sites }, (_, i) => ({
    site: `site-${i}` as SiteId,
    identity: generateSigningKey(),
  }));
  const members = sites.map(({ site, identity }) => {
    const exchangeKey = new ExchangeKey(generateExchangeKey(random)).publicKey;
    const message = joinMessage(id, document.hash, site, exchangeKey);
    return {
      site,
      signingKey: identity.publicKey,
      exchangeKey,
      joinSignature: signMessage(identity.privateKey, message),
    };
  });
  const ids = sites.map(({ site }) => site);
  records.create({
    ...binding,
    name: "opened",
    text: document.text,
    software: "test",
    createdAt: 1,
    sites: ids,
  });
  for (const one of members)
    records.join(id, one.site, { ...one, chain: "[]", signature: one.joinSignature });
  records.fixRoster(id, ids);
  const tasks: TestOpenStudy["tasks"] = [];
  const plans = new StudyPlans(allMethods);
  const planned = plans.of(document);
  const adjusted = { document, plan: options.adjust?.(planned.plan) ?? planned.plan };

  const open = (): OpenStudy => {
    const presence = new Presence(() => 1_000);
    const study = new OpenStudy(records.study(id)!, {
      federation: { name: "test", root: sha256("root") },
      records,
      plans: { of: () => adjusted } as never as StudyPlans,
      presence,
      kernels: null as never,
      random,
      now: () => 1_000,
      isSiteExpelled: () => false,
      isExpelled: () => false,
      software: "test",
      stateFolder: folder,
      disk: testDisk(folder),
      log: createLogger({ service: "test", level: "silent" }),
      publish: () => Promise.reject(new Error("nothing is published here")),
    });
    study.roster = unwrap(buildRoster(binding, members));
    for (const { site, identity } of sites) {
      const send = (frame: AggregatorFrame) => {
        tasks.push({ site, task: frame.task! });
        setImmediate(() => options.onTask(study, site, frame.task!));
      };
      presence.connect({
        site,
        chain: [],
        signingKey: identity.publicKey,
        instance: "a",
        send,
        close: () => undefined,
      });
    }
    return study;
  };
  const study = open();
  return {
    study,
    records,
    sites,
    tasks,
    again: open,
    close: async () => {
      store.close();
      await rm(folder, { recursive: true, maxRetries: 10 });
    },
  };
}
