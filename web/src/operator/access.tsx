import type { AccessWords } from "../shared/access/service";
import { rich, t } from "../shared/language";

export const operatorAccess: AccessWords = {
  roles: [
    { role: "viewer", title: "viewer: read-only access" },
    { role: "operator", title: "operator: full access" },
  ],
  tokens: (
    <>
      {rich(
        "For scripts and for {code} on another machine ({code2}). The operator-token file in the aggregator's state folder remains valid, too.",
        { code: <code>{t("consilium")}</code>, code2: <code>{t("--token-file")}</code> },
      )}
    </>
  ),
};
