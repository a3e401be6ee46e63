import { describe } from "./en/describe.js";
import { findings } from "./en/findings.js";
import { forecast } from "./en/forecast.js";
import { plans } from "./en/plans.js";
import { profile } from "./en/profile.js";
import { regression } from "./en/regression.js";
import { release } from "./en/release.js";
import { results } from "./en/results.js";
import { studies } from "./en/studies.js";
import { survival } from "./en/survival.js";
import { tableCheck } from "./en/tableCheck.js";
import { tables } from "./en/tables.js";
import { wire } from "./en/wire.js";
import { speaker } from "./language.js";
import type { AnySaid } from "./said.js";

/** Every sentence in English. */
export const english = {
  ...describe,
  ...findings,
  ...forecast,
  ...plans,
  ...profile,
  ...regression,
  ...release,
  ...results,
  ...studies,
  ...survival,
  ...tableCheck,
  ...tables,
  ...wire,
};

/** A sentence in English; null for a code of a newer program. */
export const sayEnglish: (said: AnySaid) => string | null = speaker(english, {
  tag: "en-GB",
  and: "and",
  units: [
    ["day", "days"],
    ["hour", "hours"],
    ["minute", "minutes"],
    ["second", "seconds"],
  ],
  to: "to",
  percent: "%",
  confidence: "95% CI",
  noise: "95% noise interval",
  notReached: "not reached",
});
