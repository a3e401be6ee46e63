import { useEffect, useState } from "react";
import { Notice } from "../components";

/** What came of a way to the organisation's own sign-in and back that let nobody in: said once, where it led to. */
export function ProviderNotice() {
  const [code] = useState(() => failureIn(location.search));
  useEffect(() => {
    // So that neither a reload nor a bookmark says it again.
    if (code !== null) history.replaceState(history.state, "", location.pathname);
  }, [code]);
  if (code === null) return null;
  return (
    <Notice
      tone="warn"
      title="Your organisation's sign-in let nobody in."
      action={
        <a className="button" href="/api/oidc/login">
          Try it again
        </a>
      }
    >
      <p>
        {code === "NOT_PERMITTED"
          ? "It knows you, but none of your groups may come in here. Ask who looks after this service to let one in, or sign in as somebody else."
          : "Try again. If it stays so, tell who looks after this service: its log has the reason."}{" "}
        <code>{code}</code>
      </p>
    </Notice>
  );
}

/** The error's code that the service put into the address; anything else that stands there is not shown. */
function failureIn(search: string): string | null {
  return /^[A-Z_]{1,40}$/.exec(new URLSearchParams(search).get("failure") ?? "")?.[0] ?? null;
}
