import { type RefObject, useRef } from "react";
import { plural, rich, Served, t } from "../../shared/language";
import type { TextFault } from "./studyText";

/** The file as plain text, with line numbers and error marks. */
export function Editor(props: {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly faults: readonly TextFault[];
  readonly area: RefObject<HTMLTextAreaElement | null>;
}) {
  const { text, faults } = props;
  const gutter = useRef<HTMLDivElement>(null);
  const faulty = new Set(faults.map(({ line }) => line));
  const numbers = text.split("\n").map((_, index) => index + 1);
  return (
    <div className="editor">
      <div className="gutter" ref={gutter} aria-hidden="true">
        {numbers.map((line) => (
          <span key={line} data-faulty={faulty.has(line)}>
            {line}
          </span>
        ))}
      </div>
      <textarea
        ref={props.area}
        className="code"
        aria-label={t("Study file (YAML)")}
        aria-describedby="file-faults"
        aria-invalid={faults.length > 0}
        value={text}
        onChange={(event) => props.onChange(event.target.value)}
        onScroll={(event) => {
          if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        wrap="off"
      />
    </div>
  );
}

/** Moves the cursor to a line and scrolls it into view. */
export function goToLine(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return;
  const lines = area.value.split("\n");
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  const lineHeight = Number.parseFloat(getComputedStyle(area).lineHeight);
  area.scrollTop = Math.max(0, (line - 4) * lineHeight);
}

export function Faults(props: {
  readonly faults: readonly TextFault[];
  readonly onGo: (line: number) => void;
}) {
  const { faults } = props;
  return (
    <div id="file-faults" role="status">
      {faults.length === 0 ? null : (
        <>
          <p className="fault-count">{plural(faults.length, "{count} error:", "{count} errors:")}</p>
          <ul className="plain faults">
            {faults.map(({ line, path, message }) => (
              <li key={`${path} ${line} ${message}`}>
                <button type="button" data-kind="quiet" onClick={() => props.onGo(line)}>
                  {rich("Line {line}", { line })}
                </button>
                <span>
                  {path === "" ? null : <code>{path}</code>} <Served text={message} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
