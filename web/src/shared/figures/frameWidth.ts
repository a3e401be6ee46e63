import { useLayoutEffect, useRef, useState } from "react";

/** Redrawn in steps of so many pixels while a window changes its size. */
const widthStep = 20;

/**
 * A picture is drawn for the width that its frame has, so that its words stay as large as the page's.
 * @param usualWidth - pixels that it has at most
 */
export function useFrameWidth(usualWidth: number) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(usualWidth);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => {
      // A frame in a closed fold has no width yet.
      if (element.clientWidth === 0) return;
      setWidth(Math.min(usualWidth, Math.floor(element.clientWidth / widthStep) * widthStep));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [usualWidth]);
  return [frame, width] as const;
}
