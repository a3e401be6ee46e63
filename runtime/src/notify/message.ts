import type { NotificationChannel, NotificationKind } from "@consilium/core/access/notificationViews";

/** What a person is told: what happened, a name and a link. Everything else is behind the sign-in. */
export interface Message {
  /** The same in every attempt: a receiver can tell a repetition. */
  readonly id: string;
  readonly kind: NotificationKind;
  /** Of the study or the site. */
  readonly name: string;
  readonly link: string;
}

const words: Readonly<Record<NotificationKind, string>> = {
  "study-waiting": "Study waiting for approval",
  "approval-reminder": "Reminder: study waiting for approval",
  "few-rows-used": "Study uses few of the hospital's rows",
  "site-silent": "Site silent",
  "study-failed": "Study failed",
  "study-released": "Study released",
  "question-asked": "A hospital asked a question about a study",
  "question-answered": "The operator answered a question about a study",
  test: "Test message",
};

export function subjectOf({ kind, name }: Pick<Message, "kind" | "name">): string {
  return `${words[kind]}: ${name}`;
}

export interface Channel {
  readonly channel: NotificationChannel;
  /** For people: addresses, or the receiver's host. */
  readonly to: string;
  /** @throws DeliveryError */
  send(message: Message): Promise<void>;
}

/** A message that the receiver did not confirm. */
export class DeliveryError extends Error {
  /** Whether the receiver certainly does not have it: only then it is sent again. */
  readonly isCertain: boolean;

  constructor(
    message: string,
    { isCertain, cause }: { readonly isCertain: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause });
    this.name = "DeliveryError";
    this.isCertain = isCertain;
  }
}
