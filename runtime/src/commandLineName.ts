import { userInfo } from "node:os";

/** Whoever uses a socket that only the state folder's owner can open, as audit logs name them. */
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
