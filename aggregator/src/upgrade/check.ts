import { join } from "node:path";
import { toConsiliumError } from "@consilium/core/errors";
import { faults } from "@consilium/core/fault";
import type { UpgradeView } from "@consilium/core/operator/upgradeView";
import { softwareBuild } from "@consilium/core/version";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import { allMethods } from "@consilium/methods-paper/all";
import { givenState, printAnswer } from "@consilium/runtime/answered";
import { installTransfer } from "@consilium/runtime/arrayBufferTransfer";
import { loadConfig } from "@consilium/runtime/config";
import { withStoreCopy } from "@consilium/runtime/store/storeCopy";
import type { StudySays } from "@consilium/words/says/studies";
import { aggregatorConfigSchema } from "../config.js";
import { StudyRecords } from "../rounds/records.js";
import { StudyPlans } from "../rounds/studyPlans.js";
import { migrations } from "../store/schema.js";
import { replayed } from "./replayed.js";

const fault = faults<StudySays>();

/**
 * Whether each study under way would continue under this version: a copy of the aggregator's store is brought to this version's format, and
 * every conversation is said again up to where it is. The state folder stays as it is, and its aggregator may run. `consilium
 * upgrade check aggregator` starts this as a process of its own.
 */
async function checked(): Promise<UpgradeView> {
  const stateFolder = givenState();
  const config = await loadConfig(join(stateFolder, "config.yaml"), aggregatorConfigSchema);
  if (config.store !== undefined) throw fault("CONFIG_INVALID", "study.check-needs-sqlite", {});
  const kernels = await openSystemKernels({});
  try {
    return await withStoreCopy(stateFolder, migrations, async (store) => {
      const records = new StudyRecords(store);
      const stored = { stateFolder, records, plans: new StudyPlans(allMethods), kernels };
      const studies: UpgradeView["studies"] = [];
      for (const record of records.underWay()) {
        const { id, name, status } = record;
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
