import type { SecretBytes } from "@consilium/secure-sum/crypto/secretBytes";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { type Channel, DeliveryError, type Message, subjectOf } from "./message.js";

interface MailSettings {
  readonly host: string;
  readonly port: number;
  readonly security: "starttls" | "tls";
  /** PEM of the authorities to trust; null: the system's. */
  readonly ca: string | null;
  readonly user?: string | undefined;
  readonly password: SecretBytes | null;
  readonly from: string;
  readonly to: readonly string[];
}

const timeoutMs = 30_000;

/** E-mail by a submission server, over TLS with its certificate checked, and never without. */
export function mailChannel(settings: MailSettings): Channel {
  return {
    channel: "mail",
    to: settings.to.join(", "),
    send: async (message) => {
      const text = await composed(settings, message);
      const session = new Session(settings);
      try {
        await session.open();
        await session.submit(text);
      } finally {
        session.close();
      }
    },
  };
}

function composed({ from, to }: MailSettings, message: Message): Promise<Buffer> {
  const subject = subjectOf(message);
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return new MailComposer({
    from,
    to: [...to],
    subject,
    text: `${subject}\n\n${message.link}\n`,
    messageId: `<${message.id}@${domain}>`,
    headers: { "Auto-Submitted": "auto-generated" },
  })
    .compile()
    .build();
}

/** One connection. What fails before the message is submitted is certain; afterwards only a reply of the server is. */
class Session {
  readonly #settings: MailSettings;
  readonly #connection: SMTPConnection;
  #failed: (error: Error) => void = () => undefined;

  constructor(settings: MailSettings) {
    this.#settings = settings;
    const { host, port, security, ca } = settings;
    this.#connection = new SMTPConnection({
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "starttls",
      // Mail servers of hospitals are not ours: below TLS 1.3, yet nothing that is broken.
      tls: { minVersion: "TLSv1.2", ...(ca === null ? {} : { ca }) },
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
    });
    this.#connection.on("error", (error: Error) => this.#failed(error));
  }

  async open(): Promise<void> {
    try {
      await this.#step((done) => this.#connection.connect(done));
      const { user, password } = this.#settings;
      if (user === undefined || password === null) return;
      const pass = Buffer.from(password.reveal()).toString("utf8");
      await this.#step((done) => this.#connection.login({ credentials: { user, pass } }, done));
    } catch (cause) {
      throw new DeliveryError(faultOf(cause), { isCertain: true, cause });
    }
  }

  async submit(text: Buffer): Promise<void> {
    const { from, to } = this.#settings;
    try {
      const refused = await this.#step<{ readonly rejected?: readonly string[] }>((done) =>
        this.#connection.send({ from, to: [...to] }, text, done),
      );
      const count = refused?.rejected?.length ?? 0;
      if (count > 0)
        throw new DeliveryError(`the mail server refused ${count} of ${to.length} addresses`, {
          isCertain: false,
        });
    } catch (cause) {
      if (cause instanceof DeliveryError) throw cause;
      const isAnswered = cause instanceof Error && "responseCode" in cause;
      throw new DeliveryError(faultOf(cause), { isCertain: isAnswered, cause });
    }
  }

  close(): void {
    this.#connection.close();
  }

  #step<T = unknown>(
    start: (done: (error?: Error | null, answer?: T) => void) => void,
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#failed = reject;
      start((error, answer) => (error === undefined || error === null ? resolve(answer) : reject(error)));
    });
  }
}

/** Without the server's own text, which may repeat addresses: the code of its reply, or of the system. */
function faultOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "the mail server did not answer";
  const { code, responseCode, command } = cause as { code?: string; responseCode?: number; command?: string };
  const reply = responseCode === undefined ? (code ?? "no code") : `reply ${responseCode}`;
  const at = command === undefined || command === "CONN" ? "" : ` at ${command.split(" ")[0]}`;
  return `the mail server did not take it: ${reply}${at}${tlsReason(cause)}`;
}

function tlsReason(cause: Error): string {
  return /certificate|self.signed|issuer|altnames/i.test(cause.message)
    ? ", its certificate is not trusted: check host and caFile"
    : "";
}
