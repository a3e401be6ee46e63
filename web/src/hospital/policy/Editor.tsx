import type { PolicyFaultView } from "@consilium/core/hospital/policyViews";
import { useId, useRef } from "react";
import { Badge, Card } from "../../shared/components";
import { Reason } from "../../shared/failureWords";
import { plural, rich, t } from "../../shared/language";

/** The file with line numbers, and its errors by line. */
export function Editor(props: {
  readonly title: string;
  readonly path: string;
  readonly text: string;
  readonly faults: readonly PolicyFaultView[];
  readonly state: "checking" | "checked";
  /** Null: it is only shown. */
  readonly onChange: ((text: string) => void) | null;
}) {
  const { text, faults, onChange } = props;
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split("\n");
  const faulty = new Set(faults.map(({ line }) => line));
  const goTo = (line: number) => {
    const element = area.current;
    if (element === null) return;
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    element.focus();
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  return (
    <Card
      title={props.title}
      actions={
        <span role="status">
          {props.state === "checking" ? (
            <Badge>{t("checking…")}</Badge>
          ) : faults.length === 0 ? (
            <Badge tone="ok">{t("no errors")}</Badge>
          ) : (
            <Badge tone="bad">{plural(faults.length, "{count} fault", "{count} faults")}</Badge>
          )}
        </span>
      }
    >
      <label htmlFor={id}>
        <code>{props.path}</code>
      </label>
      <div className="editor">
        <div className="gutter" aria-hidden="true">
          <div ref={gutter}>
            {lines.map((_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              <span key={index} data-faulty={faulty.has(index + 1) ? "" : undefined}>
                {index + 1}
              </span>
            ))}
          </div>
        </div>
        <textarea
          id={id}
          ref={area}
          className="code"
          aria-describedby={`${id}-faults`}
          aria-invalid={faults.length > 0}
          readOnly={onChange === null}
          spellCheck={false}
          autoCapitalize="off"
          wrap="off"
          rows={Math.min(36, Math.max(14, lines.length + 1))}
          value={text}
          onChange={(event) => onChange?.(event.target.value)}
          onScroll={(event) => {
            if (gutter.current === null) return;
            gutter.current.style.transform = `translateY(${-event.currentTarget.scrollTop}px)`;
          }}
        />
      </div>
      <ul id={`${id}-faults`} className="faults">
        {faults.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            {line === null ? (
              t("The file: ")
            ) : (
              <button type="button" data-kind="quiet" onClick={() => goTo(line)}>
                {rich("Line {line}", { line })}
              </button>
            )}{" "}
            <Reason text={message} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
