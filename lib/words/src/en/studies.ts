import type { Words } from "../said.js";
import type { StudySays } from "../says/studies.js";

export const studies: Words<StudySays> = {
  "study.other-plan": ({ began, software, at }) =>
    `version ${began} began the study, and version ${software} plans it otherwise, first at ${at}: it is paused`,
  "study.finish-with": () =>
    "install that version again: the study continues there by itself, and nothing is charged again; or cancel it",
  "study.edition": ({ method, edition, newest }, { number }) =>
    edition === newest
      ? `the study is of edition ${number(edition)} of ${method}, the newest`
      : `the study is of edition ${number(edition)} of ${method}; the newest here is edition ${number(newest)}`,
  "study.edition-unspoken": ({ method, edition, sites, more }, { number, list }) =>
    `the software of ${more === 0 ? list(sites) : `${sites.join(", ")} and ${number(more)} more`} does not know edition ${number(edition)} of ${method}`,
  "study.replay-differs": ({ stage, at }) =>
    `the hospitals have answered stage ${stage}, and this version would have asked them something else, first at ${at}: the study is paused`,
  "study.correct-and-clone": () =>
    "correct what the sites refuse in a copy of the study (`consilium study clone`), lower participation.minimumSites there or invite more sites, and start that",
  "study.unreachable": ({ invited, minimum, left, refused }, { count, list }) =>
    `of ${count(invited, "invited site")} at most ${left} can take part, and the study needs ${minimum}; refused by ${list(refused)}; nobody is asked any more`,
  "study.plan-warns": ({ warning }, { list }) => `The plan warns: ${list([warning])}.`,
  "study.refused-by": ({ site, why }) => `${site} (${why})`,
  "study.refused-there": ({ why }) =>
    `the aggregator refused a message of this hospital's about the study (${why}); the agent's log has what the aggregator says of it`,
  "study.over-undecided": () =>
    "the study ended before this hospital decided; if the operator resumes it, it waits for a decision again",
  "study.ask-undecided": () =>
    "ask the sites that have not answered to approve it or to come online, then `consilium study resume`; a longer participation.joinDeadline gives them more time",
  "study.too-many-attempts": ({ stage, max }, { number }) =>
    `stage ${stage} was attempted ${number(max)} times, and is paid for no more often: what every attempt ran into is in the audit log`,
  "study.statement-too-large": ({ stages, sites, bytes, max, fits }, { number, count }) =>
    `with ${count(stages, "stage")} on ${count(sites, "site")}, what the sites sign for the certificate could have ${number(bytes)} bytes, and they sign ${number(max)} at most; ${
      fits > 0 ? `the study would have room for ${count(fits, "site")}` : "fewer sites are not enough"
    }`,
  "study.plan-less": () =>
    "plan fewer stages, such as fewer or shallower trees, or name fewer sites under participation.sites",
  "study.ceiling-reached": () =>
    "a further attempt would bring the study beyond what this hospital lets it cost in all; a person decides here whether it continues",
  "study.reads": ({ columns, makes }, { list }) =>
    `It reads the table's columns ${list(columns)}, and makes ${list(makes)} of them.`,
  "study.budget-short": ({ needs, left, delta, population }, { number }) =>
    `it needs epsilon ${number(needs)}, and ${number(left)} is left of the budget of population ${population} (at delta ${delta})`,
  "study.ceiling-full": () =>
    "the study has cost as much as the policy allows for one study in all its attempts together",
  "study.raise-limit": () => "raise perStudy.epsilon in policy.yaml, or deny the study",
  "study.max-unanswered": ({ max }, { count }) =>
    `A person decides after ${count(max, "study", "studies")} of a population without an answer, running ones included.`,
  "study.unanswered": ({ studies, population, max }, { count }) =>
    `Of population ${population}, ${count(studies, "study has", "studies have")} no answer: running ones, and those that ended without one since a person here last decided. The policy allows ${max}: a person decides. How a study ends may tell something that no sum does.`,
  "study.lapsed": () => "nobody had decided when the time to join was over",
  "study.denied-without-reason": () => "no reason was written down",
  "study.restored": () => "this hospital's state was restored from a backup",
  "study.older-copy": () => "it was under way when this site was set back to an older copy of its state",
  "study.removed": ({ ms }, { duration }) =>
    `working data were removed ${duration(ms)} after the last message`,
  "study.shown-study": () => "the study's text is another than the one that was shown; nothing was decided",
  "study.shown-plan": () => "the study's plan is another than the one that was shown; nothing was decided",
  "study.shown-policy": () => "the policy has changed since the study was shown; nothing was decided",
  "study.shown-table": () =>
    "the table's entry in config.yaml, or where its records are, has changed since the study was shown; nothing was decided",
  "study.shown-software": () =>
    "the study was shown by another version or build than the site agent's; nothing was decided",
  "study.attempts": ({ epsilon }, { number }) =>
    `All attempts together, repeated ones included, cost at most epsilon ${number(epsilon)} at the population's delta; before more is spent, this hospital is asked again.`,
  "study.other-hash": ({ hash }) => `the text of the study does not have the hash ${hash}`,
  "study.not-canonical": () => "the text of the study is not in canonical form",
  "study.not-json": () => "the text of the study is not JSON",
  "study.newer-key": ({ key }) => `this version does not know what the study's key ${key} says`,
};
