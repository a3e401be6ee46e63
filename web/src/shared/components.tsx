import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { ApiError, type Failure } from "./api";
import type { StreamState } from "./events";
import { failureWords, sentence } from "./failureWords";
import { formatAge, formatMoment } from "./format";
import { rich, t } from "./language";

export type Tone = "neutral" | "info" | "ok" | "warn" | "bad";

const marks: Readonly<Record<Tone, string>> = { neutral: "○", info: "●", ok: "✓", warn: "!", bad: "✕" };

/** Pages above this one, from the top: address and title. */
export type Trail = readonly (readonly [href: string, title: string])[];

export function Page(props: {
  readonly title: string;
  readonly trail?: Trail;
  /** Address of the document that explains the page. */
  readonly help?: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = t("{title} · Consilium", { title: props.title });
  }, [props.title]);
  return (
    <>
      <div className="page-head">
        <div>
          {props.trail === undefined ? null : <Breadcrumbs trail={props.trail} title={props.title} />}
          <h1>{props.title}</h1>
          {props.lead === undefined ? null : <p>{props.lead}</p>}
        </div>
        {props.actions === undefined && props.help === undefined ? null : (
          <div className="row">
            {props.help === undefined ? null : <Link href={props.help}>{t("Help")}</Link>}
            {props.actions}
          </div>
        )}
      </div>
      {props.children}
    </>
  );
}

function Breadcrumbs({ trail, title }: { readonly trail: Trail; readonly title: string }) {
  return (
    <nav aria-label={t("You are here")}>
      <ol className="breadcrumbs">
        {trail.map(([href, name]) => (
          <li key={href}>
            <Link href={href}>{name}</Link>
          </li>
        ))}
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  );
}

