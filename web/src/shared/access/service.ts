import type { AccountRole } from "@consilium/core/access/views";
import type { ReactNode } from "react";

/** A service's texts about its accounts. */
export interface AccessWords {
  /** The permissions of each role, lowest first. */
  readonly roles: readonly { readonly role: AccountRole; readonly title: string }[];
  /** Explains tokens, and what works without one. */
  readonly tokens: ReactNode;
}
