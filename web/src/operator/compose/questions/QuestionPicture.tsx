import type { ReactNode } from "react";
import type { PictureKind } from "./questions";

/** A sketch of the release that answers a question. It says nothing that the question's words do not say. */
export function QuestionPicture({ kind }: { readonly kind: PictureKind }) {
  return (
    <svg className="drawing sketch" viewBox="0 0 120 66" aria-hidden="true" focusable="false">
      {pictures[kind]()}
    </svg>
  );
}

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

const pictures: Readonly<Record<PictureKind, () => ReactNode>> = {
  "table-one": () => (
    <>
      <rect className="box" x="4" y="4" width="112" height="11" />
      {range(4).map((r) => (
        <g key={r}>
          <line className="axis" x1="8" x2={38 - (r % 2) * 10} y1={24 + 11 * r} y2={24 + 11 * r} />
          {[56, 82, 108].map((x, c) => (
            <rect
              key={x}
              className={`f${c % 2}`}
              x={x - 12}
              y={21 + 11 * r}
              width={8 + ((r + c) % 3) * 4}
              height="6"
            />
          ))}
          <line className="grid" x1="4" x2="116" y1={30 + 11 * r} y2={30 + 11 * r} />
        </g>
      ))}
    </>
  ),
  counts: () => whiskers([92, 58, 26]),
  ranking: () => whiskers([96, 74, 50, 34, 22]),
  forest: () => (
    <>
      <line className="reference" x1="52" x2="52" y1="4" y2="62" />
      {[
        [82, 16],
        [66, 20],
        [50, 12],
        [34, 14],
      ].map(([x, half], r) => (
        <g key={x}>
          <line className="whisker" x1={x! - half!} x2={x! + half!} y1={12 + 14 * r} y2={12 + 14 * r} />
          <rect className="f0" x={x! - 4} y={8 + 14 * r} width="8" height="8" />
        </g>
      ))}
    </>
  ),
  survival: () => (
    <>
      {axes}
      <polygon className="band f0" points="12,6 40,10 70,17 112,24 112,36 70,25 40,14 12,6" />
      <polygon className="band f1" points="12,6 40,18 70,33 112,46 112,56 70,43 40,24 12,6" />
      <polyline className="line s0" points="12,6 30,6 30,10 54,10 54,18 84,18 84,25 112,25 112,30" />
      <polyline className="line s1" points="12,6 26,6 26,16 50,16 50,28 74,28 74,39 98,39 98,50 112,50" />
    </>
  ),
  curves: () => (
    <>
      {axes}
      <line className="reference" x1="12" x2="114" y1="34" y2="34" />
      <polygon className="band f0" points="12,50 40,46 66,30 90,12 114,8 114,20 90,26 66,42 40,58 12,62" />
      <polyline className="line s0" points="12,56 34,56 34,48 58,48 58,34 82,34 82,20 114,20 114,14" />
    </>
  ),
  rows: () => (
    <>
      <rect className="box" x="4" y="4" width="112" height="11" />
      {range(4).map((r) =>
        [8, 36, 64, 92].map((x, c) => (
          <rect
            key={`${r} ${x}`}
            className={`f${c}`}
            x={x}
            y={20 + 11 * r}
            width={10 + ((3 * r + 2 * c) % 5) * 2.5}
            height="6"
          />
        )),
      )}
    </>
  ),
  groups: () => (
    <>
      <rect className="box" x="4" y="4" width="112" height="11" />
      {range(4).map((r) => (
        <g key={r}>
          {[8, 36, 64, 92].map((x, c) => (
            <rect
              key={x}
              className={`f${Math.floor(r / 2) * 2 + (c > 2 ? r % 2 : 0)}`}
              x={x}
              y={20 + 11 * r}
              width="20"
              height="7"
            />
          ))}
        </g>
      ))}
    </>
  ),
  scatter: () => (
    <>
      {axes}
      {range(22).map((i) => (
        <circle
          key={i}
          className={i % 2 === 0 ? "f0" : "f1"}
          cx={(i % 2 === 0 ? 42 : 80) + 22 * Math.sin(i * 2.4) * Math.cos(i)}
          cy={(i % 2 === 0 ? 38 : 24) + 14 * Math.cos(i * 1.7)}
          r="2.6"
        />
      ))}
    </>
  ),
  tree: () => (
    <>
      {["60,10 32,32", "60,10 90,32", "90,32 72,54", "90,32 108,54"].map((points) => (
        <polyline key={points} className="line s5" points={points} />
      ))}
      <rect className="box" x="44" y="4" width="32" height="13" />
      <rect className="f0" x="18" y="28" width="28" height="11" />
      <rect className="box" x="76" y="27" width="28" height="13" />
      <rect className="f0" x="60" y="50" width="24" height="11" />
      <rect className="f1" x="94" y="50" width="24" height="11" />
    </>
  ),
};

const axes = <polyline className="axis" fill="none" points="10,2 10,62 116,62" />;

/** Bars with an interval each. */
function whiskers(widths: readonly number[]): ReactNode {
  const height = 54 / widths.length;
  return (
    <>
      <line className="axis" x1="8" x2="8" y1="2" y2="64" />
      {widths.map((width, r) => {
        const y = 6 + r * height;
        const middle = y + (height - 4) / 2;
        return (
          <g key={width}>
            <rect className="f0" x="8" y={y} width={width} height={height - 4} />
            <line className="whisker" x1={width} x2={Math.min(118, width + 18)} y1={middle} y2={middle} />
          </g>
        );
      })}
    </>
  );
}
