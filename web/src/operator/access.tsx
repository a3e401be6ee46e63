import type { AccessWords } from "../shared/access/service";

export const operatorAccess: AccessWords = {
  roles: [
    { role: "viewer", title: "viewer: sees everything, changes nothing" },
    { role: "operator", title: "operator: may do everything" },
  ],
  tokens: (
    <>
      For scripts and for <code>consilium</code> on another machine (<code>--token-file</code>). The
      operator-token file in the aggregator's state folder goes on working beside them.
    </>
  ),
};
