import { access } from "./de/access.js";
import { aggregator } from "./de/aggregator.js";
import { broadcasts } from "./de/broadcasts.js";
import { engines } from "./de/engines.js";
import { findings } from "./de/findings.js";
import { forecast } from "./de/forecast.js";
import { http } from "./de/http.js";
import { identity } from "./de/identity.js";
import { network } from "./de/network.js";
import { plans } from "./de/plans.js";
import { process } from "./de/process.js";
import { profile } from "./de/profile.js";
import { queries } from "./de/queries.js";
import { release } from "./de/release.js";
import { results } from "./de/results.js";
import { rounds } from "./de/rounds.js";
import { site } from "./de/site.js";
import { siteStudies } from "./de/siteStudies.js";
import { sources } from "./de/sources.js";
import { stages } from "./de/stages.js";
import { studies } from "./de/studies.js";
import { studyFaults } from "./de/studyFaults.js";
import { tableCheck } from "./de/tableCheck.js";
import { tables } from "./de/tables.js";
import { wire } from "./de/wire.js";
import type { english } from "./english.js";
import { type Grammar, type Sentences, speaker } from "./language.js";
import type { AnySaid } from "./said.js";

/** Every sentence in German but the methods' own: what English has, German has, with the same parameters. */
export const german: typeof english = {
  ...aggregator,
  ...access,
  ...engines,
  ...broadcasts,
  ...findings,
  ...forecast,
  ...http,
  ...identity,
  ...network,
  ...plans,
  ...process,
  ...profile,
  ...queries,
  ...release,
  ...results,
  ...rounds,
  ...sources,
  ...site,
  ...siteStudies,
  ...stages,
  ...studies,
  ...studyFaults,
  ...tableCheck,
  ...tables,
  ...wire,
};

const grammar: Grammar = {
  tag: "de-DE",
  and: "und",
  more: "weitere",
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
};

/** Says a sentence in German, of methods those of `further`; null for a code of a newer program. */
export const germanWith = (further: Sentences): ((said: AnySaid) => string | null) =>
  speaker({ ...german, ...further }, grammar);

export const sayGerman = germanWith({});
