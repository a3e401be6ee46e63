import type {
  NotificationKind,
  NotificationsView,
  NotificationTestView,
  NotificationView,
} from "@consilium/core/access/notificationViews";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Ago, Badge, Card, DataTable, FailureNotice, Loaded, Notice, type Tone } from "./components";
import { failureMessage, sentence } from "./failureWords";
import { type PlainMessage, plural, rich, said, served, t, upperFirst } from "./language";

interface Service {
  readonly notifications: () => Promise<NotificationsView>;
  readonly testNotifications: () => Promise<NotificationTestView>;
}

const kinds: Readonly<Record<NotificationKind, string>> = said({
  "study-waiting": "study waiting",
  "approval-reminder": "reminder",
  "few-rows-used": "few rows used",
  "site-silent": "site silent",
  "study-failed": "study failed",
  "study-released": "study released",
  "question-asked": "question asked",
  "question-answered": "question answered",
  test: "test",
});

const states: Readonly<Record<NotificationView["state"], readonly [tone: Tone, words: PlainMessage]>> = {
  waiting: ["info", "waiting"],
  sending: ["info", "sending"],
  sent: ["ok", "sent"],
  unconfirmed: ["warn", "unconfirmed"],
  obsolete: ["neutral", "no longer needed"],
  "given up": ["bad", "not delivered"],
};

/** E-mail and webhook: where messages go, what became of the newest, and a test. */
export function NotificationsCard(props: {
  readonly service: Service;
  /** Who is told of what, for people. */
  readonly about: string;
  /** The key of the settings in config.yaml. */
  readonly settings: string;
  readonly canTest: boolean;
}) {
  const { service, about, settings, canTest } = props;
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["notifications"],
    queryFn: service.notifications,
    refetchInterval: 60_000,
  });
  const test = useMutation({
    mutationFn: service.testNotifications,
    onSettled: () => queries.invalidateQueries({ queryKey: ["notifications"] }),
  });
  const isConfigured = (query.data?.channels.length ?? 0) > 0;
  return (
    <Card
      title={t("Notifications")}
      actions={
        isConfigured && canTest ? (
          <button type="button" disabled={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? t("Sending…") : t("Send test message")}
          </button>
        ) : undefined
      }
    >
      <p>{rich("{about} A message holds a name and a link.", { about })}</p>
      {test.error === null ? null : <FailureNotice error={test.error} />}
      {test.data?.map(({ channel, fault }) => (
        <Notice
          key={channel}
          tone={fault === null ? "ok" : "bad"}
          title={
            fault === null
              ? t("The test message by {channel} was accepted.", { channel: served(channel) })
              : t("The test message by {channel} failed.", { channel: served(channel) })
          }
        >
          {fault === null ? null : <p>{sentence(failureMessage("", fault))}</p>}
        </Notice>
      ))}
      <Loaded query={query} what={t("the notifications")}>
        {({ channels, newest, undelivered }) =>
          channels.length === 0 ? (
            <p className="muted">
              {rich("None are configured: set {settings} in config.yaml.", {
                settings: <code>{settings}</code>,
              })}
            </p>
          ) : (
            <>
              <p>{channels.map(({ channel, to }) => `${upperFirst(served(channel))}: ${to}`).join("; ")}</p>
              {undelivered === 0 ? null : (
                <Notice
                  tone="warn"
                  title={plural(
                    undelivered,
                    "{count} message is undelivered.",
                    "{count} messages are undelivered.",
                  )}
                >
                  <p>{t("Check the server and the password, then send a test message.")}</p>
                </Notice>
              )}
              {newest.length === 0 ? null : (
                <details>
                  <summary>{t("Newest messages")}</summary>
                  <DataTable
                    caption={t("Newest messages")}
                    hideCaption
                    columns={[
                      { title: t("Name"), cell: ({ name }) => name },
                      { title: t("Event"), cell: ({ kind }) => kinds[kind] },
                      { title: t("Channel"), cell: ({ channel }) => served(channel) },
                      { title: t("Noted"), cell: ({ notedAt }) => <Ago iso={notedAt} /> },
                      { title: t("State"), cell: (one) => <State of={one} /> },
                    ]}
                    rows={newest}
                    keyOf={({ kind, name, channel, notedAt }) => `${kind} ${name} ${channel} ${notedAt}`}
                  />
                </details>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function State({ of: { state, fault, attempts, nextAttemptAt } }: { readonly of: NotificationView }) {
  const [tone, words] = states[state];
  return (
    <>
      <Badge tone={tone}>{t(words)}</Badge>
      {fault === null ? null : (
        <>
          {" "}
          {failureMessage("", fault)}
          {nextAttemptAt === null
            ? null
            : rich("; attempt {attempts} {moment}", {
                attempts: attempts + 1,
                moment: <Ago iso={nextAttemptAt} />,
              })}
        </>
      )}
    </>
  );
}
