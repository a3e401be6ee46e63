import type { AccountView, OneTimeLinkView } from "@consilium/core/access/views";
import { useState } from "react";
import { request } from "../api";
import { Ago, Card, ConfirmDialog, DataTable, FailureNotice, Field, Loaded, Moment } from "../components";
import { rich, said, served, t } from "../language";
import { ShownOnce, useManaged } from "./managed";
import { RoleSelect } from "./RoleSelect";
import type { AccessWords } from "./service";

const methodWords: Readonly<Record<AccountView["method"], string>> = said({
  password: "password",
  oidc: "the organisation's sign-in",
  link: "one-time link not used yet",
});

/** @param own - the signed-in person's account, which cannot remove itself or change its own role */
export function Accounts({ own, roles }: { readonly own: string; readonly roles: AccessWords["roles"] }) {
  const { query, again, path, pathOf, remove } = useManaged<AccountView>("accounts");
  const [link, setLink] = useState<OneTimeLinkView | null>(null);
  const [removed, setRemoved] = useState<AccountView | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const attempt = async (work: () => Promise<unknown>) => {
    setFailure(null);
    try {
      await work();
      await again();
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  const relink = (name: string) =>
    attempt(async () => setLink(await request<OneTimeLinkView>("POST", `${pathOf(name)}/link`)));
  return (
    <Card title={t("Accounts")}>
      {failure === null ? null : <FailureNotice error={failure} />}
      {link === null ? null : <LinkNotice link={link} />}
      <Loaded query={query} what={t("the accounts")}>
        {(accounts) => (
          <DataTable
            caption={t("All accounts")}
            hideCaption
            columns={[
              {
                title: t("Name"),
                cell: (account) => `${account.name}${account.name === own ? t(" (you)") : ""}`,
              },
              {
                title: t("Role"),
                cell: (account) =>
                  account.name === own ? (
                    served(account.role)
                  ) : (
                    <RoleSelect
                      roles={roles.map(({ role }) => ({ role, title: served(role) }))}
                      aria-label={t("Role of {name}", { name: account.name })}
                      value={account.role}
                      onChange={(role) =>
                        attempt(() => request("POST", `${pathOf(account.name)}/role`, { body: { role } }))
                      }
                    />
                  ),
              },
              { title: t("Sign-in method"), cell: (account) => methodWords[account.method] },
              {
                title: t("Last signed in"),
                cell: ({ lastSignInAt }) => (lastSignInAt === null ? t("never") : <Ago iso={lastSignInAt} />),
              },
              {
                title: t("Actions"),
                cell: (account) =>
                  account.name === own ? (
                    "–"
                  ) : (
                    <span className="row">
                      {account.method === "oidc" ? null : (
                        <button
                          type="button"
                          aria-label={t("New link for {name}", { name: account.name })}
                          onClick={() => relink(account.name)}
                        >
                          {t("New link")}
                        </button>
                      )}
                      <button
                        type="button"
                        data-kind="danger"
                        aria-label={t("Remove {name}", { name: account.name })}
                        onClick={() => setRemoved(account)}
                      >
                        {t("Remove…")}
                      </button>
                    </span>
                  ),
              },
            ]}
            rows={accounts}
            keyOf={(account) => account.name}
            empty={t("No accounts yet.")}
          />
        )}
      </Loaded>
      <AddAccount
        roles={roles}
        onAdd={(name, role) =>
          attempt(async () => setLink(await request<OneTimeLinkView>("POST", path, { body: { name, role } })))
        }
      />
      {removed === null ? null : (
        <ConfirmDialog
          title={t("Remove {name}?", { name: removed.name })}
          confirm={t("Remove account")}
          kind="danger"
          onConfirm={() => remove(removed.name)}
          onClose={() => setRemoved(null)}
        >
          <p>{t("The account is signed out everywhere at once. Its actions stay in the audit log.")}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function LinkNotice({ link }: { readonly link: OneTimeLinkView }) {
  return (
    <ShownOnce
      what={t("A one-time link for {more}", { more: link.name ?? t("a new account") })}
      label={t("One-time link")}
      secret={link.url}
    >
      {rich(
        "Send it over a trusted channel: anyone who opens it can set the password. It is valid until {Moment}.",
        { Moment: <Moment iso={link.expiresAt} /> },
      )}
    </ShownOnce>
  );
}

function AddAccount(props: {
  readonly roles: AccessWords["roles"];
  readonly onAdd: (name: string, role: string) => Promise<void>;
}) {
  const { roles, onAdd } = props;
  const [name, setName] = useState("");
  const [role, setRole] = useState<string>(roles[0]!.role);
  return (
    <form
      action={async () => {
        await onAdd(name.trim(), role);
        setName("");
      }}
    >
      <h3>{t("Add account")}</h3>
      <div className="field-row">
        <Field label={t("Name")} hint={t("lowercase letters and digits, with . _ @ - between them")}>
          {(ids) => (
            <input
              {...ids}
              value={name}
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
              autoCapitalize="none"
              maxLength={64}
              required
            />
          )}
        </Field>
        <Field label={t("Role")}>
          {(ids) => <RoleSelect {...ids} roles={roles} value={role} onChange={setRole} />}
        </Field>
      </div>
      <div className="actions">
        <button type="submit" data-kind="primary" disabled={name.trim() === ""}>
          {t("Add account")}
        </button>
      </div>
    </form>
  );
}
