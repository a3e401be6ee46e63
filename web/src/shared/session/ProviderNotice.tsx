import { useEffect, useState } from "react";
import { Notice } from "../components";
import { t } from "../language";

/** Shows once why signing in through the organisation failed. */
export function ProviderNotice() {
  const [code] = useState(() => failureIn(location.search));
  useEffect(() => {
    // So that neither a reload nor a bookmark shows it again.
    if (code !== null) history.replaceState(history.state, "", location.pathname);
  }, [code]);
  if (code === null) return null;
  return (
    <Notice
      tone="warn"
      title={t("Sign-in through your organisation failed.")}
      action={
        <a className="button" href="/api/oidc/login">
          {t("Try it again")}
        </a>
      }
    >
      <p>
        {code === "NOT_PERMITTED"
          ? t(
              "None of your groups has access here. Ask the service's administrator for access, or sign in with another account.",
            )
          : t(
              "Try again. If the problem persists, contact the service's administrator: its log has the reason.",
            )}{" "}
        <code>{code}</code>
      </p>
    </Notice>
  );
}

/** The error code that the service put into the address; any other text there is not shown. */
function failureIn(search: string): string | null {
  return /^[A-Z_]{1,40}$/.exec(new URLSearchParams(search).get("failure") ?? "")?.[0] ?? null;
}
