import type { AccountRole } from "@consilium/core/access/views";
import type { ReactNode } from "react";

/** What a service's pages say of its accounts. */
export interface AccessWords {
  /** What each role may do, the least first. */
  readonly roles: readonly { readonly role: AccountRole; readonly title: string }[];
  /** What a program may do with a token, and what works without one. */
  readonly tokens: ReactNode;
}
