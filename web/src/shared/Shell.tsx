import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import icon from "./icon.svg";
import { LanguageSwitch } from "./LanguageSwitch";
import { t } from "./language";
import { ThemeSwitch } from "./theme";

interface NavItem {
  readonly href: string;
  readonly title: string;
}

/**
 * The frame of every page: brand, navigation, tools, content. The entries' HTML contains the same frame before scripts
 * run.
 */
export function Shell(props: {
  readonly name: string;
  /** Omitted when there is nothing to navigate to, such as before sign-in. */
  readonly nav?: readonly NavItem[];
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}) {
  const [location] = useLocation();
  const content = useArrival(location);
  const pages = useCurrentInSight(location);
  const isCurrent = (href: string) =>
    href === "/" ? location === "/" : location === href || location.startsWith(`${href}/`);
  return (
    <>
      <a className="skip" href="#content">
        {t("Skip to content")}
      </a>
      <header className="topbar">
        <Link href="/" className="brand">
          <img src={icon} alt="" />
          <span>
            {t("Consilium")}
            <small>{props.name}</small>
          </span>
        </Link>
        {props.nav === undefined ? null : (
          <nav aria-label={t("Main")}>
            <ul ref={pages}>
              {props.nav.map((item) => (
                <li key={item.href}>
                  <Link href={item.href} aria-current={isCurrent(item.href) ? "page" : undefined}>
                    {item.title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div className="tools">
          {props.tools}
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main id="content" className="page" tabIndex={-1} ref={content}>
        {props.children}
      </main>
    </>
  );
}

/** A page opened by a link starts at the top with the focus, like a page that was loaded. */
function useArrival(location: string) {
  const content = useRef<HTMLElement>(null);
  const before = useRef(location);
  useEffect(() => {
    if (before.current === location) return;
    before.current = location;
    scrollTo(0, 0);
    content.current?.focus({ preventScroll: true });
  }, [location]);
  return content;
}

/** On a phone the menu is one line that scrolls: the current page's link stays in it. */
function useCurrentInSight(location: string) {
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another link
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>("[aria-current=page]")?.parentElement;
    if (list.current === null || link === null || link === undefined) return;
    list.current.scrollLeft = link.offsetLeft - (list.current.clientWidth - link.offsetWidth) / 2;
  }, [location]);
  return list;
}
