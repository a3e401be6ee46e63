import type { AccessWords } from "../shared/access/service";
import { rich, t } from "../shared/language";

export const operatorAccess: AccessWords = {
  roles: [
    {
      role: "viewer",
      get title() {
        return t("viewer: read-only access");
      },
    },
    {
      role: "operator",
      get title() {
        return t("operator: full access");
      },
    },
  ],
  get tokens() {
    return rich(
      "For scripts and for {code} on another machine ({code2}). The operator-token file in the aggregator's state folder remains valid, too.",
      { code: <code>consilium</code>, code2: <code>--token-file</code> },
    );
  },
};
