import type { Name, None } from "../said.js";

/** What is said of accounts, sign-in and API tokens. */
export interface AccessSays {
  readonly "access.no-sign-in": None;
  readonly "access.completed": None;
  readonly "access.provider": None;
  /** The remedy. */
  readonly "access.use-role": { readonly roles: readonly Name[] };
  readonly "access.no-role": None;
  readonly "access.wrong-password": None;
  readonly "access.changed": None;
  readonly "access.wrong-current": None;
  readonly "access.other-link": None;
  /** The remedy. */
  readonly "access.keep-name": None;
  readonly "access.exists": { readonly account: Name };
  readonly "access.unknown": None;
  readonly "access.unknown-role": { readonly role: Name };
  readonly "access.elsewhere": { readonly account: Name };
  /** The remedy. */
  readonly "access.change-there": None;
  readonly "access.last": { readonly account: Name; readonly role: Name };
  readonly "access.link": None;
  readonly "access.tokens": { readonly max: number };
  /** The remedy. */
  readonly "access.revoke-token": None;
  readonly "access.unknown-token": None;
  readonly "access.failed-often": None;
  /** The remedy. */
  readonly "access.wait": { readonly seconds: number };
  readonly "access.unauthenticated": None;
  readonly "access.needs-role": { readonly role: Name; readonly own: Name };
  /** The remedy. */
  readonly "access.ask-role": { readonly role: Name };
  readonly "access.csrf": None;
  readonly "access.response-too-long": None;
  readonly "access.cross-origin": None;
  readonly "access.host": None;
  readonly "access.busy": { readonly others: number };
  readonly "access.no-password": None;
  /** The remedy. */
  readonly "access.use-password": None;
}
