import { base64Of } from "../bytes.js";
import { canonicalJson } from "../canonicalJson.js";
import type { Sha256, SiteId } from "../ids.js";
import type { StudyDocument } from "../study/study.js";
import type { ReleaseTotal } from "./accounting.js";
import type { Countersignature } from "./countersignature.js";

import type { Statement } from "./statement.js";

/** The two files of a release that its certificate does not list. */
export const certificateFile = "certificate.json";
export { signatureFile } from "./signature.js";

/** File of what was found; the sites' countersignatures bind its hash. */
export const resultFile = "result.json";
/** The rows, whose hash as deposited is in `resultFile`. */
export const rowsFile = "data.csv";

/** What the aggregator's side drew, of a release with its sums. */
export const drawsFile = "draws.json";

export const plotsFolder = "plots";
/** Sums that a release has of its study. */
export const sumsFolder = "sums";
/** The folders that a release may have in it. */
export const releaseFolders: readonly string[] = [plotsFolder, sumsFolder];

/** The file of the sum that an attempt at a stage came to. */
export const sumFile = (stage: string, attempt: number) => `${sumsFolder}/${stage}-${attempt}.bin`;

/** A file of a release: a plain name that is safe in a path and in a URL as it is, or one in `plots/` or `sums/`. */
export const releaseFileName =
  /^(?=.{1,100}$)(?:(?:plots|sums)\/)?[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*$/;

export interface ReleaseFile {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * The certificate of a release: what was computed, by whom, at what privacy cost, and the hash of every file. It is
 * signed by the aggregator (detached JWS over its exact bytes, `certificate.jws`), and its statement, carried as the text that was
 * signed, is countersigned by the sites. Anyone verifies it offline against the federation's root certificate, which
 * never comes from the release itself: docs/FORMAT.md, and lib/release/src/v3.
 */
export interface Certificate {
  readonly format: "consilium-certificate/3";
  readonly release: string;
  readonly issuedAt: string;
  /** The study as it ran, canonical JSON; its SHA-256 is the statement's `study.hash`. */
  readonly text: string;
  readonly statement: string;
  /** Of every site of the roster: its certificate and the issuing one, DER, base64. They prove under the root that its key is its own. */
  readonly chains: Readonly<Record<SiteId, readonly [string, string]>>;
  /** In order of ids. */
  readonly countersignatures: readonly {
    readonly site: SiteId;
    readonly ledgerHead: { readonly sequence: number; readonly hash: Sha256 };
    readonly ledgerEntries: readonly Sha256[];
    readonly software: string;
    readonly signature: string;
  }[];
  /** Sites of the roster that did not countersign. */
  readonly missing: readonly SiteId[];
  /** The aggregator's figures, none below what follows from the statement; null where nothing is proven. */
  readonly shown: {
    readonly zcdp: { readonly rho: number; readonly epsilon: number } | null;
    readonly exact: { readonly accountant: "pld/1"; readonly epsilon: number } | null;
  };
  /** Bound by the statement's result. */
  readonly files: readonly ReleaseFile[];
  /** Everything else that the publisher has made of the result. */
  readonly renderings: readonly ReleaseFile[];
}

/** What a certificate is made of, beside the statement that was countersigned. */
export interface CertificateParts {
  readonly statement: Statement;
  readonly issuedAt: Date;
  readonly document: StudyDocument;
  /** What the statement's plan and attempts come to; `exact` where each stage was attempted once at most. */
  readonly total: ReleaseTotal & { readonly exact: number | null };
  /** Of every site of the roster: its certificate and the issuing one, DER. */
  readonly chains: ReadonlyMap<SiteId, readonly Uint8Array[]>;
  /** In any order. */
  readonly countersignatures: readonly Countersignature[];
  /** Of the release, all but these two. */
  readonly files: readonly ReleaseFile[];
}

/**
 * Puts a certificate together. The release has the study's id.
 * @throws RangeError if a site of the roster has no chain of two, or a countersignature is of none of its sites
 */
export function certificateFrom(parts: CertificateParts): Certificate {
  const { statement, document, total, files } = parts;
  const bySite = new Map(parts.countersignatures.map((one) => [one.site, one]));
  const ids = statement.roster.map(({ id }) => id);
  const stranger = parts.countersignatures.find((one) => !ids.includes(one.site));
  if (stranger !== undefined) throw new RangeError(`site ${stranger.site} is not on the roster`);
  const chains = ids.map((id): [SiteId, [string, string]] => {
    const [own, issuing] = parts.chains.get(id) ?? [];
    if (own === undefined || issuing === undefined)
      throw new RangeError(`site ${id} has no certificate and issuing one`);
    return [id, [base64Of(own), base64Of(issuing)]];
  });
  const { rho, epsilon, exact } = total;
  const isBound = ({ name }: ReleaseFile) =>
    [resultFile, rowsFile, drawsFile].includes(name) || name.startsWith(`${sumsFolder}/`);
  return {
    format: "consilium-certificate/3",
    release: statement.study.id,
    issuedAt: parts.issuedAt.toISOString(),
    text: document.text,
    statement: canonicalJson(statement),
    chains: Object.fromEntries(chains),
    countersignatures: ids.flatMap((id) => {
      const one = bySite.get(id);
      if (one === undefined) return [];
      const { site, ledgerHead, ledgerEntries, software, signature } = one;
      const { sequence, hash } = ledgerHead;
      return [
        {
          site,
          ledgerHead: { sequence, hash },
          ledgerEntries: [...ledgerEntries],
          software,
          signature: base64Of(signature),
        },
      ];
    }),
    missing: ids.filter((id) => !bySite.has(id)),
    shown: {
      zcdp: rho === null || epsilon === null ? null : { rho, epsilon },
      exact: exact === null ? null : { accountant: "pld/1", epsilon: exact },
    },
    files: files.filter(isBound),
    renderings: files.filter((file) => !isBound(file)),
  };
}

/** The one text of a certificate, which is what is signed and what the file holds: canonical JSON, UTF-8. */
export function certificateBytes(certificate: Certificate): Uint8Array {
  return new TextEncoder().encode(canonicalJson(certificate));
}
