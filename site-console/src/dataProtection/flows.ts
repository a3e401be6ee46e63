import type { ProtectionFlow } from "@consilium/core/hospital/dataProtectionViews";
import type { EgressKind } from "@consilium/gate/door";
import { allowsUnproved, type SiteFacts } from "./facts.js";
import { staffFlows } from "./staffFlows.js";

/** The data sent by the site's processes: to whom, when, with whose personal data, protected how. */
export function flowsOf(facts: SiteFacts): ProtectionFlow[] {
  const sent = sentByFlow(facts.egress);
  return [
    ...studyFlows(facts, sent),
    ...connectionFlows(facts, sent),
    ...proxyFlow(facts),
    ...databaseFlows(facts),
    ...[...sent.others].map(([kind, totals]) => otherFlow(kind, totals)),
    ...staffFlows(facts),
  ];
}

/** What is sent for studies. */
function studyFlows(facts: SiteFacts, sent: ReturnType<typeof sentByFlow>): ProtectionFlow[] {
  const rows = sent.of("rows");
  const tls = tlsWords(facts);
  const toAggregator = aggregatorWords(facts);
  return [
    {
      name: "Masked sums",
      what: "Vectors of numbers computed from a table: sums, counts, products of columns. Each is hidden by random masks; by itself it is random numbers. Each study above states what its sum over all hospitals reveals.",
      to: toAggregator,
      when: "at each stage of a study that this hospital joined",
      personal:
        "Patients: aggregated and masked, and with noise added in studies whose privacy is proven. Only the sum over the study's hospitals is readable.",
      protection: `secure sum between the hospitals; ${tls}`,
      sent: sent.of("sums"),
    },
    ...(allowsUnproved(facts) || rows.messages > 0
      ? [
          {
            name: "Rows and tag counts of published methods",
            what: "Reduced or generalised rows of this hospital, one by one, and counts of identical rows. Only methods of variant paper, or studies without privacy, send them; the study says so before it is approved.",
            to: `${toAggregator}; the rows in random order, mixed with those of the other hospitals, then readers of the release`,
            when: "at stages marked so, of a study that this hospital joined",
            personal: "Patients: row by row, readable by the aggregator",
            protection: `none against the aggregator; ${tls}`,
            sent: rows,
          },
        ]
      : []),
    {
      name: "Keys, shares and signatures",
      what: "The data to agree on the masks and to remove them from the sum: fresh public keys, shares sealed for the other hospitals, signatures; before each upload its size and hash.",
      to: `${toAggregator}; sealed shares go through it to the other hospitals of the study`,
      when: "at each stage of a study that this hospital joined",
      personal: "none: random numbers and signatures",
      protection: `sealed from hospital to hospital (X25519 and ML-KEM-768, HKDF-SHA256, AES-256-GCM); ${tls}`,
      sent: sent.of("keys"),
    },
    {
      name: "Decisions and errors",
      what: "That this hospital joins a study, awaits approval, refuses, or cannot continue: a code, without the reason and the person.",
      to: toAggregator,
      when: "when a study is offered or decided on, and when a step fails",
      personal: "none",
      protection: tls,
      sent: sent.of("decisions"),
    },
    {
      name: "Questions to the operator",
      what: "What an approver typed about a study, word by word, without their name.",
      to: toAggregator,
      when: "when an approver asks; at most 20 times about a study",
      personal: "what the approver typed, and nothing that was added to it",
      protection: tls,
      sent: sent.of("questions"),
    },
    {
      name: "Countersignatures of certificates",
      what: "This hospital's signature on what a release's certificate says; the number and hash of its ledger's newest entry; the hashes of the entries that charged for the study.",
      to: `${toAggregator}; they are part of the certificate, which readers of the release see`,
      when: "before a study that this hospital took part in is released",
      personal: "none, besides the hospital's name",
      protection: tls,
      sent: sent.of("countersignatures"),
    },
  ];
}

/** The data sent because this hospital is a member, whether or not a study runs. */
function connectionFlows(facts: SiteFacts, sent: ReturnType<typeof sentByFlow>): ProtectionFlow[] {
  const tls = tlsWords(facts);
  const toAggregator = aggregatorWords(facts);
  return [
    {
      name: "Ledger head",
      what: "With each vector and each countersignature: the number of the newest entry, its hash, and a salted hash of the populations' spending. It reveals neither a population's name nor a total. The aggregator returns it, which reveals an old copy of the ledger.",
      to: toAggregator,
      when: "with each masked vector and each countersignature",
      personal: "none; it says how many entries the ledger has",
      protection: `signed by this site; ${tls}`,
      sent: sent.of("heads"),
    },
    {
      name: "Hello",
      what: "Versions, this machine's clock, and the name of each table with the names and types of those columns that the policy allows and the configuration or the file's schema declares. No number of rows, no value. Under `announce: described` in the policy also what people wrote of these columns in the configuration (unit, bounds, levels), what the policy lets studies ask, and what is left of each table's budget, rounded down to a tenth.",
      to: toAggregator,
      when: "at each connection, and when what it holds was changed",
      personal: "none, as long as no column or table is named after a person",
      protection: tls,
      sent: sent.of("greetings"),
    },
    {
      name: "Heartbeats, started work and receipts",
      what: "A counter every five seconds; that work on a step has started; that the end of a study is known.",
      to: toAggregator,
      when: "while the agent is connected",
      personal:
        "none; how long an answer takes depends on how large a table is, unless the policy has answers leave at set times",
      protection: tls,
      sent: sent.of("signs"),
    },
    {
      name: "Requests for broadcasts",
      what: "The hash of a study's broadcast, to fetch it; the doctor's connection check.",
      to: toAggregator,
      when: "at each stage of a study that this hospital joined; when the doctor is asked",
      personal: "none",
      protection: tls,
      sent: sent.of("requests"),
    },
    {
      name: "Certificates",
      what: "Public keys and this hospital's name, to be certified.",
      to: toAggregator,
      when: "at enrolment, and by itself at half of a certificate's life",
      personal: "none",
      protection: tls,
      sent: sent.of("certificates"),
    },
    {
      name: "The connection itself",
      what: "This machine's network address, and the times and sizes of all of the above.",
      to: "network operators between here and the aggregator, and the aggregator",
      when: "while the agent is connected; connections are outbound only",
      personal: "none",
      protection: "none: addresses, times and sizes are visible on a network",
      sent: null,
    },
  ];
}

