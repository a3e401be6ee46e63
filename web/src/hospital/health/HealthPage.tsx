import type { SiteStatusView } from "@consilium/core/hospital/statusViews";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import {
  Ago,
  Badge,
  Card,
  CopyButton,
  Facts,
  Loaded,
  Moment,
  Notice,
  Page,
  useNow,
} from "../../shared/components";
import { failureMessage } from "../../shared/failureWords";
import { formatBytes, formatDelta } from "../../shared/format";
import { plural, t } from "../../shared/language";
import { NotificationsCard } from "../../shared/NotificationsCard";
import { useSession } from "../../shared/session/session";
import { hospital } from "../api";
import { shown } from "../studies/privacyWords";
import { type Attention, attentionOf } from "./attention";
import { Doctor } from "./Doctor";

export function HealthPage() {
  // Disk space and the last error emit no events.
  const { account } = useSession();
  const query = useQuery({ queryKey: ["status"], queryFn: hospital.status, refetchInterval: 15_000 });
  return (
    <Page title={t("Health")} lead={t("State of this hospital's agent, and what needs attention.")}>
      <Loaded query={query} what={t("the agent's state")}>
        {(status) => <Health status={status} />}
      </Loaded>
      <NotificationsCard
        service={hospital}
        about={t(
          "Approvers are told when a study waits, again before its deadline, and when the operator has answered a question.",
        )}
        settings="console.notifications"
        canTest={account.role === "administrator"}
      />
      <Doctor />
    </Page>
  );
}

function Health({ status }: { readonly status: SiteStatusView }) {
  const now = useNow(10_000);
  const attention = attentionOf(status, now);
  return (
    <>
      {attention.length === 0 ? (
        <Notice tone="ok" title={t("Everything is running normally.")}>
          <p>{t("The aggregator is connected, and nothing needs attention.")}</p>
        </Notice>
      ) : (
        attention.map((one) => <AttentionNotice key={one.title} of={one} />)
      )}
      <div className="health">
        <Connection status={status} />
        <Certificate status={status} />
        <Agent status={status} />
        <Here status={status} />
      </div>
    </>
  );
}

function AttentionNotice({ of }: { readonly of: Attention }) {
  return (
    <Notice
      tone={of.tone}
      title={of.title}
      action={of.href === null ? undefined : <Link href={of.href}>{t("Open")}</Link>}
    >
      <p>{of.text}</p>
      {of.studies === undefined ? null : (
        <ul>
          {of.studies.map(({ id, name, about }) => (
            <li key={id}>
              <Link href={`/studies/${id}`}>{name}</Link>: {about}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function Connection({ status }: { readonly status: SiteStatusView }) {
  const { connected, connectedSince, lastFault } = status;
  return (
    <Card title={t("Aggregator")}>
      <Facts
        of={[
          [
            t("Connection"),
            <Badge key="state" tone={connected ? "ok" : "bad"}>
              {connected ? t("connected") : t("not connected")}
            </Badge>,
          ],
          [t("Since"), connectedSince === null ? null : <Ago key="since" iso={connectedSince} />],
          [t("Address"), status.aggregator],
          [t("Version"), status.aggregatorSoftware],
          [
            t("Last error"),
            lastFault === null
              ? null
              : `${failureMessage(lastFault.code, lastFault.message)} (${lastFault.code})`,
          ],
        ]}
      />
    </Card>
  );
}

function Certificate({ status }: { readonly status: SiteStatusView }) {
  return (
    <Card title={t("Certificate")}>
      <Facts
        of={[
          [t("Expires"), <Ago key="ends" iso={status.certificateExpiresAt} />],
          [t("On"), <Moment key="on" iso={status.certificateExpiresAt} />],
          [t("Renews automatically"), <Moment key="renews" iso={status.certificateRenewsAt} />],
          [
            t("Signing key"),
            <span key="key" className="row">
              <code title={status.signingKeyFingerprint}>{status.signingKeyFingerprint.slice(0, 16)}…</code>
              <CopyButton text={status.signingKeyFingerprint} label={t("Copy fingerprint")} />
            </span>,
          ],
        ]}
      />
      <p className="muted">
        {t("Give other hospitals the fingerprint by telephone, so that they can pin it in their policy.")}
      </p>
    </Card>
  );
}

function Agent({ status }: { readonly status: SiteStatusView }) {
  return (
    <Card title={t("Agent")}>
      <Facts
        of={[
          [t("Site"), status.site],
          [t("Federation"), status.federation],
          [t("Version"), status.software],
          [t("Started"), <Ago key="started" iso={status.startedAt} />],
          [
            t("Tables are read"),
            status.tablesApart ? t("by another user than the agent's") : t("by the agent's own user"),
          ],
        ]}
      />
    </Card>
  );
}

const policyStates = {
  read: {
    tone: "ok",
    get text() {
      return t("read|policy");
    },
  },
  absent: {
    tone: "info",
    get text() {
      return t("none: every study needs manual approval");
    },
  },
  invalid: {
    tone: "bad",
    get text() {
      return t("invalid: every study is refused");
    },
  },
} as const;

/** What is used of each population's budget, and whether anything without a proof was ever sent. */
function Budgets({ status }: { readonly status: SiteStatusView }) {
  return status.budgets.map((budget) => {
    const { population, limit, held, delta: at, unproven, unanswered, maxUnanswered } = budget;
    const used = shown(held);
    const delta = formatDelta(at);
    return (
      <div key={population}>
        <Link href="/ledger">
          {limit === null
            ? t("{population}: ε {used} used at δ {delta}, no limit", { population, used, delta })
            : t("{population}: ε {used} of {limit} used at δ {delta}", { population, used, limit, delta })}
        </Link>{" "}
        {unproven === 0 ? null : <Badge tone="bad">{t("no proven bound")}</Badge>}
        {unanswered.length === 0 ? null : (
          <p className="muted">
            {t("{count} of {max} studies without an answer: {names}", {
              count: unanswered.length,
              max: maxUnanswered,
              names: unanswered.map(({ name }) => name).join(", "),
            })}{" "}
            {unanswered.length < maxUnanswered ? null : (
              <Badge tone="warn">{t("a person decides on the next")}</Badge>
            )}
          </p>
        )}
      </div>
    );
  });
}

function Here({ status }: { readonly status: SiteStatusView }) {
  const policy = policyStates[status.policy.state];
  const { disk, ledger } = status;
  return (
    <Card title={t("At this hospital")}>
      <Facts
        of={[
          [
            t("Tables"),
            status.tables.length === 0 ? (
              t("none|tables")
            ) : (
              <span key="tables">
                {status.tables.join(", ")} (<Link href="/table">{t("profile")}</Link>)
              </span>
            ),
          ],
          [
            t("Policy"),
            <Link key="policy" href="/policy">
              <Badge tone={policy.tone}>{policy.text}</Badge>
            </Link>,
          ],
          [
            t("Ledger"),
            <Link key="ledger" href="/ledger">
              {ledger.behind ? (
                <Badge tone="bad">{t("an old copy")}</Badge>
              ) : (
                plural(ledger.entries, "{count} entry", "{count} entries")
              )}
            </Link>,
          ],
          [t("Privacy budget"), <Budgets key="budget" status={status} />],
          [
            t("Disk"),
            disk === null
              ? null
              : t("{freeBytes} free of {totalBytes}", {
                  freeBytes: formatBytes(disk.freeBytes),
                  totalBytes: formatBytes(disk.totalBytes),
                }),
          ],
        ]}
      />
    </Card>
  );
}
