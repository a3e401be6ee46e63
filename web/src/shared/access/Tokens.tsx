import type { ApiTokenView, MadeTokenView } from "@consilium/core/access/views";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../api";
import {
  Ago,
  Card,
  CodeBlock,
  ConfirmDialog,
  DataTable,
  FailureNotice,
  Field,
  Loaded,
  Notice,
} from "../components";
import { RoleSelect } from "./RoleSelect";
import type { AccessWords } from "./service";

/** Programs that use the API. */
export function Tokens({ words }: { readonly words: AccessWords }) {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["tokens"],
    queryFn: () => request<ApiTokenView[]>("GET", "/api/tokens"),
  });
  const [made, setMade] = useState<MadeTokenView | null>(null);
  const [revoked, setRevoked] = useState<ApiTokenView | null>(null);
  const again = () => queries.invalidateQueries({ queryKey: ["tokens"] });
  return (
    <Card title="API tokens">
      <p className="muted">{words.tokens}</p>
      {made === null ? null : (
        <Notice tone="warn" title={`The token "${made.label}", shown once.`}>
          <p>Only its hash is kept. Put it where the program reads it, readable by nobody else.</p>
          <CodeBlock label="API token" code={made.token} />
        </Notice>
      )}
      <Loaded query={query} what="the tokens">
        {(tokens) => (
          <DataTable
            caption="All API tokens"
            hideCaption
            columns={[
              { title: "For", cell: (token) => token.label },
              { title: "Role", cell: (token) => token.role },
              { title: "Made by", cell: (token) => token.createdBy },
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
            empty="No token has been made yet."
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
          confirm="Revoke it"
          kind="danger"
          onConfirm={async () => {
            await request("DELETE", `/api/tokens/${encodeURIComponent(revoked.id)}`);
            await again();
          }}
          onClose={() => setRevoked(null)}
        >
          <p>The next request with it is refused.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

const day = 86_400_000;
const lifetimes = [
  { title: "30 days", ms: 30 * day },
  { title: "90 days", ms: 90 * day },
  { title: "1 year", ms: 365 * day },
  { title: "never", ms: null },
];

function AddToken(props: {
  readonly roles: AccessWords["roles"];
  readonly onMade: (token: MadeTokenView) => Promise<void>;
}) {
  const { roles, onMade } = props;
  const [label, setLabel] = useState("");
  const [role, setRole] = useState<string>(roles[0]!.role);
  const [lifetime, setLifetime] = useState(1);
  const [failure, setFailure] = useState<unknown>(null);
  const submit = async () => {
    setFailure(null);
    try {
      const { ms } = lifetimes[lifetime]!;
      const body = { label: label.trim(), role, ...(ms === null ? {} : { expiresInMs: ms }) };
      await onMade(await request<MadeTokenView>("POST", "/api/tokens", { body }));
      setLabel("");
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <form action={submit}>
      <h3>Make a token</h3>
      {failure === null ? null : <FailureNotice error={failure} />}
      <div className="field-row">
        <Field label="What for" hint="such as: nightly report">
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
        <Field label="Expires after">
          {(ids) => (
            <select {...ids} value={lifetime} onChange={(event) => setLifetime(Number(event.target.value))}>
              {lifetimes.map(({ title }, index) => (
                <option key={title} value={index}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <div className="actions">
        <button type="submit" data-kind="primary" disabled={label.trim() === ""}>
          Make the token
        </button>
      </div>
    </form>
  );
}
