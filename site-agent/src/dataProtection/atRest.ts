import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import type { PeopleView } from "@consilium/core/hospital/agentApi";
import { givenState, printAnswer } from "@consilium/runtime/answered";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { loadConfig } from "@consilium/runtime/config";
import { consoleFolderName } from "@consilium/runtime/home";
import { identityFolder } from "@consilium/runtime/identity/files";
import { AccessRecords, peopleOf } from "@consilium/runtime/store/accessRecords";
import { siteConfigSchema } from "../config.js";
import { processSecret } from "../data/rowHash.js";
import { ConfiguredTables } from "../data/tables.js";
import { ownerOf } from "../ledger/entry.js";
import { fingerprintAtRest, ledgerAtRest, readAtRest } from "../ledger/storeAtRest.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { tablesAtRest } from "../store/tablesAtRest.js";
import { SiteMethods } from "../studies/siteMethods.js";
import { folderFacts, gatherFacts } from "./gather.js";
import { protectionFacts } from "./protectionFacts.js";

/**
 * What the data-protection document is made from, without an agent. `consilium site data-protection` starts this as a process of its own,
 * because nothing imports a site's code. It changes nothing in the state folder, reads no record, and writes one JSON
 * object to standard output: `{"answer": facts}` or `{"error": {code, message, remedy}}`.
 */
async function answered(stateFolder: string) {
  const configPath = join(stateFolder, "config.yaml");
  const config = await loadConfig(configPath, siteConfigSchema);
  const descriptions = await new ConfiguredTables(
    config.tables,
    dirname(configPath),
    processSecret,
  ).describe();
  const folder = await folderFacts(stateFolder);
  const knownTables = await tablesAtRest(stateFolder);
  const policy = new PolicyFile(join(stateFolder, policyFileName), { tables: knownTables });
  const methods = new SiteMethods();
  await methods.follow(policy.read(), config.allowNoPrivacy);
  await methods.loadAll();
  const identity = identityFiles(stateFolder);
  const people = peopleAtRest(stateFolder);
  return readAtRest(stateFolder, (store) => {
    const ledger = ledgerAtRest(store, stateFolder);
    const facts = protectionFacts(
      gatherFacts({
        stateFolder,
        config,
        identity: { ...ownerOf(ledger.entries()), ...identity },
        policy,
        store,
        methods,
        ledger,
        descriptions,
        knownTables,
        agent: null,
        folder,
        environment: process.env,
        now: Date.now(),
      }),
    );
    return { ...facts, people };
  });
}

/** Of the console's own store, or of the agent's, where no console has taken the accounts over yet. */
function peopleAtRest(stateFolder: string): PeopleView {
  const consoleFolder = join(stateFolder, consoleFolderName);
  const folder = existsSync(join(consoleFolder, "state.db")) ? consoleFolder : stateFolder;
  return readAtRest(folder, (store) => peopleOf(new AccessRecords(store)));
}

function identityFiles(stateFolder: string) {
  const read = (name: string) => {
    const path = join(identityFolder(stateFolder), name);
    try {
      return readFileSync(path, "utf8");
    } catch (cause) {
      throw new ConsiliumError("STATE_MISSING", `${path} is not there`, {
        remedy: "give the site's state folder, or a restored backup of it, with --state",
        cause,
      });
    }
  };
  return {
    rootPem: read("root.pem"),
    chainPem: read("chain.pem"),
    signingKeyFingerprint: fingerprintAtRest(stateFolder),
  };
}

installTransfer();
await printAnswer(() => answered(givenState()));
