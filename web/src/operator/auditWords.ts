import { type AuditWords, accountKinds } from "../shared/access/auditFilter";

export const operatorAudit: AuditWords = {
  lead: "What people and sites did, as the aggregator wrote it down. Each hospital keeps its own log of what left it.",
  itself: "the aggregator",
  hasSites: true,
  kinds: {
    invited: "invited a site",
    "took back an invitation": "took back an invitation",
    "changed the list of expelled sites": "changed the list of expelled sites",
    "started the study": "started the study",
    "resumed the study": "resumed the study",
    "cancelled the study": "cancelled the study",
    joined: "joined",
    refused: "refused",
    opened: "a step began",
    posted: "took part in a step",
    received: "vector or rows came whole",
    dropped: "went on without the site",
    faulty: "sent what is not right",
    failed: "could not do its part",
    countersigned: "countersigned",
    ended: "the study ended",
    ...accountKinds,
  },
};
