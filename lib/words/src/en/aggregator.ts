import type { Words } from "../said.js";
import type { AggregatorSays } from "../says/aggregator.js";

export const aggregator: Words<AggregatorSays> = {
  "roster.no-key": ({ site }) => `site ${site} has not enrolled: it has no key to keep`,
  "roster.without-same-key": () => "invite it without --same-key",
  "roster.enrolled": ({ site, key }) =>
    `site ${site} is enrolled with key ${key}: a new invitation could replace that key`,
  "roster.enrolled-otherwise": ({ site, key }) =>
    `site ${site} is enrolled with key ${key}, and this invitation may not replace it`,
  "roster.invited": ({ site, until }) => `site ${site} has an open invitation, valid until ${until}`,
  "roster.token-unknown": () => "unknown invitation token",
  "roster.token-withdrawn": ({ site }) => `the invitation of site ${site} was withdrawn`,
  "roster.token-used": ({ site }) => `the invitation of site ${site} has already been used`,
  "roster.token-expired": ({ site, at }) => `the invitation of site ${site} expired at ${at}`,
  "roster.no-invitation": () => "no unused invitation with this id",
  "roster.reload": () => "reload the list; a site that has enrolled can be expelled",
  "roster.key-expelled": ({ site }) => `site ${site}: this signing key has been expelled`,
  "roster.keep-key": ({ site }) => `site ${site}: a renewal must keep the signing key`,
  "roster.expired-and-renewed": ({ site }) =>
    `site ${site}: this certificate has expired, and was renewed before it did`,
  "roster.replaced": ({ site }) =>
    `site ${site} has enrolled with another signing key; the old key is no longer accepted`,
  "roster.expelled": ({ site }) => `site ${site} has been expelled`,
  "roster.list-other": ({ number }) => `list of expelled sites: another list already has number ${number}`,
  "roster.sign-again": () =>
    "copy the aggregator's `revocations` file into the authority folder, and sign again",
  "roster.head-signature": ({ site }) => `site ${site}: invalid signature on its ledger head`,
  "roster.head-invalid": () => "field ledger_head.head: invalid ledger head",
  "roster.no-table": ({ table, near }, { names }) =>
    `no site shares a table ${table}${near.length === 0 ? "" : ` (nearest: ${names(near, 0)})`}`,
  "roster.list-tables": () =>
    "GET /api/tables or `consilium tables` lists the tables; a site's policy may withhold its own",
  "roster.site-id": () => "invalid site id",
  "roster.study-id": () => "invalid study id",
  "call.site-older": ({ site, siteLow, siteHigh, software, low, high }) =>
    `the site (version ${site}) speaks protocol ${siteLow} to ${siteHigh}, the aggregator (version ${software}) ${low} to ${high}: upgrade the site`,
  "call.aggregator-older": ({ site, siteLow, siteHigh, software, low, high }) =>
    `the site (version ${site}) speaks protocol ${siteLow} to ${siteHigh}, the aggregator (version ${software}) ${low} to ${high}: upgrade the aggregator`,
  "call.no-hello": ({ seconds }) => `no hello within ${seconds} s`,
  "call.too-often": ({ site, burst, perSecond }) =>
    `site ${site}: more than ${burst} messages at once, or ${perSecond} a second`,
  "call.hello-first": () => "the first frame must be a hello",
  "call.second-hello": () => "a second hello on one stream",
  "call.no-header": () => "the upload ended before its header",
  "call.not-running": ({ study }) => `study ${study} is not running`,
  "call.study-ended": ({ study }) => `study ${study} ended meanwhile`,
  "call.upload-lost": () => "connection lost; the sender resumes the upload",
  "call.stalled": ({ seconds }) => `transfer stalled for ${seconds} s; it will be resumed`,
  "call.standing-by": ({ holder }) =>
    `this aggregator stands by: ${holder === null ? "none is active" : `${holder} is active`}`,
  "start.no-operator-token": ({ path }) => `no operator token of at least 32 characters in ${path}`,
  "start.http": ({ address }) => `HTTP cannot listen on ${address}`,
  "released.other": ({ release }) => `release ${release}: the publisher showed another release`,
  "released.by-itself": ({ release }) => `release ${release} cannot supersede itself`,
  "released.name-other": () => "name another release",
  "released.unknown": ({ release }) => `the publisher has no release ${release}`,
  "released.superseded": ({ release, by }) => `release ${release} is already superseded, by ${by}`,
  "released.withdraw-instead": () => "withdraw it, or supersede the release that took its place",
  "released.no-publisher": () => "no publisher is configured",
  "released.set-and-ask": () => "set publisher.grpc in the aggregator's configuration, then ask again",
  "released.set-and-resume": () =>
    "set publisher.grpc in the aggregator's configuration, then `consilium study resume`",
};
