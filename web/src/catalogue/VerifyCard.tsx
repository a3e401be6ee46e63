import type { ReleaseView } from "@consilium/core/release/views";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { requestFile } from "../shared/api";
import { CodeBlock, FailureNotice, Field, Notice, type Tone } from "../shared/components";
import { formatBytes } from "../shared/format";
import { rich, Served, said, t } from "../shared/language";
import { AnchoredCard } from "./Anchor";
import { Contact } from "./Contact";
import type { Check, Outcome, Verification } from "./verify/verify";

const tones: Readonly<Record<Outcome, Tone>> = { right: "ok", wrong: "bad", unknown: "warn" };
const marks: Readonly<Record<Outcome, string>> = { right: "✓", wrong: "✕", unknown: "?" };
const words: Readonly<Record<Outcome, string>> = said({
  right: "OK",
  wrong: "failed",
  unknown: "incomplete",
});
const names: Readonly<Record<Check["name"], string>> = said({
  root: "Trusted root",
  signature: "Aggregator signature",
  sites: "Hospital signatures",
  members: "Hospitals by the list of members",
  epsilon: "Privacy cost recomputed",
  files: "Files",
});
const titles: Readonly<Record<Outcome, string>> = said({
  right: "This release matches its certificate.",
  wrong: "Do not use this release: verification failed.",
  unknown: "No errors found, but some checks could not run.",
});

const membersPath = "/members.json";

type State =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly done: number; readonly total: number }
  | { readonly kind: "done"; readonly result: Verification }
  | { readonly kind: "failed"; readonly error: unknown };

/** Verifies the release in the browser, and shows the command that does so offline. */
export function VerifyCard({ view }: { readonly view: ReleaseView }) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const [root, setRoot] = useState<File | null>(null);
  const hasCrypto = globalThis.crypto?.subtle !== undefined;
  const run = async () => {
    setState({ kind: "running", done: 0, total: 0 });
    try {
      const result = await verify(view, root, (done, total) => setState({ kind: "running", done, total }));
      setState({ kind: "done", result });
    } catch (error) {
      setState({ kind: "failed", error });
    }
  };
  return (
    <AnchoredCard id="verify" title={t("Verify")}>
      <p>
        {t(
          "The certificate lists the SHA-256 of every file and every step in which hospitals sent data. The aggregator and the hospitals signed it. To check their identities you need the federation's root certificate, a small file that is the same for all its releases.",
        )}
      </p>
      <RootOrigin contact={view.operatorContact} />
      {hasCrypto ? (
        <>
          <Field
            label={t("The federation's root certificate")}
            hint={t(
              "A file such as root.pem. It stays in your browser. Without it, everything except the signers' identities is checked.",
            )}
          >
            {(ids) => (
              <input
                {...ids}
                type="file"
                accept=".pem,.crt,.cer,application/x-pem-file"
                onChange={(event) => {
                  setRoot(event.target.files?.[0] ?? null);
                  setState({ kind: "idle" });
                }}
              />
            )}
          </Field>
          {root === null ? null : <Fingerprint root={root} />}
          <button type="button" data-kind="primary" onClick={run} disabled={state.kind === "running"}>
            {state.kind === "running" ? t("Verifying…") : t("Verify in this browser")}
          </button>
        </>
      ) : (
        <Notice tone="warn" title={t("This browser cannot verify releases here.")}>
          <p>
            {t(
              "Browsers provide cryptography only to pages loaded over HTTPS or from this machine. Use the command below, or open the page over HTTPS.",
            )}
          </p>
        </Notice>
      )}
      <div className="verify-outcome">
        <Outcomes state={state} isProved={view.certificate.verdict === "proved"} />
      </div>
      <CommandLine view={view} />
    </AnchoredCard>
  );
}

/** A page that hands out its own root proves nothing. */
function RootOrigin({ contact }: { readonly contact: string | null }) {
  return (
    <details>
      <summary>{t("Where the root certificate comes from")}</summary>
      <p>
        {t(
          "The federation's operator made it when the federation was set up, and every hospital that takes part has it. Ask one of them for root.pem, which the operator can save on the page Federation, never this page or a release: a person who can change the release can change that file too.",
        )}
      </p>
      {contact === null ? null : (
        <p>
          {rich(
            "The operator's contact, by what this catalogue says of itself: {contact}. If you know one of the hospitals, ask there instead.",
            { contact: <Contact of={contact} /> },
          )}
        </p>
      )}
      <p>
        {t(
          "Then choose the file below: this page shows its fingerprint, its SHA-256. Compare it with what the operator or, better, a hospital tells you by another way than the file came: by telephone, in person, on paper. The operator finds it on the page Federation, a hospital in its data-protection record. All 64 digits must be the same.",
        )}
      </p>
    </details>
  );
}

