import { mkdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Compiles a program of this folder that runs services as they ship: their packages are loaded as they were built, and only what is
 * not built, this folder and what tests stand on, becomes part of the program.
 * @param name - without `.ts`
 * @returns what node is called with
 */
export async function builtProgram(name: string): Promise<readonly string[]> {
  const outfile = join(root, "bench", "dist", `${name}.mjs`);
  await mkdir(dirname(outfile), { recursive: true });
  await build({
    entryPoints: [join(root, "bench", "src", `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    plugins: [builtPackages(outfile)],
    logLevel: "error",
  });
  return [outfile];
}

/** `@consilium/<package>/testing/…` from its source; what lies in a package's `src` from its `dist`; all other packages by name. */
const builtPackages = (outfile: string): Plugin => ({
  name: "built packages",
  setup(program) {
    program.onResolve({ filter: /^@consilium\/[a-z-]+\/testing\// }, ({ path }) => ({
      path: join(root, `${path.slice("@consilium/".length)}.ts`),
    }));
    program.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const parts = relative(root, join(resolveDir, path)).split(sep);
      if (parts[0] === "bench" || parts[1] !== "src") return undefined;
      const built = join(root, parts[0]!, "dist", ...parts.slice(2));
      return { path: `./${relative(dirname(outfile), built)}`, external: true };
    });
  },
});
