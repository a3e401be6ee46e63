import type { InvitationListEntry } from "@consilium/core/operator/consoleViews";
import type { ExistingSite, InvitationView } from "@consilium/core/operator/views";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Option, SelectField } from "../../shared/choices";
import {
  Ago,
  Badge,
  Card,
  CodeBlock,
  ConfirmDialog,
  DataTable,
  FailureNotice,
  Field,
  Loaded,
  Moment,
  Notice,
  Page,
  type Tone,
} from "../../shared/components";
import { aggregator } from "../api";
import { useOverview } from "../overview";
import { expelCommand, siteIdFault, waysToEnrol } from "./commands";

/** Inviting sites, what each has to run, and what became of the invitations. */
export default function InvitationsPage() {
  const [made, setMade] = useState<InvitationView | null>(null);
  return (
    <Page title="Invitations" lead="A hospital enters the federation with a token that works once.">
      {made === null ? null : <Made key={made.token} invitation={made} />}
      <Invite onMade={setMade} />
      <Listed />
      <Expelling />
    </Page>
  );
}

const lifetimes: readonly Option<number>[] = [
  [3_600_000, "1 hour"],
  [86_400_000, "24 hours"],
  [7 * 86_400_000, "7 days"],
  [30 * 86_400_000, "30 days"],
];
const usualLifetimeMs = 86_400_000;

