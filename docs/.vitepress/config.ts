import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";
import { anchorOf } from "../../scripts/anchorOf";
import { drawDiagrams, projectLinks } from "./markdown";

/** The site's path where it is served below another address. */
const base = process.env.CONSILIUM_DOCS_BASE ?? "/";
const docs = fileURLToPath(new URL("..", import.meta.url));

/** The pages of a folder by their own titles, in the order of their names. */
function pagesOf(folder: string): DefaultTheme.SidebarItem[] {
  return readdirSync(`${docs}${folder}`)
    .filter((name) => name.endsWith(".md") && !/^(README|index)\.md$/.test(name))
    .sort()
    .map((name) => {
      const title = /^# (.+)$/m.exec(readFileSync(`${docs}${folder}/${name}`, "utf8"))?.[1] ?? name;
      return { text: title, link: `/${folder}/${name.replace(/\.md$/, "")}` };
    });
}

/** `npm run docs`: the documents of this folder as a site, with search, and no address of anyone else in it. */
export default defineConfig({
  title: "Consilium",
  description:
    "Federated analytics for hospitals: sites keep their records, the aggregator learns only sums.",
  lang: "en-GB",
  cleanUrls: true,
  base,
  srcExclude: ["samples/**", "**/node_modules/**"],
  rewrites: {
    "tutorials/README.md": "tutorials/index.md",
  },
  // Links out of this folder lead to sources; scripts/docsLinks.ts checks those.
  ignoreDeadLinks: [/^https?:\/\/localhost/, /^(\.\/)?(\.\.\/)+/],
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces are text, as they are on a repository's pages.
    attrs: { disable: true },
    config(md) {
      drawDiagrams(md);
      projectLinks(md, process.env.CONSILIUM_REPOSITORY_URL ?? null);
    },
  },
  head: [["link", { rel: "icon", href: `${base}icon.svg` }]],
  themeConfig: {
    logo: "/icon.svg",
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Tutorials", link: "/tutorials/", activeMatch: "/tutorials/" },
      { text: "Methods", link: "/METHODS", activeMatch: "/METHODS|/methods/" },
      { text: "Trust", link: "/THREAT_MODEL" },
      { text: "Operator", link: "/OPERATING" },
      { text: "Hospital", link: "/HOSPITAL" },
      { text: "API", link: "/API" },
      { text: "Errors", link: "/ERRORS" },
    ],
    sidebar: [
      { text: "Begin", items: [{ text: "What it is", link: "/" }] },
      {
        text: "Tutorials",
        items: [
          { text: "Overview", link: "/tutorials/" },
          { text: "The operator", link: "/tutorials/operator" },
          { text: "Hospital IT", link: "/tutorials/hospital-it" },
          { text: "The data-protection officer", link: "/tutorials/data-protection-officer" },
          { text: "The analyst", link: "/tutorials/analyst" },
          { text: "Four kinds of data", link: "/tutorials/four-sources" },
        ],
      },
      {
        text: "Methods",
        items: [
          { text: "Overview", link: "/METHODS" },
          ...pagesOf("methods"),
          { text: "Audit", link: "/AUDIT" },
        ],
      },
      {
        text: "Trust",
        items: [
          { text: "Threat model", link: "/THREAT_MODEL" },
          { text: "Protocol", link: "/PROTOCOL" },
          { text: "Data protection", link: "/data-protection" },
        ],
      },
      {
        text: "Running it",
        items: [
          { text: "Operating a federation", link: "/OPERATING" },
          { text: "A hospital's site", link: "/HOSPITAL" },
          { text: "OMOP", link: "/omop" },
          { text: "Recoding and cohorts", link: "/recoding" },
          { text: "Command line", link: "/CLI" },
          { text: "The study file", link: "/STUDY" },
          { text: "A table's entry", link: "/SOURCES" },
          { text: "HTTP APIs", link: "/API" },
          { text: "Format of releases", link: "/FORMAT" },
          { text: "Errors", link: "/ERRORS" },
          { text: "Events", link: "/EVENTS" },
        ],
      },
      {
        text: "Inside",
        collapsed: true,
        items: [
          { text: "Architecture", link: "/ARCHITECTURE" },
          { text: "Dependencies", link: "/DEPENDENCIES" },
          { text: "References", link: "/references" },
        ],
      },
    ],
  },
});
