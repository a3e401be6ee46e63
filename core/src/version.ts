import { build } from "./build.js";

/** The version of this software: what peers are told, and what a study is pinned to. Same as package.json's. */
export const softwareVersion = "0.1.0";

/** The version and the build, for what is not to meet another one: what a hospital signs with, and processes that work for one another. */
export const softwareBuild = `${softwareVersion}+${build}`;

/** Whether another process is of another build; of sources that are not built nobody can tell. */
export function isOtherBuild(theirs: string): boolean {
  const [version, own] = theirs.split("+");
  return version !== softwareVersion || (own !== build && own !== "source" && build !== "source");
}
