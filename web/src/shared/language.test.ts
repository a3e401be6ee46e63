import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type ESTree, parseSync } from "vite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { formatBytes, formatDuration, formatMoment, formatNumber } from "./format.js";
import { type Language, languages, locale, plural, served, speak, t } from "./language.js";
import german from "./languages/de.js";

const sources = fileURLToPath(new URL("..", import.meta.url));
const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.test\.ts$|languages\/|catalogue\/verify\//.test(path),
);

type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

/** What is shown though it is in no catalogue: texts and labels in JSX, and messages said before the language is known. */
function findings(path: string, source: string): string[] {
  const found: string[] = [];
  const program = parseSync(path, source).program as unknown as ESTree.Program;
  const add = (node: Node, what: string) =>
    found.push(`${path}:${source.slice(0, node.start).split("\n").length}: ${what}`);
  /** A value that is shown as it is: a literal, or one in a branch. */
  const shown = (value: unknown): void => {
    const node = value as Node | null;
    if (node === null || typeof node !== "object") return;
    if (node.type === "JSXExpressionContainer") shown(node.expression);
    else if (node.type === "ConditionalExpression") [node.consequent, node.alternate].forEach(shown);
    else if (node.type === "LogicalExpression") [node.left, node.right].forEach(shown);
    else if (node.type === "Literal" && typeof node.value === "string" && isWord(node.value))
      add(node, node.value);
    else if (node.type === "TemplateLiteral") {
      const text = (node.quasis as { value: { cooked: string } }[]).map((one) => one.value.cooked).join(" ");
      if (isWord(text)) add(node, text);
    }
  };
  const visit = (value: unknown, isLater: boolean, isCode: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, isLater, isCode);
    const node = value as Node | null;
    if (node === null || typeof node !== "object" || typeof node.type !== "string") return;
    let within = isCode;
    if (node.type === "JSXElement") {
      const { name } = (node.openingElement as { name: { name?: string } }).name as { name?: string };
      within ||= name === "code";
      if (!within) for (const child of node.children as Node[]) if (child.type !== "JSXText") shown(child);
    }
    if (node.type === "JSXText" && !within && isWord(String(node.value)))
      add(node, String(node.value).trim());
    if (node.type === "JSXAttribute" && labels.has(String((node.name as { name: unknown }).name)))
      shown(node.value);
    if (node.type === "Property" && texts.has(String((node.key as { name?: string }).name)) && isLater)
      shown(node.value);
    if (node.type === "CallExpression" && !isLater) {
      const { name } = node.callee as { name?: string };
      if (name === "t" || name === "rich" || name === "plural" || name === "served")
        add(node, "said before the language is known");
    }
    const later = isLater || /Function/.test(node.type);
    for (const [key, child] of Object.entries(node)) if (key !== "type") visit(child, later, within);
  };
  visit(program.body, false, false);
  return found;
}

const isWord = (text: string) => /\p{L}{2}/u.test(text) && !asIs.test(text.trim());
/** Names, files and signs that are the same in every language. */
const asIs = /^(SHA-256|[\w{}$.-]*\.(csv|parquet|yaml|json)|Consilium|SHA-256 .*|h\d|`.*`)$/;
const labels = new Set([
  "title",
  "label",
  "caption",
  "lead",
  "hint",
  "about",
  "what",
  "aria-label",
  "alt",
  "placeholder",
  "empty",
  "confirm",
  "home",
  "text",
  "leave",
]);

const texts = new Set(["title", "caption", "lead", "hint", "about", "text", "leave"]);

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort();

