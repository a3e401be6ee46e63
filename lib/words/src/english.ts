import { access } from "./en/access.js";
import { aggregator } from "./en/aggregator.js";
import { broadcasts } from "./en/broadcasts.js";
import { engines } from "./en/engines.js";
import { findings } from "./en/findings.js";
import { forecast } from "./en/forecast.js";
import { http } from "./en/http.js";
import { identity } from "./en/identity.js";
import { network } from "./en/network.js";
import { plans } from "./en/plans.js";
import { process } from "./en/process.js";
import { profile } from "./en/profile.js";
import { queries } from "./en/queries.js";
import { release } from "./en/release.js";
import { results } from "./en/results.js";
import { rounds } from "./en/rounds.js";
import { site } from "./en/site.js";
import { siteStudies } from "./en/siteStudies.js";
import { sources } from "./en/sources.js";
import { stages } from "./en/stages.js";
import { studies } from "./en/studies.js";
import { studyFaults } from "./en/studyFaults.js";
import { tableCheck } from "./en/tableCheck.js";
import { tables } from "./en/tables.js";
import { wire } from "./en/wire.js";
import { type Grammar, type Sentences, speaker } from "./language.js";
import type { AnySaid } from "./said.js";

/** Every sentence in English but the methods' own. */
export const english = {
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
  tag: "en-GB",
  and: "and",
  more: "more",
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
};

/** Says a sentence in English, of methods those of `further`; null for a code of a newer program. */
export const englishWith = (further: Sentences): ((said: AnySaid) => string | null) =>
  speaker({ ...english, ...further }, grammar);

export const sayEnglish = englishWith({});
