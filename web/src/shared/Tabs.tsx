import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

/** Tab panels. Arrow keys move between tabs, Home and End go to the first and last. */
export function Tabs(props: {
  /** The label for screen readers. */
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly title: string }[];
  readonly current: string;
  readonly onChange: (id: string) => void;
  readonly children: ReactNode;
}) {
  const { tabs, current, onChange } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const index = tabs.findIndex((tab) => tab.id === current);
  const move = (event: KeyboardEvent) => {
    const to = targetOf(event.key, index, tabs.length);
    if (to === null) return;
    event.preventDefault();
    onChange(tabs[to]!.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[to]?.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={props.label} className="tabs" onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === current}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => onChange(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {props.children}
      </div>
    </>
  );
}

function targetOf(key: string, index: number, count: number): number | null {
  switch (key) {
    case "ArrowRight":
      return (index + 1) % count;
    case "ArrowLeft":
      return (index - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