describe("the pages' words", () => {
  it("all stand in the catalogue", () => {
    const found = files.flatMap((path) => findings(path, readFileSync(`${sources}${path}`, "utf8")));
    // A preview has the release's own English, which is said in the reader's language where it is drawn.
    expect(found.filter((one) => !one.includes("compose/preview/"))).toEqual([]);
  });

  it("that stand elsewhere are found", () => {
    const page = (body: string) => findings("page.tsx", `const Page = () => ${body};`);
    expect(page("<p>Approve it</p>")).toEqual(["page.tsx:1: Approve it"]);
    expect(page('<p>{isOn ? "online" : t("offline")}</p>')).toEqual(["page.tsx:1: online"]);
    expect(page('<Card title="Studies" />')).toEqual(["page.tsx:1: Studies"]);
    expect(page(["<Card title={`Studies of $", "{site}`} />"].join(""))).toHaveLength(1);
    expect(page('<p className="muted">{t("Approve it")} <code>consilium run</code> {site}</p>')).toEqual([]);
    expect(findings("page.tsx", 'const title = t("Studies");')).toHaveLength(1);
  });

  it("are all used", () => {
    const all = files.map((path) => readFileSync(`${sources}${path}`, "utf8")).join("\n");
    const isUsed = (message: string) =>
      all.includes(JSON.stringify(message)) ||
      all.includes(`'${message}'`) ||
      (/^\w+$/.test(message) && new RegExp(`\\b${message}: `).test(all));
    expect(Object.keys(german.messages).filter((message) => !isUsed(message))).toEqual([]);
  });
});

describe.each(languages.filter((tag) => tag !== "en"))("the language %s", async (tag) => {
  const { messages, services } = ((await import(`./languages/${tag}.ts`)) as { readonly default: Language })
    .default;

  it("has every message and every service's sentence", () => {
    expect(Object.keys(messages).sort()).toEqual(Object.keys(german.messages).sort());
    expect(Object.keys(services).sort()).toEqual(Object.keys(german.services).sort());
  });

  it("has the English placeholders in each of them", () => {
    for (const [message, text] of Object.entries({ ...messages, ...services })) {
      const forms = typeof text === "string" ? [text] : Object.values(text as Record<string, string>);
      for (const form of forms) {
        const wanted = new Set(placeholders(message));
        expect(
          [...new Set(placeholders(form))].filter((one) => !wanted.has(one)),
          message,
        ).toEqual([]);
        if (typeof text === "string") expect(new Set(placeholders(form)), message).toEqual(wanted);
      }
    }
  });

  it("keeps the spaces around parts of sentences, and has every plural that it needs", () => {
    const needed = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
    for (const [message, text] of Object.entries<unknown>(messages)) {
      if (typeof text === "string") {
        const own = message.replace(/\|[^|]*$/, "");
        expect(/\s$/.test(text), message).toBe(/\s$/.test(own));
        if (/^\s/.test(own)) expect(text, message).toMatch(/^\s/);
      } else expect(Object.keys(text as object).sort(), message).toEqual([...needed].sort());
    }
  });
});

describe("the reader's language", () => {
  afterEach(() => {
    speak("en", null);
    vi.unstubAllGlobals();
  });

  it("is English as it is written where no other is loaded", () => {
    expect(t("{waiting} studies are waiting for approval.", { waiting: 1234 })).toBe(
      "1234 studies are waiting for approval.",
    );
    expect(t("open|access")).toBe("open");
    expect(plural(1, "{count} stage", "{count} stages")).toBe("1 stage");
    expect(served("a person refused it")).toBe("a person refused it");
  });

  it("words, counts, dates and measures", () => {
    vi.stubGlobal("navigator", { languages: ["en-US", "de-AT"] });
    speak("de", german);
    expect(locale()).toBe("de-AT");
    expect(t("open|access")).toBe("offen");
    expect(plural(1, "{count} stage", "{count} stages")).toBe("1 Stufe");
    expect(plural(2, "{count} stage", "{count} stages")).toBe("2 Stufen");
    expect(formatBytes(1_234_000)).toBe("1,2 MB");
    expect(formatDuration(200_000)).toBe("3 Min. 20 Sek.");
    expect(formatNumber(0.25)).toBe("0,25");
    expect(formatMoment("2026-03-04T12:00:00Z")).toMatch(/^\d?4\.0?3\.2026|04\. ?März|4\. März/);
  });

  it("says a service's sentence by its pattern, names in it as they are, and leaves others alone", () => {
    speak("de", german);
    expect(served("Rows with any other ward are left out.")).toBe(
      "Zeilen mit anderem ward werden weggelassen.",
    );
    expect(served("It reads age (18 to 98 years), sex (2 levels).")).toBe(
      "Sie liest age (18 bis 98 years), sex (2 Ausprägungen).",
    );
    expect(served("1e-6 (1 in 1,000,000)")).toBe("1e-6 (1 zu 1.000.000)");
    expect(served("What a person wrote of the rows and the site.")).toBe(
      "What a person wrote of the rows and the site.",
    );
  });
});
