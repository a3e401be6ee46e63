import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { t } from "../language";
import { nearest, type Reading, stepped } from "./reading";

/** A part of the picture, in its own units. */
export interface Box {
  readonly x: readonly [from: number, to: number];
  readonly y: readonly [from: number, to: number];
}

/** Less than this is a click. */
const dragLeastPx = 8;

/**
 * A chart whose values are read with the pointer, a finger or the arrow keys, and are announced to screen readers.
 * @param props.size - of the picture, in the units of its readings
 * @param props.onBrush - called with what a mouse was drawn across
 */
export function Explorable(props: {
  readonly label: string;
  readonly readings: readonly Reading[];
  readonly size: { readonly width: number; readonly height: number };
  readonly onBrush?: ((box: Box) => void) | undefined;
  /** Whether a brush takes the whole height, for the horizontal axis alone. */
  readonly isWholeHeight?: boolean;
  readonly onRead?: (reading: Reading | null) => void;
  readonly children: ReactNode;
}) {
  const { readings, size, onBrush, onRead } = props;
  const frame = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLSpanElement>(null);
  const isKeyed = useRef(false);
  const help = useId();
  const [read, setRead] = useState<number | null>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  // Other readings have other indices.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => setRead(null), [readings]);
  // What is drawn across stays in view.
  const reading = read === null || drag !== null ? null : (readings[read] ?? null);
  useEffect(() => {
    // A narrow frame shows a part of the picture.
    if (isKeyed.current && reading !== null)
      mark.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [reading]);
  const show = (index: number | null) => {
    setRead(index);
    onRead?.(index === null ? null : (readings[index] ?? null));
  };
  const placeOf = (event: PointerEvent): Place => {
    const box = frame.current!.getBoundingClientRect();
    return {
      x: ((event.clientX - box.left) / box.width) * size.width,
      y: ((event.clientY - box.top) / box.height) * size.height,
    };
  };
  const brushOf = (of: Drag): Box =>
    props.isWholeHeight === true ? { ...boxOf(of), y: [0, size.height] } : boxOf(of);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = stepped(readings, read, event.key);
    if (next === undefined) return;
    event.preventDefault();
    isKeyed.current = true;
    show(next);
  };
  const onPointerDown = (event: PointerEvent) => {
    const place = placeOf(event);
    show(nearest(readings, place.x, place.y));
    // A finger scrolls the page.
    if (onBrush === undefined || event.pointerType !== "mouse" || event.button !== 0) return;
    frame.current?.setPointerCapture(event.pointerId);
    setDrag({ from: place, to: place });
  };
  const onPointerMove = (event: PointerEvent) => {
    const place = placeOf(event);
    isKeyed.current = false;
    if (drag !== null) setDrag({ from: drag.from, to: place });
    else if (event.pointerType === "mouse") show(nearest(readings, place.x, place.y));
  };
  const onPointerUp = () => {
    if (drag === null) return;
    setDrag(null);
    const box = brushOf(drag);
    const pxPerUnit = (frame.current?.clientWidth ?? 0) / size.width;
    if ((box.x[1] - box.x[0]) * pxPerUnit >= dragLeastPx) onBrush?.(box);
  };
  const shown = drag === null ? null : brushOf(drag);
  return (
    <div
      ref={frame}
      className="explorable"
      role="application"
      aria-roledescription={t("interactive chart")}
      aria-label={props.label}
      aria-describedby={help}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys step through its values
      tabIndex={0}
      data-brush={onBrush !== undefined}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setDrag(null)}
      onPointerLeave={(event) => event.pointerType === "mouse" && drag === null && show(null)}
      onBlur={() => show(null)}
    >
      {props.children}
      <p id={help} className="visually-hidden">
        {t(
          "Arrow keys step through the values, Home and End go to the first and the last, Escape leaves them.",
        )}
      </p>
      {shown === null ? null : (
        <span
          className="brush"
          style={{
            left: percent(shown.x[0], size.width),
            top: percent(shown.y[0], size.height),
            width: percent(shown.x[1] - shown.x[0], size.width),
            height: percent(shown.y[1] - shown.y[0], size.height),
          }}
        />
      )}
      {reading === null ? null : (
        <span
          ref={mark}
          className="read-mark"
          style={{ left: percent(reading.x, size.width), top: percent(reading.y, size.height) }}
        />
      )}
      <div
        className="read-out"
        role="status"
        hidden={reading === null}
        data-rise={reading !== null && reading.y > size.height / 2}
        data-side={reading !== null && reading.x > size.width / 2 ? "left" : "right"}
        style={
          reading === null
            ? undefined
            : { left: percent(reading.x, size.width), top: percent(reading.y, size.height) }
        }
      >
        {reading?.lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
          <span key={at}>{line}</span>
        ))}
      </div>
    </div>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

interface Drag {
  readonly from: Place;
  readonly to: Place;
}

function boxOf({ from, to }: Drag): Box {
  return {
    x: [Math.min(from.x, to.x), Math.max(from.x, to.x)],
    y: [Math.min(from.y, to.y), Math.max(from.y, to.y)],
  };
}

const percent = (value: number, of: number) => `${(100 * value) / of}%`;

/** Buttons that hide and show a chart's series, each with its mark. */
export function Legend(props: {
  readonly series: readonly { readonly label: string; readonly mark: ReactNode }[];
  readonly hidden: ReadonlySet<number>;
  readonly onChange: (hidden: ReadonlySet<number>) => void;
}) {
  const { series, hidden, onChange } = props;
  const toggle = (index: number) => {
    const next = new Set(hidden);
    if (!next.delete(index)) next.add(index);
    // Without any series there is no chart.
    onChange(next.size === series.length ? new Set() : next);
  };
  return (
    <fieldset className="legend">
      <legend className="visually-hidden">{t("Series shown")}</legend>
      {series.map(({ label, mark }, index) => (
        <button
          key={label}
          type="button"
          data-kind="quiet"
          aria-pressed={!hidden.has(index)}
          onClick={() => toggle(index)}
        >
          {mark}
          <span>{label}</span>
        </button>
      ))}
    </fieldset>
  );
}
