import { join } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import type { UpgradeView } from "@consilium/core/operator/upgradeView";
import { softwareBuild } from "@consilium/core/version";
import { givenState, printAnswer } from "@consilium/runtime/answered";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { loadConfig } from "@consilium/runtime/config";
import { withStoreCopy } from "@consilium/runtime/store/storeCopy";
import { siteConfigSchema } from "../config.js";
import { unresolvedTables } from "../data/tableSources.js";
import { PolicyFile, policyFileName } from "../policy/policyFile.js";
import { migrations } from "../store/schema.js";
import { SiteRecords } from "../studies/records.js";
import { SiteMethods } from "../studies/siteMethods.js";
import { plannedOn } from "../studies/studyView.js";

/**
 * Whether this version reads and plans each study under way at a hospital as the one before did. The state folder stays as it is, and its
 * agent may run. `consilium upgrade check site` starts this as a process of its own.
 */
async function checked(): Promise<UpgradeView> {
  const stateFolder = givenState();
  const config = await loadConfig(join(stateFolder, "config.yaml"), siteConfigSchema);
  const methods = new SiteMethods();
  const policy = new PolicyFile(join(stateFolder, policyFileName), {
    tables: unresolvedTables(config.tables),
  });
  await methods.follow(policy.read(), config.allowNoPrivacy);
  await methods.loadAll();
  return withStoreCopy(stateFolder, migrations, async (store) => {
    const studies = new SiteRecords(store).open().map((record) => {
      const { id, name, status } = record;
      try {
        const roster = record.roster === null ? null : (JSON.parse(record.roster) as readonly unknown[]);
        plannedOn(record, roster?.length ?? null, methods);
        return { id, name, status, paused: null };
      } catch (thrown) {
        const { code, message } = toConsiliumError(thrown);
        return { id, name, status, paused: { code, message } };
      }
    });
    return { software: softwareBuild, studies };
  });
}

installTransfer();
await printAnswer(checked);
