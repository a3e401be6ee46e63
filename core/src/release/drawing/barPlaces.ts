/** Where a bar is, in pixels, and its name; null where a bar above has the same. */
export interface BarPlace {
  readonly nameY: number | null;
  readonly barY: number;
  readonly barHeight: number;
  readonly middle: number;
}

/** From one bar of a label to the next, and the room below the last. */
const pitch = 15;
const gap = 9;

/**
 * Bars one below the other; those of groups that have one label follow each other closely, with their label once.
 * @param isAbove - names stand above their bars, not beside them
 */
export function barPlaces(
  bars: readonly { readonly label: string }[],
  top: number,
  isAbove: boolean,
  hasGroups: boolean,
): { readonly places: readonly BarPlace[]; readonly height: number } {
  if (!hasGroups) {
    const [rowHeight, nameAt, barAt] = isAbove ? [40, 14, 19] : [22, 15, 3];
    const places = bars.map((_, i) => {
      const y = top + i * rowHeight!;
      return { nameY: y + nameAt!, barY: y + barAt!, barHeight: 16, middle: y + barAt! + 8 };
    });
    return { places, height: bars.length * rowHeight! };
  }
  const places: BarPlace[] = [];
  let y = top;
  bars.forEach(({ label }, i) => {
    const isFirst = i === 0 || bars[i - 1]!.label !== label;
    const end = bars.findIndex((other, j) => j > i && other.label !== label);
    const own = (end === -1 ? bars.length : end) - i;
    if (isFirst && i > 0) y += gap;
    const nameY = !isFirst ? null : isAbove ? y + 14 : y + (own * pitch) / 2 + 5;
    if (isFirst && isAbove) y += 19;
    places.push({ nameY, barY: y + 1, barHeight: 12, middle: y + 7 });
    y += pitch;
  });
  return { places, height: y + gap - top };
}