function aggregatorWords({ config }: SiteFacts): string {
  return `the aggregator (${config.aggregator})`;
}

type CountedFlow =
  | "sums"
  | "rows"
  | "keys"
  | "decisions"
  | "questions"
  | "countersignatures"
  | "heads"
  | "greetings"
  | "signs"
  | "requests"
  | "certificates";

/** Where each kind that the door logs is counted: a kind that is added there has to be added here. */
const flowOfKind: Readonly<Record<EgressKind, CountedFlow>> = {
  "masked vector": "sums",
  "reduced rows": "rows",
  "tags with counts": "rows",
  "keys of a secure sum": "keys",
  "sealed shares of a secure sum": "keys",
  "signature on the survivors of a secure sum": "keys",
  "shares that open a sum": "keys",
  "sealed exchange": "keys",
  "joining key": "decisions",
  "awaiting approval": "decisions",
  refusal: "decisions",
  fault: "decisions",
  "question to the operator": "questions",
  countersignature: "countersignatures",
  "upload header": "keys",
  "keys for the next sum": "keys",
  "sealed shares for the next sum": "keys",
  "head of the ledger": "heads",
  greeting: "greetings",
  heartbeat: "signs",
  "end receipt": "signs",
  "request for a broadcast": "requests",
  "connection check": "requests",
  "certificate request": "certificates",
};

type Sent = NonNullable<ProtectionFlow["sent"]>;

const nothingSent: Sent = { messages: 0, bytes: 0 };

/** Messages and bytes of each flow; under their own names those of kinds that another version of the agent has logged. */
function sentByFlow(log: SiteFacts["egress"]) {
  const known = new Map<CountedFlow, Sent>();
  const others = new Map<string, Sent>();
  const add = <K>(totals: Map<K, Sent>, key: K, { messages, bytes }: Sent) => {
    const before = totals.get(key) ?? nothingSent;
    totals.set(key, { messages: before.messages + messages, bytes: before.bytes + bytes });
  };
  for (const entry of log) {
    const { what } = entry;
    if (isKnownKind(what)) add(known, flowOfKind[what], entry);
    else add(others, what, entry);
  }
  return { of: (flow: CountedFlow) => known.get(flow) ?? nothingSent, others };
}

function isKnownKind(what: string): what is EgressKind {
  return Object.hasOwn(flowOfKind, what);
}

/** None is left out of the document. */
function otherFlow(kind: string, sent: Sent): ProtectionFlow {
  return {
    name: `Other messages: ${kind}`,
    what: "A kind of message that this version does not send.",
    to: "the aggregator",
    when: "see the egress log",
    personal: "see the egress log",
    protection: "mutual TLS 1.3",
    sent,
  };
}

function tlsWords({ proxy }: SiteFacts): string {
  const tunnel = proxy === null ? "" : ", not intercepted by the proxy";
  return `mutual TLS 1.3 from this agent to the aggregator${tunnel}`;
}

function proxyFlow({ proxy, config, agent }: SiteFacts): ProtectionFlow[] {
  if (proxy === null) return [];
  const source =
    proxy.source === "config.yaml"
      ? "set in config.yaml"
      : `from the variable ${proxy.source}${agent === null ? " where this document was made; the agent's own may differ" : ""}`;
  return [
    {
      name: "Request to the web proxy",
      what: `The address ${config.aggregator} to open a tunnel to${proxy.hasCredentials ? ", with a user name and a password" : ""}.`,
      to: `the web proxy ${proxy.address} (${source})`,
      when: "at each connection",
      personal: "none; the proxy sees times and sizes of what goes through the tunnel, not the content",
      protection: proxy.isTls ? "TLS to the proxy" : "none as far as the proxy",
      sent: null,
    },
  ];
}

function databaseFlows({ config }: SiteFacts): ProtectionFlow[] {
  const tables = config.databases.map(({ table }) => table);
  if (tables.length === 0) return [];
  return [
    {
      name: "Queries to the hospital's database",
      what: `The queries of config.yaml for ${tables.join(", ")}, in read-only transactions. Rows come back to the agent.`,
      to: "the hospital's own PostgreSQL database, as stated at each table",
      when: "at approval and at each stage of a study; its columns alone at each connection to the aggregator",
      personal: "Patients: the rows that come back, from the hospital's database to the agent",
      protection: "as stated at each table",
      sent: null,
    },
  ];
}
