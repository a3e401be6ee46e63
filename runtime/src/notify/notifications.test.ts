import { describe, expect, it } from "vitest";
import { createLogger } from "../log.js";
import { osRandom } from "../random.js";
import { openStore, type Store } from "../store/store.js";
import { checkNotifications } from "./checkNotifications.js";
import { type Channel, DeliveryError, type Message } from "./message.js";
import { type Notice, Notifications, notificationsMigration, retryAfterMs } from "./notifications.js";

const log = createLogger({ service: "test", level: "error", stream: { write: () => undefined } });
const start = Date.UTC(2026, 2, 1);
const hour = 3_600_000;

const waiting = (change: Partial<Notice> = {}): Notice => ({
  kind: "study-waiting",
  subject: "pca-1",
  occurrence: "2026-03-02",
  name: "pca",
  path: "/studies/pca-1",
  until: start + 24 * hour,
  happenedAt: null,
  ...change,
});

/** A process over a store that outlives it; `outcome` is what each attempt comes to. */
function desk(store: Store = openStore(":memory:", [notificationsMigration]), now = start) {
  const sent: Message[] = [];
  const state = { now, outcome: async (): Promise<void> => undefined };
  const channel: Channel = {
    channel: "mail",
    to: "ada@st-mary.example",
    send: async (message) => {
      sent.push(message);
      await state.outcome();
    },
  };
  const notifications = new Notifications({
    store,
    channels: [channel],
    pages: () => "https://console.example",
    random: osRandom,
    log,
    now: () => state.now,
  });
  return { notifications, sent, state, store };
}
const refused = (isCertain: boolean) => async () => {
  throw new DeliveryError("the mail server did not take it", { isCertain });
};
const stateOf = ({ notifications }: ReturnType<typeof desk>) =>
  notifications.view().newest.map(({ state }) => state);

describe("a notification", () => {
  it("is sent once for each event, across restarts, whatever its deadline's milliseconds", async () => {
    const first = desk();
    first.notifications.note([waiting()], ["study-waiting"]);
    await first.notifications.deliver();
    expect(first.sent.map(({ kind, name, link }) => [kind, name, link])).toEqual([
      ["study-waiting", "pca", "https://console.example/studies/pca-1"],
    ]);
    const second = desk(first.store);
    second.notifications.note(
      [waiting({ occurrence: "2026-03-02 and 3 ms", until: start + 24 * hour + 3 })],
      ["study-waiting"],
    );
    await second.notifications.deliver();
    expect(second.sent).toEqual([]);
    // Resumed after its deadline it waits again.
    second.state.now = start + 25 * hour;
    second.notifications.note([waiting({ occurrence: "2026-03-04", until: start + 72 * hour })], []);
    await second.notifications.deliver();
    expect(second.sent).toHaveLength(1);
    expect(second.sent[0]!.id).not.toBe(first.sent[0]!.id);
  });

  it("is the same event once its deadline was extended, also after the first deadline", async () => {
    const { notifications, sent, state } = desk();
    notifications.note([waiting()], ["study-waiting"]);
    await notifications.deliver();
    const extended = waiting({ occurrence: "2026-03-05", until: start + 96 * hour });
    for (const hours of [23, 25, 48, 95]) {
      state.now = start + hours * hour;
      notifications.note([extended], ["study-waiting"]);
      await notifications.deliver();
    }
    expect(sent).toHaveLength(1);
    state.now = start + 98 * hour;
    notifications.note([waiting({ occurrence: "2026-03-09", until: start + 200 * hour })], ["study-waiting"]);
    await notifications.deliver();
    expect(sent).toHaveLength(2);
  });

  it("is repeated with the same id after a certain failure, later each time, and then given up", async () => {
    const at = desk();
    at.state.outcome = refused(true);
    at.notifications.note([waiting({ until: null })], []);
    await at.notifications.deliver();
    await at.notifications.deliver();
    expect(at.sent).toHaveLength(1);
    at.state.now += retryAfterMs(1);
    await at.notifications.deliver();
    expect(at.sent).toHaveLength(2);
    expect(new Set(at.sent.map(({ id }) => id)).size).toBe(1);
    expect(at.notifications.view()).toMatchObject({
      undelivered: 1,
      newest: [{ state: "waiting", attempts: 2 }],
    });
    expect(checkNotifications(at.notifications.view())).toMatchObject({ status: "warn" });
    for (let attempt = 2; attempt < 60; attempt++) {
      at.state.now += hour;
      await at.notifications.deliver();
    }
    expect(at.sent).toHaveLength(50);
    expect(stateOf(at)).toEqual(["given up"]);
  });

  it("is not repeated where the receiver may have it", async () => {
    const at = desk();
    at.state.outcome = refused(false);
    at.notifications.note([waiting()], []);
    await at.notifications.deliver();
    at.state.now += 2 * hour;
    await at.notifications.deliver();
    expect(at.sent).toHaveLength(1);
    expect(stateOf(at)).toEqual(["unconfirmed"]);
  });

  it("is not repeated after the process ended in the middle of an attempt", async () => {
    const first = desk();
    first.state.outcome = () => new Promise(() => undefined);
    first.notifications.note([waiting()], []);
    void first.notifications.deliver();
    expect(first.sent).toHaveLength(1);
    const second = desk(first.store);
    second.notifications.note([waiting()], []);
    await second.notifications.deliver();
    expect(second.sent).toEqual([]);
    expect(stateOf(second)).toEqual(["unconfirmed"]);
  });

  it("is dropped where the event is over before it could be sent", async () => {
    const at = desk();
    at.state.outcome = refused(true);
    at.notifications.note(
      [waiting(), waiting({ kind: "study-failed", subject: "old-1" })],
      ["study-waiting"],
    );
    await at.notifications.deliver();
    at.notifications.note([], ["study-waiting"]);
    at.state.now += hour;
    at.state.outcome = async () => undefined;
    await at.notifications.deliver();
    expect(stateOf(at).sort()).toEqual(["obsolete", "sent"]);
    // It was never sent: true again, it is.
    at.notifications.note([waiting()], ["study-waiting"]);
    await at.notifications.deliver();
    expect(stateOf(at)).toEqual(["sent", "sent"]);
  });

  it("of a test goes out at once and says what failed", async () => {
    const at = desk();
    expect(await at.notifications.test("st-mary")).toEqual([{ channel: "mail", fault: null }]);
    expect(at.sent[0]).toMatchObject({ kind: "test", name: "st-mary", link: "https://console.example/" });
    at.state.outcome = refused(true);
    expect(await at.notifications.test("st-mary")).toEqual([
      { channel: "mail", fault: "the mail server did not take it" },
    ]);
  });

  it("is not made of what happened before its channel was configured, or while it was not", () => {
    const ended = (subject: string, happenedAt: number) =>
      waiting({ kind: "study-failed", subject, occurrence: subject, until: null, happenedAt });
    const first = desk();
    first.notifications.note([ended("before", start - 1), ended("after", start)], []);
    expect(first.notifications.view().newest).toHaveLength(1);
    expect(desk(first.store).notifications.view().newest).toHaveLength(1);
    new Notifications({
      store: first.store,
      channels: [],
      pages: () => "",
      random: osRandom,
      log,
      now: () => start,
    });
    const again = desk(first.store, start + hour);
    again.notifications.note([ended("meanwhile", start + 1), ended("later", start + hour)], []);
    expect(again.notifications.view().newest).toHaveLength(2);
    expect(checkNotifications(again.notifications.view())).toMatchObject({ status: "ok" });
  });
});
