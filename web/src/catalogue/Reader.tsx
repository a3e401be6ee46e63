import type { SessionView, SignedOutView } from "@consilium/core/access/views";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { request, setCsrf } from "../shared/api";
import { Dialog, FailureNotice, Field } from "../shared/components";
import { rich, t } from "../shared/language";

/** The session that a reader token was exchanged for. */
interface ReaderSession {
  readonly account: { readonly name: string };
  readonly csrf: string;
}

/** Set while there may be a session: readers of open releases never cause a session request. */
const hint = "consilium-reader";

function remember(isReader: boolean): void {
  try {
    if (isReader) localStorage.setItem(hint, "1");
    else localStorage.removeItem(hint);
  } catch {
    // Without storage the session is only forgotten by the page, not by the service.
  }
}

function mayBeReader(): boolean {
  // The organisation's sign-in redirects to this page.
  if (new URLSearchParams(location.search).has("reader")) remember(true);
  try {
    return localStorage.getItem(hint) !== null;
  } catch {
    return false;
  }
}

async function currentReader(): Promise<ReaderSession | null> {
  if (!mayBeReader()) return null;
  const session = await request<SessionView | SignedOutView>("GET", "/api/session");
  if (session.account === null) {
    remember(false);
    return null;
  }
  setCsrf(session.csrf);
  return session;
}

/** The reader whose session this browser holds. */
function useReader(): ReaderSession | null {
  return useQuery({ queryKey: ["reader"], queryFn: currentReader, staleTime: 60_000 }).data ?? null;
}

/** Sign in with a reader token, or sign out. */
export function ReaderMenu() {
  const reader = useReader();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const leave = async () => {
    await request("DELETE", "/api/session");
    remember(false);
    await queries.resetQueries();
  };
  if (reader !== null) {
    return (
      <>
        <span className="muted">{rich("Token: {name}", { name: reader.account.name })}</span>
        <button type="button" onClick={leave}>
          {t("Sign out")}
        </button>
      </>
    );
  }
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {t("Use a token")}
      </button>
      {isOpen ? (
        <Dialog title={t("Read with a token")} onClose={() => setOpen(false)}>
          <TokenForm onDone={() => setOpen(false)} />
        </Dialog>
      ) : null}
    </>
  );
}

/** The organisation's sign-in, if one is configured. */
async function providerLabel(): Promise<string | null> {
  return (await request<SessionView | SignedOutView>("GET", "/api/session")).methods.oidc?.label ?? null;
}

function ProviderLink() {
  const { data = null } = useQuery({ queryKey: ["provider"], queryFn: providerLabel, staleTime: 60_000 });
  if (data === null) return null;
  return (
    <p>
      <a className="button" data-kind="primary" href="/api/oidc/login">
        {data}
      </a>
    </p>
  );
}

/** Exchanges a reader token for a browser session. */
export function TokenForm({ onDone }: { readonly onDone?: () => void }) {
  const queries = useQueryClient();
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (form: FormData) => {
    setBusy(true);
    setFailure(null);
    try {
      const body = { token: String(form.get("token") ?? "").trim() };
      const session = await request<ReaderSession>("POST", "/api/session", { body });
      setCsrf(session.csrf);
      remember(true);
      onDone?.();
      await queries.resetQueries();
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form action={submit}>
      {failure === null ? null : <FailureNotice error={failure} />}
      <ProviderLink />
      <Field
        label={t("Reader's token")}
        hint={t(
          "Some releases need a token, which their publisher gives you. It begins with consilium-reader-.",
        )}
      >
        {(ids) => <input {...ids} name="token" type="password" autoComplete="off" maxLength={200} required />}
      </Field>
      <div className="actions">
        <button type="submit" data-kind="primary" disabled={isBusy}>
          {isBusy ? t("Checking…") : t("Use token")}
        </button>
      </div>
    </form>
  );
}
