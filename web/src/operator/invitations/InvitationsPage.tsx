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
  CopyButton,
  DataTable,
  FailureNotice,
  Field,
  Loaded,
  Moment,
  Notice,
  Page,
  type Tone,
} from "../../shared/components";
import { rich, served, t } from "../../shared/language";
import { aggregator } from "../api";
import { useOverview } from "../overview";
import { expelCommand, messageTo, siteIdFault, waysToEnrol } from "./commands";

/** Inviting sites, the commands each must run, and the state of invitations. */
export default function InvitationsPage() {
  const [made, setMade] = useState<InvitationView | null>(null);
  return (
    <Page
      help="/help/tutorials/operator"
      title={t("Invitations")}
      lead={t("A hospital joins the federation with a one-time token.")}
    >
      {made === null ? null : <Made key={made.token} invitation={made} />}
      <Invite onMade={setMade} />
      <Listed />
      <Expelling />
    </Page>
  );
}

const lifetimes = (): readonly Option<number>[] => [
  [3_600_000, t("1 hour")],
  [86_400_000, t("24 hours")],
  [7 * 86_400_000, t("7 days")],
  [30 * 86_400_000, t("30 days")],
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
    <Card title={t("Invite a site")}>
      {failure === null ? null : <FailureNotice error={failure} />}
      <form action={submit}>
        <div className="field-row">
          <Field
            label={t("Site")}
            hint={t(
              "The hospital's name in the federation, such as st-mary. It appears in certificates and cannot be changed.",
            )}
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
            label={t("The token is valid for")}
            value={lifetimeMs}
            options={lifetimes()}
            onChange={setLifetimeMs}
          />
        </div>
        {isEnrolled ? (
          <Notice
            tone="warn"
            title={
              known.presence === "online"
                ? t("{site} is enrolled and online.", { site })
                : t("{site} is enrolled.", { site })
            }
          >
            <p>
              {t(
                "A hospital whose certificate has expired needs a token for its current key. This token replaces nothing and is refused with any other key.",
              )}
            </p>
            <div className="actions">
              <button type="button" disabled={hasOpen} onClick={() => inviteSameKey()}>
                {t("Invite with the same key")}
              </button>
            </div>
          </Notice>
        ) : null}
        <div className="actions">
          <button type="submit" data-kind="primary" disabled={site === "" || fault !== null}>
            {isEnrolled || hasOpen ? t("Replace…") : t("Invite")}
          </button>
        </div>
      </form>
      {asking ? (
        <ConfirmDialog
          title={
            isEnrolled
              ? t("Allow a new key for {site}?", { site })
              : t("Replace the invitation of {site}?", { site })
          }
          confirm={isEnrolled ? t("Invite and replace key") : t("Replace invitation")}
          kind="danger"
          onConfirm={() => invite("replace")}
          onClose={() => setAsking(false)}
        >
          {hasOpen ? <p>{t("The open invitation is withdrawn and its token becomes invalid.")}</p> : null}
          {isEnrolled ? (
            <p>
              {rich(
                "Once the new token is used with another key, the aggregator refuses the key {value} and disconnects the agent that uses it. Do this for a hospital that lost its key, or to readmit a displaced hospital with its own key.",
                { value: <code>{known.signingKeyFingerprint?.slice(0, 16)}</code> },
              )}
            </p>
          ) : null}
        </ConfirmDialog>
      ) : null}
    </Card>
  );
}

