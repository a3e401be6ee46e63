import type { SetupLinkView } from "@consilium/core/access/views";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { request } from "../api";
import { Card, FailureNotice, Field, Notice } from "../components";
import { type PlainMessage, rich, served, t } from "../language";

const passwordMin = 12;

const nameHint: PlainMessage =
  "Lowercase letters and digits, with . _ @ - between them; shown in the audit log.";

/** The page of a one-time link, which sets an account's password. The secret is the address's fragment. */
export function SetUp({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const [, navigate] = useLocation();
  const [failure, setFailure] = useState<unknown>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  // Kept in memory and removed from the address at once, so that the history never contains it.
  const [secret] = useState(() => location.hash.slice(1));
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
  const link = useQuery({
    queryKey: ["setup link"],
    queryFn: () => request<SetupLinkView>("POST", "/api/setup/link", { body: { secret } }),
    enabled: secret !== "",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const known = link.data?.name ?? null;
  const submit = async (form: FormData) => {
    setFault(null);
    if (form.get("password") !== form.get("again")) {
      setFault(t("the passwords do not match"));
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const body = { secret, name: known ?? form.get("name"), password: form.get("password") };
      await request("POST", "/api/setup", { body });
      navigate("/", { replace: true });
      onDone();
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="entrance">
      <h1>
        {known === null
          ? t("Create your account: {name}", { name })
          : t("Set the password of {known}: {name}", { known, name })}
      </h1>
      {secret === "" ? (
        <Notice tone="warn" title={t("The address lacks the link's secret.")}>
          <p>
            {rich("Open the complete link, once. {code} creates another.", {
              code: <code>consilium account link</code>,
            })}
          </p>
        </Notice>
      ) : null}
      {link.error === null ? null : <FailureNotice error={link.error} />}
      {failure === null ? null : <FailureNotice error={failure} />}
      <Card>
        <form action={submit}>
          {link.data === undefined ? null : (
            <p>
              {rich("The account has the role {role}.", { role: <strong>{served(link.data.role)}</strong> })}
            </p>
          )}
          <Field label={t("Your name")} {...(known === null ? { hint: t(nameHint) } : {})}>
            {(ids) => (
              <input
                {...ids}
                name="name"
                autoComplete="username"
                maxLength={64}
                autoCapitalize="none"
                spellCheck={false}
                required
                {...(known === null ? {} : { value: known, readOnly: true })}
              />
            )}
          </Field>
          <Field
            label={t("Password")}
            hint={t("At least {passwordMin} characters; a few random words are easy to remember.", {
              passwordMin,
            })}
          >
            {(ids) => (
              <input
                {...ids}
                name="password"
                type="password"
                autoComplete="new-password"
                minLength={passwordMin}
                required
              />
            )}
          </Field>
          <Field label={t("Confirm password")} fault={fault}>
            {(ids) => <input {...ids} name="again" type="password" autoComplete="new-password" required />}
          </Field>
          <div className="actions">
            <button type="submit" data-kind="primary" disabled={isBusy || link.data === undefined}>
              {isBusy ? t("Please wait…") : known === null ? t("Create account") : t("Set password")}
            </button>
          </div>
        </form>
      </Card>
    </div>
  );
}
