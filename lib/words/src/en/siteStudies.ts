import type { Words } from "../said.js";
import type { SiteStudySays } from "../says/siteStudies.js";

export const siteStudies: Words<SiteStudySays> = {
  "work.unknown-study": ({ study }) => `no study ${study} has been offered to this hospital`,
  "work.list-studies": () => "list the ones that were with `consilium site studies`",
  "work.questions-over": ({ study, status }) => `study ${study} is ${status}: its questions are over`,
  "work.question-text": () => "text: empty, or with control characters",
  "work.question-long": ({ bytes, max }) => `text: ${bytes} bytes, at most ${max} allowed`,
  "work.questions-many": ({ study, max }) => `${max} questions were asked about study ${study}`,
  "work.write-to-contact": () => "write to the contact that the study names",
  "work.questions-often": ({ max }) => `${max} questions were asked within an hour`,
  "work.ask-later": () => "ask again later",
  "work.unread": () => "its name, variant or privacy cannot be read",
  "work.offered-many": ({ studies, max }) =>
    `${studies} studies were offered within a day, offers.perDay allows ${max}`,
  "work.waiting-many": ({ studies, max }) =>
    `${studies} studies wait for approval, offers.waiting allows ${max}`,
  "work.joined-many": ({ studies, max }) => `this site is in ${studies} studies, offers.joined allows ${max}`,
  "work.not-waiting": ({ study, status }) => `study ${study} does not wait for approval: it is ${status}`,
  "work.show-it": () => "look at it with `consilium site show`",
  "work.approval-late": ({ study, until, now }) =>
    `study ${study} could be joined until ${until}, now it is ${now}; nothing has left this hospital`,
  "work.token-approves": ({ study }) => `study ${study} needs two people: an API token is none`,
  "work.same-person": ({ study, name, before }) =>
    `study ${study}: ${name} is no second person after ${before}`,
  "work.lists-differ": ({ number }) =>
    `list of expelled sites: two different lists have the number ${number}`,
  "work.list-unconfirmed": ({ list }, { say }) =>
    `list of expelled sites (${say(list)}): the aggregator has not confirmed it`,
  "work.list-stale": ({ list, age, max }, { say }) =>
    `list of expelled sites (${say(list)}): last confirmed ${age} ago, the limit is ${max}`,
  "work.list-expired": ({ list, until }, { say }) =>
    `list of expelled sites (${say(list)}): the authority was to sign it again by ${until}`,
  "work.list-none": () => "none",
  "work.list-number": ({ number }) => `number ${number}`,
  "work.roster-invalid": ({ study, what }, { say }) => `study ${study}: ${say(what)}`,
  "work.certificate": ({ site, code, why }, { list }) =>
    `the certificate of site ${site} does not verify (${code}, ${list([why])})`,
  "work.certificate-other": ({ site }) => `the certificate of site ${site} names another site`,
  "work.not-itself": () => "the roster does not hold this site with its own keys",
  "work.roster-other": () => "the roster is not the one shown before",
  "work.not-invited": ({ site }) => `site ${site} was not invited`,
  "work.pinned-few": ({ study, pinned, sites, minimum }) =>
    `study ${study}: ${pinned} of the ${sites} sites are this hospital itself or pinned by it, ${minimum} are the minimum`,
  "work.dealer-unpinned": ({ study, distrusted, sites }) =>
    `study ${study}: one site deals all masks, and this hospital has not pinned ${distrusted} of the ${sites} sites`,
  "work.plan-differs": ({ study, software, at }) =>
    `study ${study}: the aggregator plans it otherwise than version ${software} of this site${at === null ? "" : `, first at ${at}`}`,
  "work.plan-changed": ({ study, software, at }) =>
    `study ${study}: version ${software} of this site plans it otherwise than the software that it began with${at === null ? "" : `, first at ${at}`}`,
  "work.run-older": () =>
    "run the software again that this site had when the study began, or have the study cancelled",
  "work.broadcast-changed": ({ study, what }, { say }) => `study ${study}: ${say(what)}`,
  "work.listed-twice": () => "a broadcast is listed twice",
  "work.was-changed": ({ name, stage }) => `"${name}" of stage ${stage} was changed`,
  "work.broadcast-missing": () => "an earlier broadcast is missing",
  "work.not-there-before": ({ name, stage }) => `"${name}" of stage ${stage} was not there before`,
  "work.before-its-turn": ({ stage }) => `stage ${stage} was broadcast before its turn`,
  "work.other-broadcasts": ({ study, stage, planned }, { names }) =>
    `study ${study}: stage ${stage} came with other broadcasts than its plan says (${planned.length === 0 ? "none" : names(planned, 0)})`,
  "work.planned": ({ name, length }) => `${name} of ${length}`,
  "work.vector-length": ({ stage, length, planned }) =>
    `stage ${stage}: ${length} entries where the plan says ${planned}`,
  "work.stored-damaged": ({ study }) => `study ${study}: a stored broadcast is damaged`,
  "work.fetched-other": ({ study, name, stage }) =>
    `study ${study}: "${name}" of stage ${stage}: SHA-256 mismatch`,
  "work.ended": ({ study }) => `study ${study}: it ended during a step`,
  "work.no-statement": ({ study, step, attempt }) =>
    `study ${study}: there is no statement to sign at ${step}, attempt ${attempt}`,
  "work.step": ({ study, step, what }, { say }) => `study ${study}, step ${step}: ${say(what)}`,
  "work.exchange-once": () => "an exchange has one attempt",
  "work.dealt-once": () => "dealt masks have one attempt",
  "work.unmasked-once": () => "unmasked data have one attempt",
  "work.other-roster": () => "it was answered for another roster before",
  "work.other-broadcast": () => "it was answered for another broadcast before",
  "work.no-rows-stage": () => "its plan has no rows stage of that name",
  "work.no-keys": () => "its masks are dealt, there are no keys to advertise",
  "work.no-roster": () => "no roster has been shown yet",
  "work.no-sum-stage": ({ study, stage }) => `study ${study}: its plan has no sum stage ${stage}`,
  "work.no-step": ({ study, kind, step }) => `study ${study}: its plan has no ${kind} step ${step}`,
  "work.too-early": ({ study, stage, before }) => `study ${study}: stage ${stage} came before ${before}`,
  "work.before-setup": ({ study, stage }) =>
    `study ${study}: stage ${stage} came before the setup was complete`,
  "work.setup-not-begun": ({ study }) => `study ${study}: a step came before the setup was begun`,
  "work.no-exchange": ({ study, step }) => `study ${study} has no exchange ${step}`,
  "work.nothing-to-post": ({ study, step }) => `study ${study}: nothing is to be posted at ${step}`,
  "work.attempt": ({ study, stage, attempt, what }, { say }) =>
    `study ${study}, stage ${stage}, attempt ${attempt}: ${say(what)}`,
  "work.attempt-since": ({ attempt }) => `attempt ${attempt} has begun since`,
  "work.not-begun": () => "the attempt was not begun with keys",
  "work.attempt-over": () => "the attempt is over",
  "work.no-sum": () => "the plan has no such sum",
  "work.other-request": () => "it was answered for another request before",
  "work.phase-otherwise": ({ phase }) => `${phase} was answered for another request before`,
  "work.other-survivors": () => "another list of survivors was answered before",
  "work.survivors-unpinned": ({ trusted, minimum }) =>
    `${trusted} of the survivors are members that this hospital has pinned, ${minimum} are the minimum`,
};
