import { describe } from "./de/describe.js";
import { findings } from "./de/findings.js";
import { forecast } from "./de/forecast.js";
import { plans } from "./de/plans.js";
import { profile } from "./de/profile.js";
import { regression } from "./de/regression.js";
import { release } from "./de/release.js";
import { results } from "./de/results.js";
import { studies } from "./de/studies.js";
import { survival } from "./de/survival.js";
import { tableCheck } from "./de/tableCheck.js";
import { tables } from "./de/tables.js";
import { wire } from "./de/wire.js";
import type { english } from "./english.js";
import { speaker } from "./language.js";
import type { AnySaid } from "./said.js";

/** Every sentence in German: what English has, German has, with the same parameters. */
export const german: typeof english = {
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

/** A sentence in German; null for a code of a newer program. */
export const sayGerman: (said: AnySaid) => string | null = speaker(german, {
  tag: "de-DE",
  and: "und",
  units: [
    ["Tag", "Tage"],
    ["Stunde", "Stunden"],
    ["Minute", "Minuten"],
    ["Sekunde", "Sekunden"],
  ],
  to: "bis",
  percent: " %",
  confidence: "95-%-KI",
  noise: "95-%-Rauschintervall",
  notReached: "nicht erreicht",
});
