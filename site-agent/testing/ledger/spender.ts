/**
 * A process that does nothing but spend, for test/support/ledgerKills.ts to kill. Each line that it prints stands for
 * bytes that have left: what was committed for them, and their hash.
 */
import { createPrivateKey } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { osRandom } from "@consilium/runtime/random";
import { openStore } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { rawPublicKey } from "@consilium/secure-sum/crypto/sign";
import { Anchors } from "../../src/ledger/anchors.js";
import { Ledger, type StageCost } from "../../src/ledger/ledger.js";
import { migrations } from "../../src/store/schema.js";
import { SiteRecords } from "../../src/studies/records.js";
import { unitEvent } from "./ledger.js";

const folder = process.argv[2]!;
/** The tests' control: outgoing data are charged only afterwards. */
const late = process.argv[3] === "late";
const signingKey = createPrivateKey(readFileSync(join(folder, "key.pem")));
const owner = { federation: "kills", site: "site", signingKey, signingPublicKey: rawPublicKey(signingKey) };
const store = openStore(join(folder, "state.db"), migrations);
const records = new SiteRecords(store);
const ledger = Ledger.open(store, () => owner, Date.now);
const anchors = new Anchors(folder);
const limit = { epsilon: 1_000, delta: 1e-6 };
const event = unitEvent(1);

function cost(stage: string, attempt: number): StageCost {
  return { stage, attempt, event, claimed: null };
}

/** As a site does it: what it costs and what was computed are one durable write, then the anchor, then the bytes. */
async function answer(study: string, stage: string, attempt: number): Promise<void> {
  const name = `answer ${study} ${stage} ${attempt}`;
  if (late) {
    const next = ledger.head().sequence + 1;
    writeSync(1, `left ${study} ${stage} ${attempt} ${next} ${sha256(name)}\n`);
    await delay(40);
    store.transaction(() => {
      ledger.commit(study, stage, attempt);
      records.setFact(name, Buffer.from(name));
    });
    return;
  }
  store.transaction(() => {
    ledger.reserve({ study, population: "patients", limit, stages: [cost(stage, attempt)] });
    ledger.commit(study, stage, attempt);
    if (records.fact(name) === null) records.setFact(name, osRandom.bytes(32));
  });
  await anchors.keep(ledger);
  const { entry } = ledger.stage(study, stage, attempt)!;
  writeSync(1, `left ${study} ${stage} ${attempt} ${entry} ${sha256(records.fact(name)!)}\n`);
}

if (!anchors.check(ledger)) {
  writeSync(1, "behind\n");
  process.exit(1);
}
writeSync(1, "ready\n");
for (let n = Number(Buffer.from(records.fact("study") ?? Buffer.from("0")).toString()); ; n++) {
  const study = `study-${n}`;
  store.transaction(() => {
    records.setFact("study", Buffer.from(String(n)));
    const stages = ["first", "second", "never"].map((stage) => cost(stage, 1));
    ledger.reserve({ study, population: "patients", limit, stages });
  });
  await answer(study, "first", 1);
  await answer(study, "second", 1);
  if (!late && n % 3 === 0) await answer(study, "second", 2);
  store.transaction(() => ledger.release(study));
}
