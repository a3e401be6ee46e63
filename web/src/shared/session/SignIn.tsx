import type { SignInMethods } from "@consilium/core/access/views";
import { useState } from "react";
import { request } from "../api";
import { Card, FailureNotice, Field, Notice } from "../components";
import { rich, t } from "../language";
import { ProviderNotice } from "./ProviderNotice";

/** Sign-in by name and password, or through the organisation. */
export function SignIn(props: {
  readonly name: string;
  readonly setup: boolean;
  readonly methods: SignInMethods;
  readonly onDone: () => void;
}) {
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  // A sent form is emptied; after a mistyped password the name stays.
  const [name, setName] = useState("");
  const submit = async (form: FormData) => {
    setBusy(true);
    setFailure(null);
    try {
      const body = { name: form.get("name"), password: form.get("password") };
      await request("POST", "/api/session", { body });
      props.onDone();
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="entrance">
      <h1>{rich("Sign in: {name}", { name: props.name })}</h1>
      {props.setup ? (
        <Notice title={t("No accounts yet.")}>
          <p>
            {rich("The first start printed a one-time link. {code} creates another.", {
              code: <code>consilium account link</code>,
            })}
          </p>
        </Notice>
      ) : null}
      {failure === null ? null : <FailureNotice error={failure} />}
      <ProviderNotice />
      <Card>
        {props.methods.oidc === null ? null : (
          <p>
            <a className="button" data-kind="primary" href="/api/oidc/login">
              {props.methods.oidc.label}
            </a>
          </p>
        )}
        {props.methods.password ? (
          <form action={submit}>
            <Field label={t("Name")}>
              {(ids) => (
                <input
                  {...ids}
                  name="name"
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                  autoComplete="username"
                  maxLength={100}
                  required
                />
              )}
            </Field>
            <Field label={t("Password")}>
              {(ids) => (
                <input {...ids} name="password" type="password" autoComplete="current-password" required />
              )}
            </Field>
            <div className="actions">
              <button type="submit" data-kind="primary" disabled={isBusy}>
                {isBusy ? t("Signing in…") : t("Sign in")}
              </button>
            </div>
          </form>
        ) : null}
      </Card>
    </div>
  );
}