/** Shown once: the token is not stored. */
function Made({ invitation }: { readonly invitation: InvitationView }) {
  const { site, token, expiresAt } = invitation;
  const { view } = useOverview();
  const presence = view?.sites.find(({ id }) => id === site)?.presence;
  return (
    <Card title={t("Next steps for {site}", { site })}>
      {presence === "online" ? (
        <Notice tone="ok" title={t("{site} has enrolled and is online.", { site })} />
      ) : (
        <Notice tone="warn" title={t("This is shown once.")}>
          <p>
            {rich(
              "Send it to the hospital's IT staff over a trusted channel: anyone with the token can enrol as {site} until {Moment}. If it is lost, withdraw it below and create a new one.",
              { site, Moment: <Moment iso={expiresAt} /> },
            )}
          </p>
        </Notice>
      )}
      <h3>{t("The token")}</h3>
      <CodeBlock label={t("Invitation token")} code={token} />
      {waysToEnrol(site, token).map((way) => (
        <details key={way.id} open={way.id === "command"}>
          <summary>{way.title}</summary>
          <ol>
            {way.steps.map(({ text, command }, index) => (
              <li key={command}>
                {text}
                <CodeBlock
                  label={t("{title}, command {index}", { title: way.title, index: index + 1 })}
                  code={command}
                />
              </li>
            ))}
          </ol>
          <CopyButton
            text={messageTo(site, way, `${expiresAt.slice(0, 16).replace("T", " ")} UTC`)}
            label={t("Copy all as one message")}
            name={t("Copy all as one message: {title}", { title: way.title })}
          />
        </details>
      ))}
      <p className="muted">
        {rich(
          "If it does not come online, {code} at the hospital shows why, and what to request from its network team.",
          { code: <code>consilium doctor</code> },
        )}
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
  // Refetched when a site's presence changes: it may have used one.
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
    <Card title={t("Invitations")}>
      <Loaded query={query} what={t("the invitations")}>
        {(entries) => (
          <DataTable
            caption={t("Invitations")}
            hideCaption
            columns={[
              { title: t("Site"), cell: ({ site }) => <span className="one-line">{site}</span> },
              {
                title: t("State"),
                cell: (entry) => <Badge tone={stateTones[entry.state]}>{served(entry.state)}</Badge>,
              },
              { title: t("Expires"), cell: (entry) => <Ago iso={entry.expiresAt} /> },
              {
                title: t("May replace key"),
                cell: ({ replacesKey }) =>
                  replacesKey === null ? "–" : <code>{replacesKey.slice(0, 16)}</code>,
              },
              {
                title: t("Used"),
                cell: (entry) => (entry.usedAt === null ? "–" : <Moment iso={entry.usedAt} />),
              },
              {
                title: t("Withdraw"),
                cell: (entry) =>
                  entry.state === "used" || entry.state === "withdrawn" ? (
                    "–"
                  ) : (
                    <button
                      type="button"
                      aria-label={t("Withdraw the invitation of {site}", { site: entry.site })}
                      onClick={() => setWithdrawn(entry)}
                    >
                      {t("Withdraw…")}
                    </button>
                  ),
              },
            ]}
            rows={entries}
            keyOf={(entry) => entry.id}
            empty={t("No invitations yet.")}
          />
        )}
      </Loaded>
      {withdrawn === null ? null : (
        <ConfirmDialog
          title={t("Withdraw the invitation of {site}?", { site: withdrawn.site })}
          confirm={t("Withdraw")}
          kind="danger"
          onConfirm={() => withdraw(withdrawn)}
          onClose={() => setWithdrawn(null)}
        >
          <p>{t("Its token becomes invalid. You can invite the site again.")}</p>
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
    <Card title={t("Expel a site")}>
      <p>
        {t(
          "Expelling a site is permanent: its key is added to a list that every site receives, and no study continues with it. The list is signed with the federation's root key, which is not on any server, so this page cannot do it. The holder of the authority folder runs:",
        )}
      </p>
      {sites.length === 0 ? null : (
        <SelectField
          label={t("Site")}
          value={chosen}
          options={sites.map(({ id }) => [id, id])}
          onChange={setSite}
        />
      )}
      <CodeBlock label={t("Expel command")} code={expelCommand(chosen)} />
      <p className="muted">{t("The hospital can return with a new invitation and a new key.")}</p>
    </Card>
  );
}
