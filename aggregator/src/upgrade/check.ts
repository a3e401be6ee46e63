import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import type { UpgradeView } from "@consilium/core/operator/upgradeView";
import { softwareBuild } from "@consilium/core/version";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { allMethods } from "@consilium/methods-paper/all";
import { givenState, printAnswer } from "@consilium/runtime/answered";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { loadConfig } from "@consilium/runtime/config";
import { withConfiguredCopy } from "@consilium/runtime/store/configuredStore";
import { aggregatorConfigSchema } from "../config.js";
import { FileCopies } from "../rounds/fileCopies.js";
import { StudyRecords } from "../rounds/records.js";
import { StudyPlans } from "../rounds/studyPlans.js";
import { migrations } from "../store/schema.js";
import { replayed } from "./replayed.js";

/**
 * Whether each study under way would continue under this version: a copy of the aggregator's store is brought to this version's format, and
 * every conversation is said again up to where it is. The state folder stays as it is, and its aggregator may run. `consilium
 * upgrade check aggregator` starts this as a process of its own.
 */
async function checked(): Promise<UpgradeView> {
  const stateFolder = givenState();
  const config = await loadConfig(join(stateFolder, "config.yaml"), aggregatorConfigSchema);
  const kernels = await openSystemKernels({});
  try {
    const given = { stateFolder, role: "aggregator", migrations };
    return await withConfiguredCopy(config, given, async (store, folder) => {
      const records = new StudyRecords(store);
      // An aggregator with a standby keeps a study's files in the store: which of the two machines this is makes no difference.
      const copies = config.standby === undefined ? null : new FileCopies(store);
      const files = copies === null ? stateFolder : folder;
      const stored = { stateFolder: files, records, plans: new StudyPlans(allMethods), kernels };
      const studies: UpgradeView["studies"] = [];
      for (const record of records.underWay()) {
        const { id, name, status } = record;
        if (copies !== null) {
          const own = join(files, "studies", id);
          await mkdir(own, { recursive: true });
          await copies.restore(id, own);
        }
        const paused = await replayed(record, stored).then(
          () => null,
          (thrown: unknown) => toConsiliumError(thrown),
        );
        studies.push({
          id,
          name,
          status,
          paused: paused && { code: paused.code, message: paused.message },
        });
      }
      return { software: softwareBuild, studies };
    });
  } finally {
    await kernels.close();
  }
}

installTransfer();
await printAnswer(checked);
