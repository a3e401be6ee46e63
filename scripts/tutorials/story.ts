import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { projectRoot } from "../repository.js";
import { difference } from "./compare.js";
import { type Block, type Step, stepsOf, withOutputs } from "./page.js";
import { Terminal } from "./terminal.js";

/**
 * The tutorials are one story: what an operator, a hospital's IT and data-protection officer, and an analyst do with one
 * federation on one machine. Here each page is a person with a terminal; all four run at once and wait for one another.
 */
export const tutorialPages = ["operator", "hospital-it", "data-protection-officer", "analyst"] as const;
export type TutorialPage = (typeof tutorialPages)[number];

export const pathOf = (page: TutorialPage) => join(projectRoot, "docs/tutorials", `${page}.md`);

/** What the pages have for a reader's home: as long as the one that is made for the story, so that lines break alike. */
export const shownHome = "/home/alice";
/** The usual ports: a reader's, and so those of the story. */
const ports = [7080, 7081, 7082, 7443, 7444];
const limitMs = 120_000;

export interface Picture {
  readonly page: TutorialPage;
  readonly name: string;
  /** The folder that `~` is in the story. */
  readonly home: string;
}

export interface StoryOptions {
  /** With `requests`, `pandas` and what else the analyst imports; null: Python's blocks are left out. */
  readonly python: string | null;
  /** Takes a picture; null: none is taken. */
  readonly take: ((picture: Picture) => Promise<void>) | null;
  readonly report?: (text: string) => void;
}

export interface Told {
  /** What is not as a page shows it, with its place. */
  readonly faults: readonly string[];
  /** Each page with the outputs that were printed now. */
  readonly pages: ReadonlyMap<TutorialPage, string>;
}

/** Runs every block of every tutorial. @throws Error where a port is taken, or a command fails */
export async function tellStory(options: StoryOptions): Promise<Told> {
  for (const port of ports) await expectFree(port);
  const home = await mkdtemp(`${tmpdir()}/`);
  const logs = await mkdtemp(join(tmpdir(), "consilium-tutorials-"));
  await symlink(projectRoot, join(home, "consilium"));
  const milestones = new Milestones();
  const faults: string[] = [];
  const pages = new Map<TutorialPage, string>();
  const ids = new Map<string, string>();
  const people = tutorialPages.map((page) => new Person(page, { home, logs, milestones, ids }, options));
  try {
    await Promise.all(
      people.map(async (person) => {
        try {
          await person.follow();
        } catch (thrown) {
          milestones.giveUp();
          throw thrown;
        }
      }),
    );
    for (const person of people) {
      faults.push(...person.faults);
      pages.set(person.page, person.written);
    }
    return { faults, pages };
  } finally {
    await Promise.all(people.map((person) => person.leave()));
    for (const folder of [home, logs]) await rm(folder, { recursive: true, force: true });
  }
}

/** What one person waits for that another does. */
class Milestones {
  readonly #reached = new Set<string>();
  #isOver = false;

  reach(milestone: string): void {
    this.#reached.add(milestone);
  }

  /** Somebody cannot continue: nobody waits any longer. */
  giveUp(): void {
    this.#isOver = true;
  }

  async wait(milestone: string, place: string): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (!this.#reached.has(milestone)) {
      if (this.#isOver) throw new Error(`${place}: another page failed before "${milestone}" was reached`);
      if (Date.now() > deadline) throw new Error(`${place}: "${milestone}" was never reached`);
      await delay(20);
    }
  }
}

/** What the four share. */
interface Story {
  /** `~` for all of them. */
  readonly home: string;
  readonly logs: string;
  readonly milestones: Milestones;
  /** Of a study's name, its id in this story: said on one page, used on another. */
  readonly ids: Map<string, string>;
}

class Person {
  readonly page: TutorialPage;
  readonly faults: string[] = [];
  readonly #story: Story;
  readonly #options: StoryOptions;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #outputs = new Map<number, string>();
  /** Python's blocks so far: each begins where the one before ended. */
  readonly #python: string[] = [];
  #terminal: Terminal | null = null;
  #text = "";

