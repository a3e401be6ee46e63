import { useState } from "react";
import { useLocation } from "wouter";
import { request } from "../api";
import { Card, FailureNotice, Field, Notice } from "../components";

const passwordMin = 12;

/** Where the one-time link leads: the first person's account. The secret is the address's fragment. */
export function SetUp({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const [, navigate] = useLocation();
  const [failure, setFailure] = useState<unknown>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  // Kept for this page's life, and taken out of the address at once, so that no history holds it.
  const [secret] = useState(() => location.hash.slice(1));
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
  const submit = async (form: FormData) => {
    setFault(null);
    if (form.get("password") !== form.get("again")) {
      setFault("the two passwords differ");
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const body = { secret, name: form.get("name"), password: form.get("password") };
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
    <main className="page narrow">
      <h1>Make the first account: {name}</h1>
      {secret === "" ? (
        <Notice tone="warn" title="The address lacks the link's secret.">
          <p>
            Open the whole link, once. <code>consilium account link</code> makes another.
          </p>
        </Notice>
      ) : null}
      {failure === null ? null : <FailureNotice error={failure} />}
      <Card>
        <form action={submit}>
          <Field label="Your name">
            {(ids) => <input {...ids} name="name" autoComplete="username" maxLength={100} required />}
          </Field>
          <Field
            label="Password"
            hint={`At least ${passwordMin} characters; several words are easy to keep.`}
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
          <Field label="Password once more" fault={fault}>
            {(ids) => <input {...ids} name="again" type="password" autoComplete="new-password" required />}
          </Field>
          <div className="actions">
            <button type="submit" data-kind="primary" disabled={isBusy || secret === ""}>
              {isBusy ? "Making it…" : "Make the account"}
            </button>
          </div>
        </form>
      </Card>
    </main>
  );
}
