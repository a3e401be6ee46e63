import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type SiteView,
  type StudyView,
  siteViewSchema,
  studyViewSchema,
} from "@consilium/core/operator/views";
import { parse, stringify } from "yaml";

/**
 * A whole federation on this machine, each part a process of its own, set up with the commands a person would type.
 * The demo, the system tests and the benches use it. The packages must be built.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const builtCommandLine = new URL("../cli/dist/run.js", import.meta.url).href;

export interface SitePlan {
  readonly id: string;
  /** Name and path of each table. */
  readonly tables: Readonly<Record<string, string>>;
  /** Entries under `tables:` in config.yaml that no option of `site enroll` writes. */
  readonly entries?: Readonly<Record<string, object>>;
  /** `engines:` of config.yaml. */
  readonly engines?: Readonly<Record<string, object>>;
  /** Of a table, as `site enroll --unit` has it; left out: rows. */
  readonly units?: Readonly<Record<string, string>>;
  /** By table counted by patients: the column that says which of a patient's rows are used. */
  readonly orderBy?: Readonly<Record<string, string>>;
  /** Its tables are computed by so many worker processes. */
  readonly workers?: number;
  readonly allowPaperVariants?: boolean;
  readonly allowNoPrivacy?: boolean;
  /** Nobody is there to approve, unless a test plays that person. */
  readonly approval?: "person" | "automatic";
  /** `host:port` that the agent dials in place of the aggregator's own: of something that stands between the two. */
  readonly dials?: string;
  /** Further options of `site enroll`. */
  readonly enrolOptions?: readonly string[];
  /** Keys of policy.yaml beside the ones above. */
  readonly policy?: SitePolicy;
  /** Arguments of node, up to `--state`, in place of the site agent's own. */
  readonly program?: readonly string[];
}

/** Arguments of node, up to `--state`. */
export interface ServerPrograms {
  readonly aggregator?: readonly string[];
  readonly publisher?: readonly string[];
}

/** Keys of policy.yaml; `budget` stands for the default population's, and null for none: a test runs many studies. */
interface SitePolicy extends Readonly<Record<string, unknown>> {
  readonly budget?: { readonly epsilon: number; readonly delta: number } | null;
}

/** Limits that no study of a test reaches. */
export const anyCost = { epsilon: 1_000_000, delta: 0.5 };

export type Role = "aggregator" | "publisher" | "site-agent" | "site-console";

/** What starts a process whose state folder has another path to it than to everybody else. */
export interface Launcher {
  /** Becomes node, whose path and arguments follow. */
  readonly command: readonly string[];
  /** The state folder, as the process reaches it. */
  readonly state: string;
}

const ownProgram = (role: Role): readonly string[] => [join(root, role, "dist", "main.js")];

/** One process of the federation, which may be killed and started again on the same state. */
export class Member {
  readonly role: Role;
  readonly logPath: string;
  #state: string;
  #launcher: Launcher | null = null;
  readonly #environment: NodeJS.ProcessEnv;
  #program: readonly string[];
  #child: ChildProcess | null = null;

  /** @param program - arguments of node, up to `--state` */
  constructor(
    role: Role,
    state: string,
    environment: NodeJS.ProcessEnv,
    program: readonly string[] = ownProgram(role),
  ) {
    this.role = role;
    this.#state = state;
    // Beside a state folder that is backed up and read through; a console's lies in that of its site.
    this.logPath = role === "site-console" ? `${dirname(state)}-console.log` : `${state}.log`;
    this.#environment = environment;
    this.#program = program;
  }

  /** The state folder, as this process reaches it. */
  get state(): string {
    return this.#state;
  }

  /** Starts from now on by another command; the state folder has been moved there. */
  moved(state: string, launcher: Launcher): void {
    this.#state = state;
    this.#launcher = launcher;
  }

  /** Starts from now on as another program. @param program - arguments of node, up to `--state`; left out: the role's own */
  becomes(program: readonly string[] = ownProgram(this.role)): void {
    this.#program = program;
  }

