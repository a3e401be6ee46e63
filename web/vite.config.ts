import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `npm run dev -w web`: the process whose API the pages call. */
const api = process.env.CONSILIUM_API ?? "http://127.0.0.1:7080";

/**
 * Adds a classic script to every page's head: a module would run after the first paint.
 * @param path - of the script, from this folder
 */
function classicScript(path: string): Plugin {
  const name = basename(path);
  return {
    name: "classic-script",
    buildStart() {
      if (this.environment.mode !== "build") return;
      this.emitFile({ type: "asset", name, source: readFileSync(file(path)) });
    },
    transformIndexHtml(_, { bundle }) {
      const built = Object.values(bundle ?? {}).find(
        (one) => one.type === "asset" && one.names.includes(name),
      );
      return [
        {
          tag: "script",
          attrs: { src: built === undefined ? `/${path}` : `/${built.fileName}` },
          injectTo: "head",
        },
      ];
    },
  };
}

/** Pages say which build they are of, as the packages do that were built before them: scripts/prepare.mjs. */
function namedBuild(): Plugin {
  const source = file("../core/src/build.ts");
  return {
    name: "named-build",
    apply: "build",
    load: (id) => (id === source ? readFileSync(file("../core/dist/build.js"), "utf8") : null),
  };
}

/** Of a method the pages have what plans a study: what runs at a site or the aggregator stays out of the bundle. */
function withoutSides(): Plugin {
  const absent = "\0a side of a method";
  return {
    name: "without-sides",
    enforce: "pre",
    resolveId: (source, importer) =>
      /^\.\/(?:site|aggregator)\.js$/.test(source) &&
      /\/methods(?:-paper)?\/[^/]+\/method\.ts$/.test(importer ?? "")
        ? absent
        : null,
    load: (id) => (id === absent ? 'throw new Error("a page runs no method");' : null),
  };
}

export default defineConfig({
  plugins: [react(), namedBuild(), classicScript("src/shared/firstTheme.js"), withoutSides()],
  resolve: {
    alias: [
      { find: /^@consilium\/(core|secure-sum|gate)\/(.+)$/, replacement: file("../$1/src/$2.ts") },
      { find: /^@consilium\/(words|release)\/(.+)$/, replacement: file("../lib/$1/src/$2.ts") },
      { find: /^@consilium\/(methods|methods-paper)\/(.+)$/, replacement: file("../$1/$2.ts") },
      {
        find: /^@consilium\/runtime\/(identity\/chain|yaml\/places)$/,
        replacement: file("../runtime/src/$1.ts"),
      },
      { find: /^node:crypto$/, replacement: file("src/shared/nodeCrypto.ts") },
    ],
  },
  server: { host: "127.0.0.1", proxy: { "/api": api, "/releases": api } },
  build: {
    target: "es2022",
    // Inlined files would need `data:` in more directives of the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        operator: file("operator.html"),
        hospital: file("hospital.html"),
        catalogue: file("catalogue.html"),
      },
    },
  },
});
