import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer it compares right away
  readonly json: any;
}

export interface Ask {
  readonly body?: unknown;
  /** Null takes a header out that a browser would send. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** What a browser does of itself: keeps cookies, says its origin with a change. For tests. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  csrf = "";
  readonly #port: number;
  readonly #host: string;
  readonly #from: string;

  /**
   * @param host - by which it opened the page
   * @param from - the address that it comes from
   */
  constructor(port: number, host = `127.0.0.1:${port}`, from = "127.0.0.1") {
    this.#port = port;
    this.#host = host;
    this.#from = from;
  }

  get origin(): string {
    return `http://${this.#host}`;
  }

  async ask(method: string, path: string, { body, headers = {} }: Ask = {}): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const isChange = method !== "GET" && method !== "HEAD";
    const sent: Record<string, string | null> = {
      host: this.#host,
      "sec-fetch-site": "same-origin",
      origin: isChange ? this.origin : null,
      "x-consilium-csrf": isChange && this.csrf !== "" ? this.csrf : null,
      cookie: this.cookies.size === 0 ? null : [...this.cookies].map((pair) => pair.join("=")).join("; "),
      "content-type": text === undefined ? null : "application/json",
      ...headers,
    };
    const present = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null);
    const to = { host: "127.0.0.1", port: this.#port, localAddress: this.#from, agent: false } as const;
    const answer = await exchange({ ...to, method, path, headers: Object.fromEntries(present) }, text);
    for (const cookie of answer.headers["set-cookie"] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (/; Max-Age=0(?:;|$)/.test(cookie)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    if (typeof answer.json?.csrf === "string") this.csrf = answer.json.csrf;
    return answer;
  }

  /** A browser with the same cookies. */
  copy(): TestBrowser {
    const other = new TestBrowser(this.#port, this.#host, this.#from);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    other.csrf = this.csrf;
    return other;
  }
}

function exchange(options: RequestOptions, body: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: incoming.statusCode!, headers: incoming.headers, text, json: jsonOf(text) });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
