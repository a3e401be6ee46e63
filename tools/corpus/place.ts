import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const corpus = join(root, "test/corpus");

/** Where the corpus lies. A certificate's format has a number; all else is of a version of the software. */
export const place = {
  certificates: join(corpus, "certificates/3"),
  releases: join(corpus, "releases/0.1"),
  conversations: join(corpus, "conversations/0.1"),
  sites: join(corpus, "sites/0.1"),
  charges: join(corpus, "charges/0.1"),
} as const;

/** The three files of a recorded study. */
export const recordingFiles = (name: string) => ({
  conversation: join(place.conversations, `${name}.json.gz`),
  sites: join(place.sites, `${name}.json`),
  charges: join(place.charges, `${name}.json`),
});
