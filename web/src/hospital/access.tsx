import { type AuditWords, accountKinds } from "../shared/access/auditFilter";
import type { AccessWords } from "../shared/access/service";

export const hospitalAccess: AccessWords = {
  roles: [
    { role: "approver", title: "approver: sees everything, approves and refuses studies" },
    { role: "administrator", title: "administrator: may do everything" },
  ],
  tokens: (
    <>
      For programs that use this console's API, such as the hospital's monitoring. <code>consilium site</code>{" "}
      on the agent's own machine needs none: it is for whoever owns the state folder.
    </>
  ),
};

export const hospitalAudit: AuditWords = {
  lead: "Who signed in, who decided what, and who changed what at this site. What left the hospital has a log of its own.",
  itself: "the agent",
  hasSites: false,
  kinds: {
    "approved the study": "approved a study",
    "refused the study": "refused a study",
    "approval lapsed": "approval lapsed",
    "changed the policy": "changed the policy",
    "reconciled the ledger": "reconciled the ledger",
    ...accountKinds,
  },
};
