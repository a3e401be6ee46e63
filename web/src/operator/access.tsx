import type { AccessWords } from "../shared/access/service";

export const operatorAccess: AccessWords = {
  roles: [
    { role: "viewer", title: "viewer: read-only access" },
    { role: "operator", title: "operator: full access" },
  ],
  tokens: (
    <>
      For scripts and for <code>consilium</code> on another machine (<code>--token-file</code>). The
      operator-token file in the aggregator's state folder remains valid, too.
    </>
  ),
};
