import { type AuditWords, accountKinds } from "../shared/access/auditFilter";
import type { AccessWords } from "../shared/access/service";
import { rich, t } from "../shared/language";

export const hospitalAccess: AccessWords = {
  roles: [
    {
      role: "approver",
      get title() {
        return t("approver: can view everything, approve and deny studies");
      },
    },
    {
      role: "administrator",
      get title() {
        return t("administrator: full access");
      },
    },
  ],
  get tokens() {
    return rich(
      "For programs that use this console's API, such as the hospital's monitoring. {code} on the agent's machine needs none: the owner of the state folder may always run it.",
      { code: <code>consilium site</code> },
    );
  },
};

export const hospitalAudit: AuditWords = {
  get lead() {
    return t("Sign-ins, decisions and changes at this site. Outgoing data has its own log.");
  },
  get itself() {
    return t("the agent");
  },
  hasSites: false,
  kinds: {
    "approved the study": "approved a study",
    "refused the study": "denied a study",
    "asked the operator": "asked the operator",
    "answered a question": "answered a question",
    "named a deputy": "named a deputy",
    "removed a deputy": "removed a deputy",
    "approval lapsed": "approval lapsed",
    "changed the policy": "changed the policy",
    "reconciled the ledger": "reconciled the ledger",
    "compacted the ledger": "archived old ledger entries",
    "accepted an older protocol": "accepted an older protocol",
    "removed working data": "removed a study's working data",
    "removed study records": "removed details of a study",
    ...accountKinds,
  },
};