  get running(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Of the last run; null while it runs, and where a signal ended it. */
  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  /**
   * Starts the process and waits until its log says that it is ready. On a busy machine that takes long, and the log grows
   * meanwhile.
   * @param stallMs - it is given up when it has not even logged anything for so long
   */
  async start(stallMs = 180_000): Promise<void> {
    if (this.running) return;
    const before = await this.log();
    const [command, ...first] = [...(this.#launcher?.command ?? []), process.execPath];
    const state = this.#launcher?.state ?? this.state;
    const child = spawn(command!, [...first, ...this.#program, "--state", state], {
      env: { ...this.#environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log = createWriteStream(this.logPath, { flags: "a" });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    this.#child = child;
    let logged = before.length;
    let loggedAt = performance.now();
    for (;;) {
      // Before the log is read: what it said last is in it then.
      const { running } = this;
      const text = await this.log();
      const fresh = text.slice(before.length);
      if (/"(?:msg|message)":"ready"/.test(fresh)) return;
      if (!running) throw new Error(`${this.role} ended while starting:\n${fresh}`);
      if (text.length > logged) loggedAt = performance.now();
      logged = text.length;
      if (performance.now() - loggedAt > stallMs)
        throw new Error(`${this.role} has logged nothing for ${stallMs / 1000} s while starting:\n${fresh}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Ends the process and waits until it has gone. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === null || !this.running) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async log(): Promise<string> {
    return readFile(this.logPath, "utf8").catch(() => "");
  }

  async addresses(): Promise<Record<string, string>> {
    return JSON.parse(await readFile(join(this.state, "addresses.json"), "utf8")) as Record<string, string>;
  }
}

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line that was built, in this process. @param program - its `run.js` */
export async function commandLine(
  program: string,
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<CliResult> {
  const { runCli } = (await import(program)) as typeof import("../cli/src/run.js");
  const stdout: string[] = [];
  const stderr: string[] = [];
  const sink = (texts: string[]) => ({
    write: (text: string) => void texts.push(text),
    isTerminal: false,
    size: () => ({ columns: 100, rows: 40 }),
  });
  const code = await runCli(args, {
    stdout: sink(stdout),
    stderr: sink(stderr),
    environment: environment,
    workingFolder: process.cwd(),
    readInput: async () => "",
    inputBytes: Readable.from([]),
    writeBytes: async (bytes) => void stdout.push(Buffer.from(bytes).toString("latin1")),
    ask: async () => null,
    onSignal: () => () => {},
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

export class LocalFederation {
  readonly home: string;
  readonly name: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly aggregator: Member;
  readonly publisher: Member;
  /** Each hospital's agent. */
  readonly sites = new Map<string, Member>();
  /** Consoles of those hospitals for which a test has started one. */
  readonly consoles = new Map<string, Member>();

  private constructor(home: string, name: string, programs: ServerPrograms) {
    this.home = home;
    this.name = name;
    this.environment = {
      ...process.env,
      CONSILIUM_HOME: home,
      NO_COLOR: "1",
      no_proxy: "127.0.0.1,localhost",
    };
    this.aggregator = new Member(
      "aggregator",
      join(home, "aggregator"),
      this.environment,
      programs.aggregator,
    );
    this.publisher = new Member("publisher", join(home, "publisher"), this.environment, programs.publisher);
  }

  /**
   * Makes the federation in an empty folder and starts aggregator and publisher on free ports.
   * @param initArguments - further ones of `consilium init`
   * @param programs - in place of the two servers' own
   */
  static async create(
    home: string,
    name: string,
    initArguments: readonly string[] = [],
    programs: ServerPrograms = {},
  ): Promise<LocalFederation> {
    await mkdir(home, { recursive: true });
    const federation = new LocalFederation(home, name, programs);
    const ports = [
      "--grpc-port",
      "0",
      "--http-port",
      "0",
      "--publisher-grpc-port",
      "0",
      "--publisher-http-port",
      "0",
    ];
    await federation.cliOrThrow("init", "--name", name, ...ports, ...initArguments);
    await federation.startServers();
    return federation;
  }

  /**
   * Starts a federation on the state that an earlier one has left, on other ports.
   * @param sites - by site, the paths of its tables
   */
  static async reopen(
    home: string,
    name: string,
    sites: Readonly<Record<string, SitePlan["tables"]>>,
  ): Promise<LocalFederation> {
    const federation = new LocalFederation(home, name, {});
    for (const member of [federation.aggregator, federation.publisher])
      await editConfig(member.state, (config) => {
        config.listen = { grpc: "127.0.0.1:0", http: "127.0.0.1:0" };
      });
    await federation.startServers();
    const { grpc } = await federation.aggregator.addresses();
    for (const [id, tables] of Object.entries(sites)) {
      const member = new Member("site-agent", join(home, "sites", id), federation.environment);
      federation.sites.set(id, member);
      await editConfig(member.state, (config) => {
        config.aggregator = grpc;
        for (const [table, path] of Object.entries(tables))
          (config.tables as Record<string, { path: string }>)[table]!.path = path;
      });
    }
    await Promise.all([...federation.sites.values()].map((member) => member.start()));
    return federation;
  }

  private async startServers(): Promise<void> {
    await this.publisher.start();
    const { grpc } = await this.publisher.addresses();
    await editConfig(this.aggregator.state, (config) => {
      config.publisher = { grpc };
    });
    await this.aggregator.start();
    // Port 0 was for finding free ones: after a restart the same ones are needed.
    await this.keepPorts();
  }

  /** Writes the ports that were found into the configurations, so that a restarted process is found again. */
  private async keepPorts(): Promise<void> {
    for (const member of [this.aggregator, this.publisher]) {
      const { grpc, http } = await member.addresses();
      await editConfig(member.state, (config) => {
        config.listen = { grpc, http };
      });
    }
  }

  /** Invites and enrols a site, and starts its agent; `startConsole` starts its other process. */
  async addSite(plan: SitePlan): Promise<Member> {
    const { stdout } = await this.cliOrThrow("invite", plan.id, "--json");
    return this.addInvited((JSON.parse(stdout) as { token: string }).token, plan);
  }

  /** Enrols a site that was invited, and starts its agent. */
  async addInvited(token: string, plan: SitePlan): Promise<Member> {
    const state = join(this.home, "sites", plan.id);
    const tables = Object.entries(plan.tables).flatMap(([name, path]) => ["--table", `${name}=${path}`]);
    const units = Object.keys(plan.tables).flatMap((name) => [
      "--unit",
      `${name}=${plan.units?.[name] ?? "rows"}`,
    ]);
    const permissions = [
      ...(plan.allowPaperVariants === false ? [] : ["--allow-paper-variants"]),
      ...(plan.allowNoPrivacy ? ["--allow-no-privacy"] : []),
      "--approval",
      plan.approval ?? "automatic",
      ...(plan.enrolOptions ?? []),
    ];
    await this.cliOrThrow(
      "site",
      "enroll",
      "--token",
      token,
      "--state",
      state,
      "--csv-header",
      ...tables,
      ...units,
      ...permissions,
    );
    await writePolicy(state, { budget: null, perStudy: anyCost, maxUnanswered: 1_000, ...plan.policy });
    await editConfig(state, (config) => {
      config.console = { listen: "127.0.0.1:0" };
      config.offers = manyOffers;
      if (plan.dials !== undefined) config.aggregator = plan.dials;
      const written = config.tables as Record<
        string,
        { unit: { patient: { orderBy?: string } }; engine?: string }
      >;
      Object.assign(written, plan.entries);
      if (plan.engines !== undefined) config.engines = plan.engines;
      if (plan.workers !== undefined) {
        config.engines = { box: { kind: "processes", workers: plan.workers } };
        for (const table of Object.values(written)) table.engine = "box";
      }
      for (const [table, column] of Object.entries(plan.orderBy ?? {}))
        written[table]!.unit.patient.orderBy = column;
      if (plan.entries !== undefined) config.tables = { ...written, ...plan.entries };
    });
    const member = new Member("site-agent", state, this.environment, plan.program);
    this.sites.set(plan.id, member);
    await member.start();
    return member;
  }

  /** The pages, API, health and metrics of a site whose agent runs or is started soon. */
  async startConsole(id: string): Promise<Member> {
    const member =
      this.consoles.get(id) ??
      new Member("site-console", join(this.site(id).state, "console"), this.environment);
    this.consoles.set(id, member);
    await member.start();
    return member;
  }

  site(id: string): Member {
    const member = this.sites.get(id);
    if (member === undefined) throw new RangeError(`no site ${id}`);
    return member;
  }

  /** Waits until every site that runs is shown online. */
  async waitForSites(timeoutMs = 60_000): Promise<void> {
    const expected = [...this.sites].filter(([, member]) => member.running).map(([id]) => id);
    await waitUntil(
      async () => {
        const answer = await this.api<unknown[]>("GET", "/api/sites");
        const sites: SiteView[] = answer.map((site) => siteViewSchema.parse(site));
        const online = sites.filter((site) => site.presence === "online").map((site) => site.id);
        return expected.every((id) => online.includes(id)) || null;
      },
      timeoutMs,
      "all sites to be online",
    );
  }

  /** Runs `consilium …` as it was built, in this process: starting another takes longer than most commands. */
  async cli(...args: string[]): Promise<CliResult> {
    return commandLine(builtCommandLine, this.environment, args);
  }

  async cliOrThrow(...args: string[]): Promise<CliResult> {
    const result = await this.cli(...args);
    if (result.code !== 0)
      throw new Error(`consilium ${args[0]} ended with ${result.code}: ${result.stderr}${result.stdout}`);
    return result;
  }

  /** A call of the operator's API; throws {code, message} of a refusal. */
  async api<T>(method: "GET" | "POST", path: string, body?: string): Promise<T> {
    const { http } = await this.aggregator.addresses();
    const token = (await readFile(join(this.aggregator.state, "operator-token"), "utf8")).trim();
    const response = await fetch(`http://${http}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined
          ? {}
          : { "content-type": path === "/api/studies" ? "application/yaml" : "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const parsed = text === "" ? null : (JSON.parse(text) as unknown);
    if (!response.ok) throw Object.assign(new Error(text), parsed);
    return parsed as T;
  }

  async startStudy(study: string | object): Promise<StudyView> {
    const text = typeof study === "string" ? study : stringify(study);
    return studyViewSchema.parse(await this.api("POST", "/api/studies", text));
  }

  /** What the aggregator answers is held against its schema: it does not validate its own responses. */
  async study(id: string): Promise<StudyView> {
    return studyViewSchema.parse(await this.api("GET", `/api/studies/${id}`));
  }

  /** Waits for a state of the study; gives up when it ended otherwise, or in time. */
  async waitForStudy(
    id: string,
    wanted: (view: StudyView) => boolean,
    timeoutMs = 60_000,
  ): Promise<StudyView> {
    return waitUntil(
      async () => {
        // A restarting aggregator does not answer for a moment.
        const view = await this.study(id).catch(() => null);
        if (view === null) return null;
        if (wanted(view)) return view;
        if (view.endedAt !== null && view.failure !== null) {
          throw new Error(`study ${id} ${view.status}: [${view.failure.code}] ${view.failure.message}`);
        }
        return null;
      },
      timeoutMs,
      `study ${id}`,
    );
  }

  waitForRelease(id: string, timeoutMs?: number): Promise<StudyView> {
    return this.waitForStudy(id, (view) => view.status === "released", timeoutMs);
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.consoles.values(), ...this.sites.values(), this.aggregator, this.publisher].map((member) =>
        member.stop(),
      ),
    );
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.home, { recursive: true, force: true });
  }
}

/** A test offers more studies in a minute than a hospital is asked for in a year. */
export const manyOffers = { waiting: 10_000, perDay: 100_000, joined: 10_000 };

/** Changes a process's config.yaml; it takes effect at its next start. */
export async function editConfig(
  state: string,
  change: (config: Record<string, unknown>) => void,
): Promise<void> {
  const path = join(state, "config.yaml");
  const config = parse(await readFile(path, "utf8")) as Record<string, unknown>;
  change(config);
  await writeFile(path, stringify(config));
}

/** Changes a site's policy.yaml; a running agent reads it before it judges the next study. */
export async function writePolicy(state: string, { budget, ...keys }: SitePolicy): Promise<void> {
  const path = join(state, "policy.yaml");
  const policy = { ...(parse(await readFile(path, "utf8")) as Record<string, unknown>), ...keys };
  if (budget !== undefined) {
    const populations = (policy.populations ?? {}) as Record<string, unknown>;
    policy.populations = { ...populations, default: budget ?? { epsilon: "unlimited" } };
  }
  await writeFile(path, stringify(policy));
}

/** Polls until `probe` gives something other than null; less often when it takes long, for each look costs both sides some work. */
export async function waitUntil<T>(
  probe: () => Promise<T | null>,
  timeoutMs: number,
  what: string,
): Promise<T> {
  const begunAt = Date.now();
  for (;;) {
    const value = await probe();
    if (value !== null) return value;
    const waitedMs = Date.now() - begunAt;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, 100 + waitedMs / 20)));
  }
}
