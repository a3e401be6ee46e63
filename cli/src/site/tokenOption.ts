import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import { tokenMaxLength } from "@consilium/runtime/identity/invitation";
import { fileFault } from "../failure.js";
import type { Session } from "../session.js";

export interface TokenOptions {
  /** The token itself, as the command's argument or as an option. */
  readonly argument?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** The invitation token, given in exactly one way; `-` as its file is standard input. */
export async function readToken(
  session: Session,
  { argument, token, tokenFile }: TokenOptions,
): Promise<string> {
  const given = [argument, token, tokenFile].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new ConsiliumError(
      "USAGE",
      given.length === 0 ? "the invitation token is missing" : "the invitation token is given more than once",
      { remedy: "give it as the argument, or in a file with --token-file" },
    );
  }
  if (tokenFile === undefined) return (argument ?? token)!;
  if (tokenFile === "-") return (await session.io.readInput()).slice(0, 4 * tokenMaxLength);
  try {
    return await readFile(session.path(tokenFile), "utf8");
  } catch (cause) {
    throw new ConsiliumError("STATE_MISSING", `token file ${session.path(tokenFile)}: ${fileFault(cause)}`, {
      remedy: "check the path, or give the token itself",
      cause,
    });
  }
}
