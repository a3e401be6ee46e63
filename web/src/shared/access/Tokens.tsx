import type { ApiTokenView, MadeTokenView } from "@consilium/core/access/views";
import { useState } from "react";
import { request } from "../api";
import { type Option, SelectField } from "../choices";
import { Ago, Card, ConfirmDialog, DataTable, FailureNotice, Field, Loaded } from "../components";
import { ShownOnce, useManaged } from "./managed";
import { RoleSelect } from "./RoleSelect";
import type { AccessWords } from "./service";

/** Tokens of programs that use the API. */
export function Tokens({ words }: { readonly words: AccessWords }) {
  const { query, again, remove } = useManaged<ApiTokenView>("tokens");
  const [made, setMade] = useState<MadeTokenView | null>(null);
  const [revoked, setRevoked] = useState<ApiTokenView | null>(null);
  return (
    <Card title="API tokens">
      <p className="muted">{words.tokens}</p>
      {made === null ? null : (
        <ShownOnce what={`The token "${made.label}"`} label="API token" secret={made.token}>
          Only its hash is stored. Save it where only the program can read it.
        </ShownOnce>
      )}
      <Loaded query={query} what="the tokens">
        {(tokens) => (
          <DataTable
            caption="All API tokens"
            hideCaption
            columns={[
              { title: "Purpose", cell: (token) => token.label },
              { title: "Role", cell: (token) => token.role },
              { title: "Created by", cell: (token) => token.createdBy },
              {
                title: "Expires",
                cell: ({ expiresAt }) => (expiresAt === null ? "never" : <Ago iso={expiresAt} />),
              },
              {
                title: "Last used",
                cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Ago iso={lastUsedAt} />),
              },
              {
                title: "Revoke",
                cell: (token) => (
                  <button
                    type="button"
                    data-kind="danger"
                    aria-label={`Revoke the token ${token.label}`}
                    onClick={() => setRevoked(token)}
                  >
                    Revoke…
                  </button>
                ),
              },
            ]}
            rows={tokens}
            keyOf={(token) => token.id}
            empty="No tokens yet."
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
          title={`Revoke the token "${revoked.label}"?`}
          confirm="Revoke"
          kind="danger"
          onConfirm={() => remove(revoked.id)}
          onClose={() => setRevoked(null)}
        >
          <p>The token stops working immediately.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

const day = 86_400_000;
/** The lifetime of a token that does not expire. */
const everMs = 0;
const lifetimes: readonly Option<number>[] = [
  [30 * day, "30 days"],
  [90 * day, "90 days"],
  [365 * day, "1 year"],
  [everMs, "never"],
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
      <h3>New token</h3>
      {failure === null ? null : <FailureNotice error={failure} />}
      <div className="field-row">
        <Field label="Purpose" hint="for example: nightly report">
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
        <Field label="Role of the token">
          {(ids) => <RoleSelect {...ids} roles={roles} value={role} onChange={setRole} />}
        </Field>
        <SelectField label="Expires after" value={lifetimeMs} options={lifetimes} onChange={setLifetimeMs} />
      </div>
      <div className="actions">
        <button type="submit" data-kind="primary" disabled={label.trim() === ""}>
          Create token
        </button>
      </div>
    </form>
  );
}
