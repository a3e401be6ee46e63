import type { DoctorFacts } from "@consilium/core/hospital/doctorFacts";
import type { DoctorCheck, DoctorView } from "@consilium/core/hospital/doctorView";
import { unwrap } from "@consilium/core/result";
import { parseAddress } from "../tls/address.js";
import { judgeAgent, judgeExpelledList } from "./agent.js";
import { check, fail, ok } from "./check.js";
import { judgeDisk } from "./disk.js";
import { judgeDates } from "./identityDates.js";
import { judgePolicy } from "./policy.js";
import { bypass, noHttp2, noTls, proxyFailed, unreached } from "./routeVerdicts.js";
import { judgeReader, judgeTables } from "./tables.js";

/**
 * Judges what a running agent says of itself. Of the network path to the aggregator it knows what its one connection came to, and
 * opens no other; `consilium doctor` beside it tries each step of the way.
 */
export function judgeSite(facts: DoctorFacts): DoctorView {
  const { configuration, identity, stateFolder, connection } = facts;
  const now = Date.parse(facts.checkedAt);
  const read =
    configuration.fault === null
      ? ok(`${configuration.path} is in order`)
      : fail(configuration.fault.message, configuration.fault.remedy);
  return {
    checkedAt: facts.checkedAt,
    software: facts.software,
    subject: "site",
    name: identity.id,
    aggregator: facts.aggregator,
    checks: [
      check("configuration", "Configuration", read),
      check("identity", "Keys and certificate of this site", judgeDates(identity, null, now)),
      check("disk", "State folder", judgeDisk(stateFolder, facts.disk)),
      judgeWay(facts),
      check("agent", "Agent", judgeAgent(connection, stateFolder)),
      check("expelled", "List of expelled sites", judgeExpelledList(connection, now)),
      check("policy", "Policy and units of privacy", judgePolicy(facts.policy)),
      judgeReader(facts.tablesApart, facts.tables),
      ...judgeTables(facts),
    ],
  };
}

const lookCloser = "run `consilium doctor` with the agent's state folder: it tries each step of the way";

/** Where the last attempt to connect ended. */
function judgeWay({ connection, proxy, machine, ...facts }: DoctorFacts): DoctorCheck {
  const { connected, aggregatorSoftware, lastFault } = connection;
  const answers = (verdict: Parameters<typeof check>[2]) =>
    check("aggregator", "Answer of the aggregator", verdict);
  if (connected)
    return answers(
      ok(`the connection stands; the aggregator runs ${aggregatorSoftware ?? "an unknown version"}`),
    );
  if (lastFault === null) return answers(fail("it has not answered yet", lookCloser));
  const address = unwrap(parseAddress(facts.aggregator));
  const { code, message, route } = lastFault;
  if (route === null) {
    if (code !== "UNREACHABLE") return answers(fail(`[${code}] ${message}`, lookCloser));
    const unknown = { message, remedy: lookCloser, stage: "tcp", reason: "closed", detail: null };
    return check("tcp", "Network path to the aggregator (TCP)", unreached(unknown, address, machine));
  }
  const fault = { message, ...route };
  if (fault.stage.startsWith("proxy") && proxy !== null)
    return check("proxy", "Web proxy", proxyFailed(fault, address, proxy, machine));
  switch (fault.stage) {
    case "interception":
      return check(
        "tls",
        "The aggregator's TLS certificate (not intercepted)",
        bypass(message, fault.detail ?? "an unknown authority", address, machine),
      );
    case "tls":
      return check(
        "tls",
        "The aggregator's TLS certificate (not intercepted)",
        noTls(address, `TCP connects, and then ${message}`, machine),
      );
    case "alpn":
      return check("http2", "HTTP/2", noHttp2(address, message, machine));
    default:
      return check("tcp", "Network path to the aggregator (TCP)", unreached(fault, address, machine));
  }
}
