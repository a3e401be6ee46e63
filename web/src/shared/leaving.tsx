import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type AroundNavHandler, Router } from "wouter";
import { Dialog } from "./components";
import { said, t } from "./language";

/** What a page asks before it is left. */
interface Question {
  readonly title: string;
  readonly text: string;
  readonly leave: string;
}

const lost: Question = said({
  title: "Leave without saving?",
  text: "Your changes on this page are not saved and will be lost.",
  leave: "Leave without saving",
});

interface Leaving {
  /** Null while there is nothing to ask. */
  readonly unsaved: RefObject<Question | null>;
  /** Runs the action once there are no unsaved changes, or the person agrees to lose them. */
  readonly ask: (leave: () => unknown) => void;
}

const Current = createContext<Leaving>({ unsaved: { current: null }, ask: (leave) => void leave() });

/** Runs an action that leaves the page without a link. */
export function useLeave(): Leaving["ask"] {
  return useContext(Current).ask;
}

/**
 * While there are unsaved changes, everything below `AsksBeforeLeaving` asks before leaving the page.
 * @param question - keep it stable: a constant outside the component
 */
export function useUnsaved(isUnsaved: boolean, question: Question = lost): void {
  const { unsaved } = useContext(Current);
  useEffect(() => {
    if (!isUnsaved) return;
    unsaved.current = question;
    // The browser asks with its own text when the page is closed or reloaded.
    const keep = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", keep);
    return () => {
      unsaved.current = null;
      removeEventListener("beforeunload", keep);
    };
  }, [isUnsaved, unsaved, question]);
}

/** Asks before a page with unsaved changes is left: by a link, or by the browser's back and forward. */
export function AsksBeforeLeaving({ children }: { readonly children: ReactNode }) {
  const unsaved = useRef<Question | null>(null);
  const [leave, setLeave] = useState<(Question & { readonly go: () => unknown }) | null>(null);
  const ask = useCallback((go: () => unknown) => {
    if (unsaved.current === null) go();
    else setLeave({ ...unsaved.current, go });
  }, []);
  const leaving = useMemo(() => ({ unsaved, ask }), [ask]);
  const aroundNav: AroundNavHandler = useCallback(
    (navigate, to, options) => ask(() => navigate(to, options)),
    [ask],
  );
  useBackAndForward(leaving);
  const goNow = () => {
    unsaved.current = null;
    setLeave(null);
    leave?.go();
  };
  return (
    <Current value={leaving}>
      <Router aroundNav={aroundNav}>{children}</Router>
      {leave === null ? null : (
        <Dialog title={leave.title} onClose={() => setLeave(null)}>
          <p>{leave.text}</p>
          <div className="actions">
            <button type="button" data-kind="primary" onClick={() => setLeave(null)}>
              {t("Stay")}
            </button>
            <button type="button" data-kind="danger" onClick={goNow}>
              {leave.leave}
            </button>
          </div>
        </Dialog>
      )}
    </Current>
  );
}

/** Listens for back and forward before the router, which would draw the other page. */
let hold: ((event: PopStateEvent) => void) | null = null;
// The router starts listening when it is drawn: earlier listeners are called first.
addEventListener("popstate", (event) => hold?.(event));

/** The address has already changed when the event arrives: it is restored until the person has answered. */
function useBackAndForward({ unsaved, ask }: Leaving): void {
  useEffect(() => {
    let here = location.href;
    const follow = () => {
      here = location.href;
    };
    hold = (event) => {
      if (unsaved.current === null || location.pathname === new URL(here).pathname) {
        follow();
        return;
      }
      event.stopImmediatePropagation();
      const there = location.href;
      history.pushState(null, "", here);
      ask(() => history.pushState(null, "", there));
    };
    addEventListener("pushState", follow);
    addEventListener("replaceState", follow);
    return () => {
      hold = null;
      removeEventListener("pushState", follow);
      removeEventListener("replaceState", follow);
    };
  }, [unsaved, ask]);
}
