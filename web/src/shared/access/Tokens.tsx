import type { ApiTokenView, MadeTokenView } from "@consilium/core/access/views";
import { useState } from "react";
import { request } from "../api";
import { type Option, SelectField } from "../choices";
import { Ago, Card, ConfirmDialog, DataTable, FailureNotice, Field, Loaded } from "../components";
import { served, t } from "../language";
import { ShownOnce, useManaged } from "./managed";
import { RoleSelect } from "./RoleSelect";
import type { AccessWords } from "./service";

/** Tokens of programs that use the API. */
export function Tokens({ words }: { readonly words: AccessWords }) {
  const { query, again, remove } = useManaged<ApiTokenView>("tokens");
  const [made, setMade] = useState<MadeTokenView | null>(null);
  const [revoked, setRevoked] = useState<ApiTokenView | null>(null);
  return (
    <Card title={t("API tokens")}>
      <p className="muted">{words.tokens}</p>
      {made === null ? null : (
        <ShownOnce
          what={t('The token "{label}"', { label: made.label })}
          label={t("API token")}
          secret={made.token}
        >
          {t("Only its hash is stored. Save it where only the program can read it.")}
        </ShownOnce>
      )}
      <Loaded query={query} what={t("the tokens")}>
        {(tokens) => (
          <DataTable
            caption={t("All API tokens")}
            hideCaption
            columns={[
              { title: t("Purpose"), cell: (token) => token.label },
              { title: t("Role"), cell: (token) => served(token.role) },
              { title: t("Created by"), cell: (token) => token.createdBy },
              {
                title: t("Expires"),
                cell: ({ expiresAt }) => (expiresAt === null ? t("never") : <Ago iso={expiresAt} />),
              },
              {
                title: t("Last used"),
                cell: ({ lastUsedAt }) => (lastUsedAt === null ? t("never") : <Ago iso={lastUsedAt} />),
              },
              {
                title: t("Revoke"),
                cell: (token) => (
                  <button
                    type="button"
                    data-kind="danger"
                    aria-label={t("Revoke the token {label}", { label: token.label })}
                    onClick={() => setRevoked(token)}
                  >
                    {t("Revoke…")}
                  </button>
                ),
              },
            ]}
            rows={tokens}
            keyOf={(token) => token.id}
            empty={t("No tokens yet.")}
          />
        )}
      </Loaded>
      <AddToken
        roles={words.roles}
        onMade={async (token) => {
          setMade(token);
          await again();
        }}
      />
      {revoked === null ? null : (
        <ConfirmDialog
          title={t('Revoke the token "{label}"?', { label: revoked.label })}
          confirm={t("Revoke")}
          kind="danger"
          onConfirm={() => remove(revoked.id)}
          onClose={() => setRevoked(null)}
        >
          <p>{t("The token stops working immediately.")}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

const day = 86_400_000;
/** The lifetime of a token that does not expire. */
const everMs = 0;
const lifetimes = (): readonly Option<number>[] => [
  [30 * day, t("30 days")],
  [90 * day, t("90 days")],
  [365 * day, t("1 year")],
  [everMs, t("never")],
];

function AddToken(props: {
  readonly roles: AccessWords["roles"];
  readonly onMade: (token: MadeTokenView) => Promise<void>;
}) {
  const { roles, onMade } = props;
  const [label, setLabel] = useState("");
  const [role, setRole] = useState<string>(roles[0]!.role);
  const [lifetimeMs, setLifetimeMs] = useState(90 * day);
  const [failure, setFailure] = useState<unknown>(null);
  const submit = async () => {
    setFailure(null);
    try {
      const expiry = lifetimeMs === everMs ? {} : { expiresInMs: lifetimeMs };
      const body = { label: label.trim(), role, ...expiry };
      await onMade(await request<MadeTokenView>("POST", "/api/tokens", { body }));
      setLabel("");
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <form action={submit}>
      <h3>{t("New token")}</h3>
      {failure === null ? null : <FailureNotice error={failure} />}
      <div className="field-row">
        <Field label={t("Purpose")} hint={t("for example: nightly report")}>
          {(ids) => (
            <input
              {...ids}
              value={label}
              onChange={(event) => setLabel(event.target.value)}
              maxLength={200}
              required
            />
          )}
        </Field>
        <Field label={t("Role of the token")}>
          {(ids) => <RoleSelect {...ids} roles={roles} value={role} onChange={setRole} />}
        </Field>
        <SelectField
          label={t("Expires after")}
          value={lifetimeMs}
          options={lifetimes()}
          onChange={setLifetimeMs}
        />
      </div>
      <div className="actions">
        <button type="submit" data-kind="primary" disabled={label.trim() === ""}>
          {t("Create token")}
        </button>
      </div>
    </form>
  );
}
