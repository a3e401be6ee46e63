/**
 * Which build of a version this is: the first digits of a SHA-256 over all sources and package-lock.json, written here when the packages are
 * built (scripts/prepare.mjs). Run from its sources the software has none.
 */
export const build: string = "source";
