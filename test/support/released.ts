import { join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import type { LocalFederation } from "../../scripts/localFederation.js";
import { egressOf } from "./faultFederation.js";

/** Fetches a release as an analyst does; fails unless it verifies. @param to - a folder for it */
export async function fetchRelease(federation: LocalFederation, view: StudyView, to: string): Promise<void> {
  const { id, url } = view.release!;
  const authority = join(federation.home, "authority", "root.pem");
  await federation.cliOrThrow(
    "release",
    "get",
    id,
    "--publisher",
    new URL(url).origin,
    "--to",
    to,
    "--authority",
    authority,
  );
}

/** Steps and bytes of the masked vectors that each site sent of a study. */
export function sentVectors(
  federation: LocalFederation,
  sites: readonly string[],
  study: string,
): Promise<[step: string, bytes: number][][]> {
  return Promise.all(
    sites.map(async (site) =>
      (await egressOf(federation.site(site)))
        .filter((entry) => entry.study === study && entry.what === "masked vector")
        .map(({ step, bytes }): [string, number] => [step ?? "", bytes]),
    ),
  );
}
