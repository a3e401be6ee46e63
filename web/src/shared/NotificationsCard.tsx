import type {
  NotificationKind,
  NotificationsView,
  NotificationTestView,
  NotificationView,
} from "@consilium/core/access/notificationViews";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Ago,
  Badge,
  Card,
  DataTable,
  FailureNotice,
  Loaded,
  Notice,
  type Tone,
  upperFirst,
} from "./components";

interface Service {
  readonly notifications: () => Promise<NotificationsView>;
  readonly testNotifications: () => Promise<NotificationTestView>;
}

const kinds: Readonly<Record<NotificationKind, string>> = {
  "study-waiting": "study waiting",
  "approval-reminder": "reminder",
  "site-silent": "site silent",
  "study-failed": "study failed",
  "study-released": "study released",
  test: "test",
};

const states: Readonly<Record<NotificationView["state"], readonly [tone: Tone, words: string]>> = {
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
      title="Notifications"
      actions={
        isConfigured && canTest ? (
          <button type="button" disabled={test.isPending} onClick={() => test.mutate()}>
            {test.isPending ? "Sending…" : "Send test message"}
          </button>
        ) : undefined
      }
    >
      <p>{about} A message holds a name and a link.</p>
      {test.error === null ? null : <FailureNotice error={test.error} />}
      {test.data?.map(({ channel, fault }) => (
        <Notice
          key={channel}
          tone={fault === null ? "ok" : "bad"}
          title={
            fault === null
              ? `The test message by ${channel} was accepted.`
              : `The test message by ${channel} failed.`
          }
        >
          {fault === null ? null : <p>{upperFirst(fault)}.</p>}
        </Notice>
      ))}
      <Loaded query={query} what="the notifications">
        {({ channels, newest, undelivered }) =>
          channels.length === 0 ? (
            <p className="muted">
              None are configured: set <code>{settings}</code> in config.yaml.
            </p>
          ) : (
            <>
              <p>{channels.map(({ channel, to }) => `${upperFirst(channel)}: ${to}`).join("; ")}</p>
              {undelivered === 0 ? null : (
                <Notice
                  tone="warn"
                  title={`${undelivered} ${undelivered === 1 ? "message is" : "messages are"} undelivered.`}
                >
                  <p>Check the server and the password, then send a test message.</p>
                </Notice>
              )}
              {newest.length === 0 ? null : (
                <details>
                  <summary>Newest messages</summary>
                  <DataTable
                    caption="Newest messages"
                    hideCaption
                    columns={[
                      { title: "Name", cell: ({ name }) => name },
                      { title: "Event", cell: ({ kind }) => kinds[kind] },
                      { title: "Channel", cell: ({ channel }) => channel },
                      { title: "Noted", cell: ({ notedAt }) => <Ago iso={notedAt} /> },
                      { title: "State", cell: (one) => <State of={one} /> },
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
      <Badge tone={tone}>{words}</Badge>
      {fault === null ? null : (
        <>
          {" "}
          {fault}
          {nextAttemptAt === null ? null : (
            <>
              ; attempt {attempts + 1} <Ago iso={nextAttemptAt} />
            </>
          )}
        </>
      )}
    </>
  );
}