function Invite({ onMade }: { readonly onMade: (made: InvitationView) => void }) {
  const queries = useQueryClient();
  const { view } = useOverview();
  const [site, setSite] = useState("");
  const [lifetimeMs, setLifetimeMs] = useState(usualLifetimeMs);
  const [failure, setFailure] = useState<unknown>(null);
  const fault = siteIdFault(site);
  const [asking, setAsking] = useState(false);
  const known = view?.sites.find(({ id }) => id === site);
  const isEnrolled = known !== undefined && known.presence !== "invited" && known.presence !== "expelled";
  const hasOpen = known?.invitedUntil != null;
  const invite = async (existing: ExistingSite) => {
    onMade(await aggregator.invite(site, lifetimeMs, existing));
    setSite("");
    await queries.invalidateQueries({ queryKey: ["invitations"] });
  };
  const submit = async () => {
    setFailure(null);
    if (isEnrolled || hasOpen) {
      setAsking(true);
      return;
    }
    try {
      await invite("refuse");
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  const inviteSameKey = async () => {
    setFailure(null);
    await invite("same-key").catch(setFailure);
  };
  return (
    <Card title="Invite a site">
      {failure === null ? null : <FailureNotice error={failure} />}
      <form action={submit}>
        <div className="field-row">
          <Field
            label="Site"
            hint="The hospital's name in the federation, such as st-mary. It appears in certificates and cannot be changed."
            fault={fault}
          >
            {(ids) => (
              <input
                {...ids}
                value={site}
                onChange={(event) => setSite(event.target.value)}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                required
              />
            )}
          </Field>
          <SelectField
            label="The token can be used for"
            value={lifetimeMs}
            options={lifetimes}
            onChange={setLifetimeMs}
          />
        </div>
        {isEnrolled ? (
          <Notice
            tone="warn"
            title={`${site} is enrolled${known.presence === "online" ? " and online" : ""}.`}
          >
            <p>
              A hospital whose certificate has expired needs a token for the key that it has: it replaces
              nothing, and any other key is refused.
            </p>
            <div className="actions">
              <button type="button" disabled={hasOpen} onClick={() => inviteSameKey()}>
                Invite for the same key
              </button>
            </div>
          </Notice>
        ) : null}
        <div className="actions">
          <button type="submit" data-kind="primary" disabled={site === "" || fault !== null}>
            {isEnrolled || hasOpen ? "Replace…" : "Invite"}
          </button>
        </div>
      </form>
      {asking ? (
        <ConfirmDialog
          title={
            isEnrolled ? `Let a new key take the place of ${site}?` : `Replace the invitation of ${site}?`
          }
          confirm={isEnrolled ? "Invite, and replace its key" : "Replace the invitation"}
          kind="danger"
          onConfirm={() => invite("replace")}
          onClose={() => setAsking(false)}
        >
          {hasOpen ? <p>The open invitation is withdrawn: its token can no longer be used.</p> : null}
          {isEnrolled ? (
            <p>
              Once the new token is used with another key, the aggregator refuses the key{" "}
              <code>{known.signingKeyFingerprint?.slice(0, 16)}</code> and disconnects the agent that has it.
              Do this for a hospital that lost its key, or to let a displaced hospital come back with its own.
            </p>
          ) : null}
        </ConfirmDialog>
      ) : null}
    </Card>
  );
}

/** Shown once: the token is stored nowhere. */
function Made({ invitation }: { readonly invitation: InvitationView }) {
  const { site, token, expiresAt } = invitation;
  const { view } = useOverview();
  const presence = view?.sites.find(({ id }) => id === site)?.presence;
  return (
    <Card title={`What ${site} has to do`}>
      {presence === "online" ? (
        <Notice tone="ok" title={`${site} has enrolled and is online.`} />
      ) : (
        <Notice tone="warn" title="This is shown once.">
          <p>
            Send it to the hospital's IT staff over a channel that you trust: whoever has the token can enrol
            as {site} until <Moment iso={expiresAt} />. A lost one is withdrawn below and replaced.
          </p>
        </Notice>
      )}
      <h3>The token</h3>
      <CodeBlock label="Invitation token" code={token} />
      {waysToEnrol(site, token).map((way) => (
        <details key={way.id} open={way.id === "command"}>
          <summary>{way.title}</summary>
          <ol>
            {way.steps.map(({ text, command }, index) => (
              <li key={command}>
                {text}
                <CodeBlock label={`${way.title}, command ${index + 1}`} code={command} />
              </li>
            ))}
          </ol>
        </details>
      ))}
      <p className="muted">
        If it does not come online, <code>consilium doctor</code> at the hospital says why, and what to ask of
        its network team.
      </p>
    </Card>
  );
}

const stateTones: Readonly<Record<InvitationListEntry["state"], Tone>> = {
  open: "info",
  used: "ok",
  expired: "neutral",
  withdrawn: "neutral",
};

function Listed() {
  const queries = useQueryClient();
  const { view } = useOverview();
  // Asked again when a site's presence changes: it may have used one.
  const sites = view?.sites.map(({ id, presence }) => `${id} ${presence}`).join(",") ?? "";
  const query = useQuery({
    queryKey: ["invitations", sites],
    queryFn: aggregator.invitations,
    placeholderData: (before) => before,
  });
  const [withdrawn, setWithdrawn] = useState<InvitationListEntry | null>(null);
  const withdraw = async (entry: InvitationListEntry) => {
    await aggregator.withdraw(entry.id);
    await queries.invalidateQueries({ queryKey: ["invitations"] });
  };
  return (
    <Card title="Invitations so far">
      <Loaded query={query} what="the invitations">
        {(entries) => (
          <DataTable
            caption="Invitations"
            hideCaption
            columns={[
              { title: "Site", cell: ({ site }) => <span className="one-line">{site}</span> },
              {
                title: "State",
                cell: (entry) => <Badge tone={stateTones[entry.state]}>{entry.state}</Badge>,
              },
              { title: "Expires", cell: (entry) => <Ago iso={entry.expiresAt} /> },
              {
                title: "May replace key",
                cell: ({ replacesKey }) =>
                  replacesKey === null ? "–" : <code>{replacesKey.slice(0, 16)}</code>,
              },
              {
                title: "Used",
                cell: (entry) => (entry.usedAt === null ? "–" : <Moment iso={entry.usedAt} />),
              },
              {
                title: "Withdraw",
                cell: (entry) =>
                  entry.state === "used" || entry.state === "withdrawn" ? (
                    "–"
                  ) : (
                    <button
                      type="button"
                      aria-label={`Withdraw the invitation of ${entry.site}`}
                      onClick={() => setWithdrawn(entry)}
                    >
                      Withdraw…
                    </button>
                  ),
              },
            ]}
            rows={entries}
            keyOf={(entry) => entry.id}
            empty="No invitation has been made yet."
          />
        )}
      </Loaded>
      {withdrawn === null ? null : (
        <ConfirmDialog
          title={`Withdraw the invitation of ${withdrawn.site}?`}
          confirm="Withdraw it"
          kind="danger"
          onConfirm={() => withdraw(withdrawn)}
          onClose={() => setWithdrawn(null)}
        >
          <p>Its token can be used no more. You can invite the site again.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function Expelling() {
  const { view } = useOverview();
  const sites = (view?.sites ?? []).filter(
    ({ presence }) => presence !== "invited" && presence !== "expelled",
  );
  const [site, setSite] = useState("");
  const chosen = site || sites[0]?.id || "st-mary";
  return (
    <Card title="Expelling a site">
      <p>
        A site is expelled for good: its key goes onto a list that every site is given, and no study goes on
        with it. The list is signed with the federation's root key, which no server holds, so this page cannot
        do it. Whoever keeps the authority folder runs, where it is at hand:
      </p>
      {sites.length === 0 ? null : (
        <SelectField
          label="Which site"
          value={chosen}
          options={sites.map(({ id }) => [id, id])}
          onChange={setSite}
        />
      )}
      <CodeBlock label="The command that expels" code={expelCommand(chosen)} />
      <p className="muted">The hospital can come back under a new invitation, with a new key.</p>
    </Card>
  );
}
