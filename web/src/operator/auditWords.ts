import { type AuditWords, accountKinds } from "../shared/access/auditFilter";
import { t } from "../shared/language";

export const operatorAudit: AuditWords = {
  get lead() {
    return t(
      "Actions of people and sites, as recorded by the aggregator. Each hospital keeps its own log of outgoing data.",
    );
  },
  get itself() {
    return t("the aggregator");
  },
  hasSites: true,
  kinds: {
    invited: "invited a site",
    "invitation replaced": "replaced an invitation",
    "invitation withdrawn": "withdrew an invitation",
    "invitation expired": "invitation expired unused",
    enrolled: "site enrolled",
    "enrolled again": "site enrolled again with the same key",
    "key replaced": "site's key was replaced",
    "certificate renewed late": "site's expired certificate was renewed",
    "enrolment refused": "enrolment was refused",
    "displaced key refused": "a replaced key tried to connect",
    expelled: "expelled a site's key",
    "changed the list of expelled sites": "changed the list of expelled sites",
    "published the list of members": "published the list of members",
    "started the study": "started the study",
    "resumed the study": "resumed the study",
    "accepted the result without its missing parts": "accepted the result without its missing parts",
    "began the study with the sites that had joined": "began with the sites that had joined",
    "gave the sites more time to join": "gave the sites more time to join",
    "cancelled the study": "cancelled the study",
    "withdrew the release": "withdrew the release",
    "superseded the release": "superseded the release",
    "asked a question": "asked a question",
    "answered a question": "answered a question",
    joined: "joined",
    refused: "refused",
    opened: "step started",
    posted: "site responded",
    received: "upload received",
    dropped: "continued without the site",
    faulty: "sent an invalid message",
    failed: "could not respond",
    countersigned: "countersigned",
    resumed: "study resumed",
    accepted: "result accepted without missing parts",
    ended: "study ended",
    "removed working data": "removed a study's working data",
    "removed study records": "removed details of a study",
    ...accountKinds,
  },
};
