import type { Words } from "../said.js";
import type { RoundSays } from "../says/rounds.js";

const parts = (...all: readonly (string | false)[]): string =>
  all.filter((part) => part !== false).join("; ");

export const rounds: Words<RoundSays> = {
  "round.unknown-study": ({ study }) => `unknown study ${study}`,
  "round.unknown-site": ({ site }) => `no site ${site} in this federation`,
  "round.unknown-after": () => "query.after: no study has this id",
  "round.study-large": ({ study, bytes, max }) =>
    `study ${study}: ${bytes} bytes with defaults filled in exceed the limit of ${max}`,
  "round.fewer-columns": () => "declare fewer columns, or shorten their descriptions",
  "round.sites-unknown": ({ sites }, { names }) =>
    `participation.sites: ${names(sites, 0)} not enrolled in this federation`,
  "round.choose-sites": ({ sites }, { names }) =>
    `invite them first, or choose from: ${sites.length === 0 ? "(none)" : names(sites, 0)}`,
  "round.few-enrolled": ({ study, sites, minimum }) =>
    `study ${study}: ${sites} sites are enrolled, participation.minimumSites is ${minimum}`,
  "round.being-released": ({ study }) => `study ${study} is being released and can no longer be cancelled`,
  "round.check-again": () => "check again in a moment",
  "round.cannot-cancel": ({ study, status }) => `study ${study} is ${status} and cannot be cancelled`,
  "round.not-inviting": ({ study, status }) =>
    `study ${study} is ${status}: it no longer waits for sites to join`,
  "round.not-failed": ({ study, status }) =>
    `study ${study} is ${status}: only a failed study can be resumed`,
  "round.runs-already": ({ study }) => `study ${study} is already running`,
  "round.cancelled": ({ study }) => `study ${study} was cancelled by the operator`,
  "round.sites-fixed": ({ study }) => `study ${study}: its sites are fixed already`,
  "round.resume-it": () => "a study that missed a deadline can be resumed",
  "round.deadline-range": ({ study, earliest, latest, until }) =>
    `study ${study}: the deadline can be moved to between ${earliest} and ${latest}, not to ${until}`,
  "round.time-between": () => "choose a time in between: no study may invite for longer than 30 days",
  "round.few-joined": ({ study, joined, minimum, absent }, { say }) =>
    `study ${study}: ${joined} of at least ${minimum} sites joined before the deadline; ${say(absent)}`,
  "round.few-so-far": ({ study, joined, minimum, absent }, { say }) =>
    `study ${study}: ${joined} of at least ${minimum} sites have joined; ${say(absent)}`,
  "round.wait-or-extend": () => "wait for more sites, or extend the deadline with `consilium study extend`",
  "round.absent": ({ refused, awaiting, silent }, { names }) =>
    parts(
      refused.length > 0 && `refused by ${names(refused, 0)}`,
      awaiting.length > 0 && `not approved yet by ${names(awaiting, 0)}`,
      (silent.length > 0 || awaiting.length === 0) &&
        `no answer from ${silent.length === 0 ? "nobody" : names(silent, 0)}`,
    ),
  "round.join-invalid": ({ study, site, why }) => `study ${study}, site ${site}: ${why}`,
  "round.expelled": ({ study, sites }, { names }) =>
    `study ${study}: ${names(sites, 0)} on its roster was expelled; start the study again without it`,
  "round.not-on-roster": ({ study, site }) => `study ${study}: site ${site} is not on its roster`,
  "round.not-resumed": ({ study }) => `study ${study} is not resumed yet`,
  "round.no-broadcast": ({ study }) => `study ${study} has no broadcast with that hash`,
  "round.no-request": ({ study }) => `study ${study} has no open request`,
  "round.broadcast-ends": ({ study }) => `study ${study}: the broadcast ends before that offset`,
  "round.upload": ({ study, step, site }) => `study ${study}, step ${step}, site ${site}`,
  "round.upload-not-on-roster": ({ place }, { say }) =>
    `${say(place)}: the site is not on the study's roster`,
  "round.upload-other": ({ place }, { say }) => `${say(place)}: a different answer was started before`,
  "round.upload-unexpected": ({ place }, { say }) => `${say(place)}: unexpected upload`,
  "round.upload-bytes": ({ place, expected, bytes }, { say }) =>
    `${say(place)}: expected ${expected} bytes, got ${bytes}`,
  "round.upload-rows": ({ place, each, max }, { say }) =>
    `${say(place)}: expected a multiple of ${each} bytes (rows) up to ${max}`,
  "round.upload-tags": ({ place, each, max }, { say }) =>
    `${say(place)}: expected a multiple of ${each} bytes (tags) up to ${max}`,
  "round.tags-implausible": ({ study, stage, why }) => `study ${study}, stage ${stage}: ${why}`,
  "round.no-transcript": ({ study, stage, site }) =>
    `study ${study}, stage ${stage}, site ${site}: the upload has no transcript signature`,
  "round.post-invalid": ({ study, step, site, why }) => `study ${study}, step ${step}, site ${site}: ${why}`,
  "round.unexpected-post": ({ study, stage, attempt, kind, site, phase }) =>
    `study ${study}, stage ${stage}, attempt ${attempt}: unexpected ${kind} from site ${site} in phase ${phase}`,
  "round.replay-refused": ({ study, stage, attempt }) =>
    `study ${study}, stage ${stage}, attempt ${attempt}: the replay refused a previously accepted message`,
  "round.not-closable": ({ study, stage, attempt }) =>
    `study ${study}, stage ${stage}, attempt ${attempt}: cannot be closed`,
  "round.could-not-answer": ({ study, site, step, why }) =>
    `study ${study}: site ${site} could not answer step ${step} (${why})`,
  "round.step-late": ({ study, step, missing }, { names }) =>
    `study ${study}: step ${step} reached its deadline without ${missing.length === 0 ? "nobody" : names(missing, 0)}`,
  "round.too-few-answers": ({ study, step, sites, needed }, { names }) =>
    `study ${study}: step ${step} has answers from ${sites.length === 0 ? "nobody" : names(sites, 0)}; ${needed} sites are required`,
  "round.uploads-gone": ({ study, step, needed, gone }, { say }) =>
    `study ${study}: step ${step} needs answers from ${needed} sites, and fewer can still answer: ${say(gone)}`,
  "round.sum-gone": ({ study, step, needed, gone, resuming }, { say, names }) =>
    `study ${study}: step ${step} needs ${needed} sites, and fewer can still answer${gone.length === 0 ? "" : `: ${names(gone, 0)}`}. ${say(resuming)}`,
  "round.sum-late": ({ study, step, answered, needed, late, gone, resuming }, { say, names }) =>
    `study ${study}: at the deadline of step ${step} ${answered} sites had answered, ${needed} are required; missing: ${late.length === 0 ? "nobody" : names(late, 0)}${gone.map((one) => `, ${say(one)} could not`).join("")}. ${say(resuming)}`,
  "round.survivors-changed": ({ study, step, needed, sites }, { names }) =>
    `study ${study}: step ${step} needs ${needed} sites, and fewer can still answer: ${names(sites, 0)} answered for another set of survivors before. Sums of this study have no noise, so its sites only answer for one set of survivors`,
  "round.reconnect": () => "reconnect all sites of the earlier sum, then run `consilium study resume`",
  "round.without": ({ site, why }) => `${site} (${why ?? "no answer"})`,
  "round.resumes": ({ attempt }) => `Resuming the study starts attempt ${attempt}`,
  "round.resumes-charged": ({ attempt }) => `Resuming the study starts attempt ${attempt}, charged again`,
  "round.resumes-noised": ({ attempt }) =>
    `Resuming the study starts attempt ${attempt}, with new noise, charged again`,
  "round.countersigned-late": ({ study, there, needed, late }, { names }) =>
    `study ${study}: ${there} sites countersigned before the deadline, ${needed} are required; missing: ${late.length === 0 ? "nobody" : names(late, 0)}`,
  "round.countersigners-gone": ({ study, needed, gone }, { names }) =>
    `study ${study}: ${needed} countersignatures are required, and fewer sites can still sign${gone.length === 0 ? "" : `: ${names(gone, 0)}`}`,
  "round.publisher-full": ({ study }) =>
    `study ${study}: the publisher's disk is full; the deposit is retried`,
  "round.free-publisher": () => "free space in the publisher's state folder (its log has the path)",
  "round.publisher-late": ({ study }) =>
    `study ${study}: the publisher did not accept the release before the deadline`,
  "round.start-publisher": () => "start the publisher, then `consilium study resume`",
  "round.mask-thread": () => "a thread that removes masks failed",
  "round.unknown-question": ({ study }) => `study ${study} has no such question`,
  "round.list-questions": () => "list them with `consilium study questions`",
  "round.answered": () => "the question is answered already",
  "round.ask-again": () => "let the hospital ask again, or write to its contact",
  "round.answer-text": ({ max }) => `text: empty, with control characters, or over ${max} bytes`,
  "round.no-figures": ({ study, status }) => `study ${study} is ${status}: its figures are not stored here`,
  "round.try-when-released": () =>
    "try again when it is released; the catalogue has the figures of older studies",
};
