import type { ConsoleSiteView, ConsoleView } from "@consilium/core/operator/consoleViews";
import type { FederationView } from "@consilium/core/operator/views";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { Link, useLocation } from "wouter";
import {
  Ago,
  Badge,
  Card,
  type Column,
  CopyButton,
  DataTable,
  Empty,
  Facts,
  Loaded,
  Moment,
  Notice,
  Page,
  StreamBadge,
} from "../../shared/components";
import { formatAge } from "../../shared/format";
import { plural, rich, t } from "../../shared/language";
import { NotificationsCard } from "../../shared/NotificationsCard";
import { onDemand } from "../../shared/onDemand";
import { saveFile } from "../../shared/saveFile";
import { aggregator } from "../api";
import { useOverview, WithOverview } from "../overview";
import { useCanOperate } from "../role";
import { RunningStudies } from "../studies/RunningStudies";
import { StudyTable } from "../studies/StudyTable";
import {
  clockText,
  concernsOf,
  headline,
  leastSites,
  presenceMeanings,
  presenceTones,
  presenceWords,
} from "./siteHealth";

const StudyTrend = onDemand(() => import("./StudyTrend"));
const BudgetsCard = onDemand(() => import("./BudgetsCard"));

/** The federation at a glance. */
export default function FederationPage() {
  const { view, state } = useOverview();
  const canOperate = useCanOperate();
  return (
    <Page
      title={t("Federation")}
      help="/help/tutorials/operator"
      lead={view === null ? undefined : headline(view.sites)}
      actions={
        <>
          <FindStudy />
          <StreamBadge state={state} />
        </>
      }
    >
      <WithOverview>
        {(now) => (now.sites.length === 0 ? <FirstSteps /> : <Glance view={now} />)}
      </WithOverview>
      <div className="side-by-side">
        <NotificationsCard
          service={aggregator}
          about={t(
            "The operator is told when a site is silent, when a study fails or is released, and when a hospital asks a question.",
          )}
          settings="notifications"
          canTest={canOperate}
        />
        <About />
      </div>
      <Suspense fallback={null}>
        <BudgetsCard />
      </Suspense>
    </Page>
  );
}

function FindStudy() {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          navigate(`/studies?q=${encodeURIComponent(text.trim())}`);
        }}
      >
        <input
          type="search"
          aria-label={t("Find a study")}
          placeholder={t("Find a study")}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
    </search>
  );
}

function Glance({ view }: { readonly view: ConsoleView }) {
  const canOperate = useCanOperate();
  const enrolled = view.sites.filter(({ presence }) => presence !== "invited" && presence !== "expelled");
  return (
    <>
      <Concerns view={view} />
      <Card
        title={t("Sites")}
        actions={
          canOperate ? (
            <Link className="button" href="/invitations">
              {t("Invite a site")}
            </Link>
          ) : null
        }
      >
        <DataTable
          caption={t("Sites, {sites}", { sites: view.sites.length })}
          hideCaption
          columns={columns(view)}
          rows={view.sites}
          keyOf={(site) => site.id}
        />
        {enrolled.length < leastSites ? (
          <p className="muted">
            {rich("A study needs at least {leastSites} sites: {enrolled} enrolled so far.", {
              leastSites,
              enrolled: enrolled.length,
            })}
          </p>
        ) : null}
      </Card>
      <Card
        title={t("Studies under way")}
        actions={
          <Link className="button" data-kind="primary" href="/compose">
            {t("New study")}
          </Link>
        }
      >
        <RunningStudies studies={view.running} />
      </Card>
      {view.ended.length + view.running.length === 0 ? null : (
        <Suspense fallback={null}>
          <StudyTrend
            marker={[...view.running, ...view.ended].map(({ id, status }) => `${id} ${status}`).join(" ")}
          />
        </Suspense>
      )}
      {view.ended.length === 0 ? null : (
        <Card title={t("Recently ended")} actions={<Link href="/studies">{t("All studies")}</Link>}>
          <StudyTable studies={view.ended} caption={t("Recently ended studies")} />
        </Card>
      )}
    </>
  );
}

function columns(view: ConsoleView): Column<ConsoleSiteView>[] {
  const now = Date.parse(view.now);
  return [
    { title: t("Site"), cell: ({ id }) => <span className="one-line">{id}</span> },
    {
      title: t("Status"),
      cell: ({ presence }) => (
        <span title={presenceMeanings[presence]}>
          <Badge tone={presenceTones[presence]}>{presenceWords[presence]}</Badge>
        </span>
      ),
    },
    { title: t("Now"), cell: (site) => <Doing site={site} /> },
    { title: t("Last seen"), cell: lastSeen },
    { title: t("Tables"), cell: ({ tables }) => (tables.length === 0 ? "–" : tables.join(", ")) },
    { title: t("Version"), cell: ({ software }) => software ?? "–" },
    { title: t("Certificate"), cell: (site) => certificateLeft(site, now) },
    { title: t("Key in force"), cell: (site) => <KeyInForce site={site} /> },
    {
      title: t("Clock"),
      cell: ({ presence, clockSkewMs }) =>
        clockSkewMs === null || presence === "expelled" ? "–" : clockText(clockSkewMs),
    },
  ];
}