  constructor(page: TutorialPage, story: Story, options: StoryOptions) {
    this.page = page;
    this.#story = story;
    this.#options = options;
    this.#environment = {
      ...Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^CONSILIUM_|_proxy$/i.test(name)),
      ),
      HOME: story.home,
      NO_COLOR: "1",
      COLUMNS: "110",
      PATH: `${join(projectRoot, "node_modules/.bin")}:${process.env.PATH ?? ""}`,
    };
  }

  get written(): string {
    return withOutputs(this.page, this.#asNow(this.#text), this.#outputs);
  }

  async follow(): Promise<void> {
    this.#text = await readFile(pathOf(this.page), "utf8");
    this.#terminal = new Terminal(this.#story.home, this.#environment, this.#story.logs);
    for (const step of stepsOf(this.page, this.#text)) await this.#take(step);
  }

  async leave(): Promise<void> {
    await this.#terminal?.close();
  }

  async #take(step: Step): Promise<void> {
    const { page } = this;
    if (step.kind === "picture") {
      this.#options.report?.(`${page}: picture ${step.name}`);
      await this.#options.take?.({ page, name: step.name, home: this.#story.home });
      return;
    }
    const { run } = step;
    const place = `docs/tutorials/${page}.md:${step.line}`;
    if (run.never !== null) return;
    if (run.after !== null) await this.#story.milestones.wait(run.after, place);
    if (step.kind === "sh" || this.#options.python !== null) {
      this.#options.report?.(`${page}: ${step.code.split("\n")[0]}`);
      const { code, output } = await (step.kind === "sh" ? this.#shell(step) : this.#runPython(step.code));
      if (code !== run.exit) throw new Error(`${place}: ended with code ${code}:\n${step.code}\n${output}`);
      const printed = this.#asShown(output);
      this.#outputs.set(step.line, printed);
      const fault = step.output === null ? null : difference(step.output.text, printed, run.some);
      if (fault !== null) this.faults.push(`${place}: ${fault}`);
    }
    if (run.reaches !== null) this.#story.milestones.reach(run.reaches);
  }

  async #shell(step: Block) {
    const { run } = step;
    const code = this.#asNow(step.code);
    const terminal = this.#terminal!;
    if (run.until !== null) return terminal.begin(code, run.until, limitMs);
    const { during, again } = run;
    const options = {
      failureExpected: run.exit !== 0,
      onOutput: (text: string) => {
        if (during !== null && text.includes(during.printed)) this.#story.milestones.reach(during.reaches);
      },
    };
    const deadline = Date.now() + limitMs;
    for (;;) {
      const ended = await terminal.run(code, limitMs, options);
      if (again === null || ended.code !== run.exit || again.every((text) => ended.output.includes(text)))
        return ended;
      if (Date.now() > deadline)
        throw new Error(`${code} never printed ${again.join(" and ")}:\n${ended.output}`);
      await delay(200);
    }
  }

  async #runPython(code: string) {
    const mark = "end-of-earlier-blocks";
    const program = [...this.#python, `print("${mark}")`, this.#asNow(code)].join("\n");
    this.#python.push(this.#asNow(code));
    const { PYTHONHOME: _, ...environment } = this.#environment;
    return new Promise<{ code: number; output: string }>((resolve) => {
      execFile(
        this.#options.python!,
        ["-c", program],
        { cwd: this.#story.home, env: environment, timeout: limitMs },
        (error, stdout, stderr) => {
          const output = stdout.slice(stdout.indexOf(mark) + mark.length + 1);
          resolve({ code: error === null ? 0 : 1, output: error === null ? output : `${stdout}${stderr}` });
        },
      );
    });
  }

  /** What was printed, with the folders that a reader has. */
  #asShown(output: string): string {
    for (const [id] of output.matchAll(/\bwdbc-[a-z-]+-[0-9a-f]{10}\b/g)) this.#story.ids.set(nameOf(id), id);
    return output
      .replaceAll(this.#story.home, shownHome)
      .replaceAll(projectRoot, `${shownHome}/consilium`)
      .trimEnd();
  }

  /** What the page says, with the ids of this story's studies. */
  #asNow(code: string): string {
    return code.replaceAll(/\bwdbc-[a-z-]+-[0-9a-f]{10}\b/g, (id) => this.#story.ids.get(nameOf(id)) ?? id);
  }
}

const nameOf = (id: string) => id.slice(0, -11);

async function expectFree(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.once("error", () =>
      reject(new Error(`the tutorials use port ${port}, and something listens there: end it, and try again`)),
    );
    server.listen(port, "127.0.0.1", () => server.close(() => resolve()));
  });
}