/** A titled part of a page; the title names the region. */
export function Card(props: {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  if (props.title === undefined) return <div className="card">{props.children}</div>;
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{props.title}</h2>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}

/** A titled part of a page whose content is hidden until it is asked for. */
export function Fold(props: {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}) {
  return (
    <details className="card fold">
      <summary>
        <h2>{props.title}</h2>
        {props.hint === undefined ? null : <span className="muted">{props.hint}</span>}
      </summary>
      {props.children}
    </details>
  );
}

export function Badge({
  tone = "neutral",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return (
    <span className="badge" data-tone={tone}>
      <span aria-hidden="true">{marks[tone]}</span>
      {children}
    </span>
  );
}

export function Notice(props: {
  readonly tone?: Tone;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  const { tone = "info" } = props;
  return (
    <div className="notice" data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
      <strong>{props.title}</strong>
      {props.children}
      {props.action === undefined ? null : <div className="row">{props.action}</div>}
    </div>
  );
}

/** An error: problem, code and remedy. */
export function FailureNotice({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const failure: Failure =
    error instanceof ApiError
      ? error.failure
      : { code: "INTERNAL", message: t("internal error in this page"), remedy: t("reload the page") };
  const words = failureWords(failure);
  return (
    <Notice
      tone="bad"
      title={words.title}
      action={
        retry && (
          <button type="button" onClick={retry}>
            {t("Try again")}
          </button>
        )
      }
    >
      {words.english === null ? null : <p lang="en">{words.english}</p>}
      <p>
        {words.remedy === null ? (
          <Prose text={sentence(failure.remedy)} lang="en" />
        ) : (
          <Prose text={words.remedy} />
        )}{" "}
        <code>{failure.code}</code>
      </p>
    </Notice>
  );
}

/** Text with commands and keys between backticks. */
export function Prose({ text, lang }: { readonly text: string; readonly lang?: string }) {
  return (
    <span lang={lang}>
      {text.split("`").map((one, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text, in its order
        at % 2 === 1 ? <code key={at}>{one}</code> : one,
      )}
    </span>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="loading">
      <p className="muted" role="status">
        {rich("Loading {what}…", { what })}
      </p>
      {/* Where its lines will stand. */}
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span aria-hidden="true" />
    </div>
  );
}

/** The state of the stream that updates the page. */
export function StreamBadge({ state }: { readonly state: StreamState }) {
  switch (state) {
    case "opening":
      return <Badge>{t("connecting")}</Badge>;
    case "live":
      return <Badge tone="ok">{t("live")}</Badge>;
    case "lost":
      return <Badge tone="bad">{t("connection lost, reconnecting")}</Badge>;
    case "ended":
      return <Badge>{t("stream ended")}</Badge>;
  }
}

/** The empty state, with a hint how to add content. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="card muted">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

interface Query<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** A query's three outcomes. Loaded data stay in view when a later refetch fails. */
export function Loaded<T>(props: {
  readonly query: Query<T>;
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}) {
  const { query } = props;
  const failure =
    query.error === null || query.error === undefined ? null : (
      <FailureNotice error={query.error} retry={() => query.refetch()} />
    );
  if (query.data === undefined) return failure ?? <Loading what={props.what} />;
  return (
    <>
      {failure}
      {props.children(query.data)}
    </>
  );
}

/** Terms and values; null values are omitted. */
export function Facts({ of }: { readonly of: readonly (readonly [term: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of.map(([term, value]) =>
        value === null ? null : (
          <div key={term} style={{ display: "contents" }}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly number?: boolean;
}

/** More columns than these are cut on a phone: rows are shown as cards there. */
const columnsOnPhone = 2;

/** A table whose first column names the row. */
export function DataTable<Row>(props: {
  readonly caption: string;
  readonly hideCaption?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly empty?: string;
}) {
  if (props.rows.length === 0 && props.empty !== undefined) return <p className="muted">{props.empty}</p>;
  return (
    // A frame that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className="table-frame" tabIndex={0} aria-label={props.caption}>
      <table className={props.columns.length > columnsOnPhone ? "cards" : undefined}>
        <caption className={props.hideCaption === true ? "visually-hidden" : undefined}>
          {props.caption}
        </caption>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.title} scope="col" className={column.number === true ? "number" : undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.keyOf(row)}>
              {props.columns.map((column, index) =>
                index === 0 ? (
                  <th
                    key={column.title}
                    scope="row"
                    className={column.number === true ? "number" : undefined}
                  >
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.title}
                    className={column.number === true ? "number" : undefined}
                    data-title={column.title}
                  >
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** @param props.name - what is copied, for screen readers, if `label` alone does not say it */
export function CopyButton(props: {
  readonly text: string;
  readonly label?: string;
  readonly name?: string;
}) {
  const { text, label = t("Copy"), name } = props;
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState("copied"),
      () => setState("failed"),
    );
  return (
    <button type="button" onClick={copy} aria-label={state === "idle" ? name : undefined}>
      <span aria-live="polite">
        {state === "idle" ? label : state === "copied" ? t("Copied") : t("Select and copy it")}
      </span>
    </button>
  );
}

export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }) {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
      <section className="code-frame" tabIndex={0} aria-label={label}>
        <pre>
          <code>{code}</code>
        </pre>
      </section>
      <CopyButton text={code} name={t("Copy: {label}", { label })} />
    </div>
  );
}

/** A form field with its label, hint and error. */
export function Field(props: {
  /** Of the control, where something leads to it. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: ReactNode | undefined;
  readonly fault?: string | null;
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  }) => ReactNode;
}) {
  const own = useId();
  const id = props.id ?? own;
  const isFaulty = props.fault !== undefined && props.fault !== null;
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children({ id, "aria-describedby": `${id}-about`, "aria-invalid": isFaulty })}
      <span id={`${id}-about`}>
        {props.hint === undefined ? null : <span className="hint">{props.hint}</span>}
        {isFaulty ? <span className="fault">{props.fault}</span> : null}
      </span>
    </div>
  );
}

/** A modal dialog; Escape and `onClose` close it, and the focus returns to where it was. */
export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  // An effect that runs twice closes and reopens it, and the close event arrives afterwards.
  const closed = () => {
    if (ref.current?.open !== true) props.onClose();
  };
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

/** Confirms an action that cannot be undone; stays open and shows the error if it fails. */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly children: ReactNode;
  readonly confirm: string;
  readonly kind?: "primary" | "danger";
  /** What is asked for in the dialog is not complete. */
  readonly isIncomplete?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const act = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await props.onConfirm();
      props.onClose();
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {props.children}
      {failure === null ? null : <FailureNotice error={failure} />}
      <div className="actions">
        <button type="button" onClick={props.onClose}>
          {t("Back")}
        </button>
        <button
          type="button"
          data-kind={props.kind ?? "primary"}
          disabled={isBusy || props.isIncomplete === true}
          onClick={act}
        >
          {isBusy ? t("Please wait…") : props.confirm}
        </button>
      </div>
    </Dialog>
  );
}

/** The current time, updated every `everyMs`: for countdowns and ages. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** `5 min ago` or `in 3 d`, the moment itself on hover. */
export function Ago({ iso }: { readonly iso: string }) {
  const now = useNow(10_000);
  const distance = Date.parse(iso) - now;
  const text =
    Math.abs(distance) < 5_000
      ? t("now")
      : distance < 0
        ? t("{value} ago", { value: formatAge(-distance) })
        : t("in {distance}", { distance: formatAge(distance) });
  return (
    <time dateTime={iso} title={formatMoment(iso)}>
      {text}
    </time>
  );
}

export function Moment({ iso, seconds = false }: { readonly iso: string; readonly seconds?: boolean }) {
  return <time dateTime={iso}>{formatMoment(iso, seconds ? "medium" : "short")}</time>;
}