function lastSeen({ presence, lastSeenAt, invitedUntil }: ConsoleSiteView) {
  if (presence === "online") return t("now");
  if (presence === "invited") {
    return invitedUntil === null ? t("never; invitation expired") : t("never");
  }
  return lastSeenAt === null ? t("never") : <Ago iso={lastSeenAt} />;
}

function certificateLeft({ presence, certificateExpiresAt }: ConsoleSiteView, now: number): string {
  if (presence === "expelled") return t("permanently rejected");
  if (certificateExpiresAt === null) return "–";
  const left = Date.parse(certificateExpiresAt) - now;
  return left <= 0 ? t("expired") : t("{left} left", { left: formatAge(left) });
}

function KeyInForce({
  site: { keySince, keyReplaced, signingKeyFingerprint },
}: {
  readonly site: ConsoleSiteView;
}) {
  if (keySince === null) return <>–</>;
  return (
    <span title={`SHA-256 ${signingKeyFingerprint}`}>
      {rich("since {Moment}{more}", {
        Moment: <Moment iso={keySince} />,
        more:
          keyReplaced === null ? null : (
            <span className="muted">
              {" "}
              {rich("in place of {value}", { value: keyReplaced.signingKeyFingerprint.slice(0, 16) })}
            </span>
          ),
      })}
    </span>
  );
}

function Doing({ site }: { readonly site: ConsoleSiteView }) {
  if (site.presence !== "expelled" && site.turnedAway !== null)
    return <span className="wrap">{t("connects, and is rejected")}</span>;
  if (site.doing.length === 0)
    return <span className="muted">{site.presence === "online" ? t("idle") : "–"}</span>;
  return (
    <ul className="plain">
      {site.doing.map(({ study, step, state }) => (
        <li key={study}>
          {state}: <Link href={`/studies/${study}`}>{study}</Link> <span className="muted">{step}</span>
        </li>
      ))}
    </ul>
  );
}

function Concerns({ view }: { readonly view: ConsoleView }) {
  const now = Date.parse(view.now);
  const all = view.sites.flatMap((site) =>
    concernsOf(site, view.software, now).map((concern) => ({ ...concern, site: site.id })),
  );
  if (all.length === 0) return null;
  const isBad = all.some(({ tone }) => tone === "bad");
  return (
    <Notice
      tone={isBad ? "bad" : "warn"}
      title={plural(all.length, "{count} item needs attention", "{count} items need attention")}
    >
      <ul>
        {all.map(({ site, text }) => (
          <li key={`${site} ${text}`}>
            <strong>{site}</strong> {text}.
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function FirstSteps() {
  const canOperate = useCanOperate();
  return (
    <Empty title={t("No sites yet.")}>
      <p>
        {t(
          "Start by inviting a site: the invitation holds a token that one hospital can use once to enrol. Its IT staff runs two commands; no inbound firewall port is needed.",
        )}
      </p>
      {canOperate ? (
        <p>
          <Link className="button" data-kind="primary" href="/invitations">
            {t("Invite the first site")}
          </Link>
        </p>
      ) : (
        <p>{t("An operator invites it.")}</p>
      )}
    </Empty>
  );
}

function expelledText(list: FederationView["expelledList"]): string {
  if (list === null) return t("missing: sites join no studies");
  const until =
    list.nextUpdate === null
      ? t("no date: re-sign it with consilium expelled renew")
      : t("re-sign by {value}", { value: list.nextUpdate.slice(0, 10) });
  return t("list {number}, {keys}, {until}", {
    number: String(list.number),
    keys: plural(list.sites, "{count} key", "{count} keys"),
    until,
  });
}

function About() {
  const query = useQuery({
    queryKey: ["federation"],
    queryFn: aggregator.federation,
    staleTime: 60_000,
  });
  return (
    <Card title={t("About this federation")}>
      <Loaded query={query} what={t("the federation's name")}>
        {(about) => (
          <Facts
            of={[
              [t("Name"), about.federation],
              [t("Sites connect to"), <code key="a">{about.grpcAddress}</code>],
              [
                t("Releases are deposited at"),
                about.publisher === null ? (
                  t("no publisher configured")
                ) : (
                  <code key="publisher">{about.publisher}</code>
                ),
              ],
              [t("Version"), about.software],
              [t("Expelled sites"), expelledText(about.expelledList)],
              [
                t("Root certificate"),
                <span key="r" className="row">
                  <code>{about.rootFingerprint}</code>
                  <CopyButton text={about.rootFingerprint} label={t("Copy the fingerprint")} />
                  <button
                    type="button"
                    onClick={() => saveFile("root.pem", about.rootPem, "application/x-pem-file")}
                  >
                    {t("Save root.pem")}
                  </button>
                </span>,
              ],
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
