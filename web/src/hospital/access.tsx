import { type AuditWords, accountKinds } from "../shared/access/auditFilter";
import type { AccessWords } from "../shared/access/service";

export const hospitalAccess: AccessWords = {
  roles: [
    { role: "approver", title: "approver: can view everything, approve and deny studies" },
    { role: "administrator", title: "administrator: full access" },
  ],
  tokens: (
    <>
      For programs that use this console's API, such as the hospital's monitoring. <code>consilium site</code>{" "}
      on the agent's machine needs none: the owner of the state folder may always run it.
    </>
  ),
};

export const hospitalAudit: AuditWords = {
  lead: "Sign-ins, decisions and changes at this site. Outgoing data has its own log.",
  itself: "the agent",
  hasSites: false,
  kinds: {
    "approved the study": "approved a study",
    "denied the study": "denied a study",
    "asked the operator": "asked the operator",
    "answered a question": "answered a question",
    "named a deputy": "named a deputy",
    "removed a deputy": "removed a deputy",
    "approval lapsed": "approval lapsed",
    "changed the policy": "changed the policy",
    "reconciled the ledger": "reconciled the ledger",
    ...accountKinds,
  },
};
