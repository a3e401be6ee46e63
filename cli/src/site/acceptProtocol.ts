import { commandLineName } from "@consilium/runtime/commandLineName";
import { type Command, InvalidArgumentError } from "commander";
import { exitCodes } from "../exitCodes.js";
import type { Program } from "../program.js";
import { agentOf } from "./agentSocket.js";
import { addStateOptions, type SiteStateOptions, siteState } from "./siteState.js";

const acceptTimeoutMs = 10_000;

/** A person's answer to PROTOCOL_DOWNGRADED. */
export function addAcceptProtocol(program: Program, site: Command): void {
  const command = addStateOptions(
    site
      .command("accept-protocol")
      .summary("speak an older protocol with the aggregator than before")
      .description(
        "The site keeps the highest protocol that it spoke with its federation's aggregator, and refuses a lower one with " +
          "PROTOCOL_DOWNGRADED: an older protocol may protect less. Run this only when the operator has confirmed, by another " +
          "way than the connection itself, that the aggregator runs older software on purpose. It is written to the audit log, " +
          "and needs a running agent, which dials again by itself.",
      )
      .argument("<version>", "the protocol that the message names", versionArgument),
  ).addHelpText("after", "\nExample:\n  $ consilium site accept-protocol 4");
  program.verb<[number, SiteStateOptions]>(command, async (session, to, options) => {
    const agent = agentOf(session, await siteState(session, options), acceptTimeoutMs);
    const answer = await agent.acceptProtocol({ to, by: commandLineName() });
    if (session.json) session.printJson(answer);
    else {
      session.print(
        `${session.style.caution("Accepted")} protocol ${answer.to}; it spoke ${answer.from} before.`,
      );
    }
    return exitCodes.ok;
  });
}

/** @throws InvalidArgumentError */
function versionArgument(written: string): number {
  if (!/^[1-9]\d{0,5}$/.test(written))
    throw new InvalidArgumentError("expected a protocol's number, such as 4");
  return Number(written);
}
