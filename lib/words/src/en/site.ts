import type { Words } from "../said.js";
import type { SiteSays } from "../says/site.js";

export const site: Words<SiteSays> = {
  "socket.path": ({ path }) => `the agent cannot listen on ${path}`,
  "socket.shorten": () =>
    "shorten the path (107 bytes at most), and let the agent's user write in its folder",
  "socket.unknown": () => "the agent has no such request",
  "socket.same-version": () => "run the agent, its console and the command line in the same version",
  "socket.too-large": ({ max }) => `the request is over ${max} bytes`,
  "socket.no-json": () => "the request is not JSON",
  "socket.invalid": ({ request, field }) => `request ${request}: invalid ${field ?? "body"}`,
  "socket.no-values": () => "values of a table are not shown on this socket",
  "socket.profile-at-rest": () => "run `consilium site profile` with the agent's state folder",
  "socket.no-study-id": () => "the request names no study's id",
  "socket.list-studies": () => "list the studies with `consilium site studies`",
  "line.no-answer": () => "the aggregator does not answer an upload",
  "line.upload-ended": () => "the aggregator ended the upload",
  "line.upload-unconfirmed": () => "the aggregator did not say that it has the whole",
  "line.broadcast-length": ({ study }) => `a broadcast of study ${study} does not have its announced length`,
  "line.silent": ({ seconds }) => `the aggregator has been silent for ${seconds} seconds`,
  "line.second-welcome": () => "a second welcome on one stream",
  "line.welcome-first": () => "the first frame must be a welcome",
  "line.site-older": ({ software, protocol, site, low, high }) =>
    `the aggregator (version ${software}) chose protocol ${protocol}, the site (version ${site}) speaks ${low} to ${high}: upgrade the site`,
  "line.aggregator-older": ({ software, protocol, site, low, high }) =>
    `the aggregator (version ${software}) chose protocol ${protocol}, the site (version ${site}) speaks ${low} to ${high}: upgrade the aggregator`,
  "line.downgraded": ({ software, protocol, spoken }) =>
    `the aggregator (version ${software}) chose protocol ${protocol}, and has spoken ${spoken} with this site`,
  "line.not-older": ({ protocol, low, high, spoken }) =>
    `protocol ${protocol} is not one of ${low} to ${high} that is older than what was spoken, ${spoken ?? "none"}`,
  "policy-file.large": ({ path, max }) => `${path} is over ${max} bytes`,
  "policy-file.unreadable": ({ path, code }) => `${path} cannot be read (${code})`,
  "policy-file.permissions": () =>
    "check its permissions: the user that runs the agent must be able to read it",
  "policy-file.empty": ({ path }) => `${path} is empty`,
  "policy-file.write-anew": () => "write it anew, or remove it: without one a person approves every study",
  "policy-file.changed": () => "the policy file was changed while it was being edited",
  "policy-file.unwritable": ({ path, code }) => `${path} cannot be written (${code})`,
  "policy-file.no-version": () => "there is no such version of the policy",
  "policy-file.choose": () => "choose one of the list",
  "ledger.exhausted": ({ study, needs, unit, remains, of, delta, population }) =>
    `study ${study}: request needs epsilon ${needs} per ${unit}, ${remains} remains of ${of} at delta ${delta} in population ${population}`,
  "ledger.ask-for-more": () => "lower epsilon, or ask the data committee for more",
  "ledger.unreadable": () => "the ledger's table cannot be read",
  "ledger.behind": ({ ends, known }) =>
    `this ledger ends at entry ${ends}, and a head of it is known at ${known} that it does not hold: what was spent in between is missing from it`,
  "ledger.undeclared": ({ known }) =>
    `entries up to ${known} are missing from this ledger; the head that proves it does not show what they spent, and no anchor of this hospital does`,
  "ledger.restore-or-charge": () =>
    "restore the newest state folder; if there is none, charge what was lost with `consilium ledger reconcile --charge <epsilon>`: each population's whole limit is never too little",
  "ledger.anchor-written": () => "an anchor is written <sequence>:<hash>",
  "ledger.anchor-where": () =>
    "both stand in a release's certificate, and `consilium ledger show` prints them",
  "ledger.future": () => "only entries of the past can be archived",
  "store.key-damaged": ({ path }) => `${path} is damaged`,
  "store.sealed": ({ place }) => `a stored secret does not open (${place})`,
  "start.which-site": () => "which site's agent is to run is not said",
  "start.give-state": () => "give --state <folder>",
};