/** Of the chosen file, as soon as it is chosen. */
function Fingerprint({ root }: { readonly root: File }) {
  const query = useQuery({
    queryKey: ["root", root.name, root.size, root.lastModified],
    queryFn: async () => {
      const { fingerprintOf, readRoot } = await import("./verify/chain");
      const found = await readRoot(await pemOf(root));
      return found === undefined ? null : fingerprintOf(found);
    },
    gcTime: 0,
  });
  if (query.data === undefined) return null;
  return (
    <p role="status">
      {query.data === null
        ? t("This file is no federation's root certificate.")
        : rich("Its fingerprint (SHA-256): {fingerprint}", {
            fingerprint: <code>{query.data.match(/.{4}/g)?.join(" ")}</code>,
          })}
    </p>
  );
}

/** For those who have a terminal; a clinician needs none. */
function CommandLine({ view }: { readonly view: ReleaseView }) {
  return (
    <>
      <p>
        {t(
          "The publisher serves this page and could change what it reports. The command line does not depend on the publisher.",
        )}
      </p>
      <details>
        <summary>{t("With the command line")}</summary>
        <p>{t("Fetch the release and verify it offline, on your own machine:")}</p>
        <CodeBlock label={t("Commands that verify offline")} code={commandOf(view)} />
        {view.hasMembers ? (
          <p>
            <a href={membersPath}>{t("List of the federation's members")}</a>
          </p>
        ) : null}
        <p>{t("The fingerprint of the root certificate:")}</p>
        <CodeBlock
          label={t("Command that prints the fingerprint")}
          code="openssl x509 -in root.pem -outform der | sha256sum"
        />
      </details>
    </>
  );
}

const rootMaxBytes = 64 * 1024;
/** A larger file is no certificate. */
const pemOf = async (root: File) => (root.size > rootMaxBytes ? "" : root.text());

async function verify(
  view: ReleaseView,
  root: File | null,
  progress: (done: number, total: number) => void,
): Promise<Verification> {
  // The verification code is loaded on demand: few readers need it.
  const { verifyInBrowser } = await import("./verify/verify");
  const folder = new URL(view.url).pathname;
  return verifyInBrowser({
    files: view.files.map(({ name }) => name),
    rootPem: root === null ? null : await pemOf(root),
    members: view.hasMembers ? await (await requestFile(membersPath)).text() : null,
    fetchFile: (name) => requestFile(`${folder}${name}`),
    progress,
  });
}

function Outcomes({ state, isProved }: { readonly state: State; readonly isProved: boolean }) {
  switch (state.kind) {
    case "idle":
      return null;
    case "running":
      return (
        <div>
          <progress
            aria-label={t("Bytes of the release verified")}
            {...(state.total === 0 ? {} : { value: state.done, max: state.total })}
          />
          <p className="muted" role="status">
            {state.total === 0
              ? t("Reading the certificate…")
              : t("Files of {total} in all…", { total: formatBytes(state.total) })}
          </p>
        </div>
      );
    case "failed":
      return <FailureNotice error={state.error} />;
    case "done":
      return (
        <Notice tone={tones[state.result.outcome]} title={titles[state.result.outcome]}>
          {isProved ? null : <p>{t("The certificate states that privacy is not proven.")}</p>}
          <ul className="checks">
            {state.result.checks.map((check) => (
              <li key={check.name}>
                <span className="mark" aria-hidden="true">
                  {marks[check.outcome]}
                </span>
                <span>
                  <strong>
                    {names[check.name]}: {words[check.outcome]}.
                  </strong>{" "}
                  <Served text={check.text} />
                </span>
              </li>
            ))}
          </ul>
        </Notice>
      );
  }
}

function commandOf({ content, url, hasMembers }: ReleaseView): string {
  const publisher = url.replace(/\/releases\/[^/]+\/$/, "");
  const members = hasMembers ? ` --members ${publisher}/members.json` : "";
  const token = content.access === "open" ? "" : " --token-file token.txt";
  return (
    `consilium release get ${content.id} --publisher ${publisher}${token} \n` +
    `consilium release verify ${content.id} --authority root.pem${members}`
  );
}
