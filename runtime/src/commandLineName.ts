import { userInfo } from "node:os";

/** The audit log's name for users of a socket that only the state folder's owner can open. */
export function commandLineName(): string {
  return `command line (${userName()})`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
