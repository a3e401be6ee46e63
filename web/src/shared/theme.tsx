import { useEffect, useState } from "react";
import { t } from "./language";

type Theme = "light" | "dark";

/** `firstTheme.js` reads it too, before the first paint. */
const key = "consilium-theme";
const system = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

function chosen(): Theme | null {
  try {
    const stored = localStorage.getItem(key);
    return stored === "light" || stored === "dark" ? stored : null;
  } catch {
    return null;
  }
}

/** The theme now: the person's choice, else the system's, which it follows. */
function useTheme(): readonly [Theme, (next: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => chosen() ?? system());
  useEffect(() => {
    const media = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => {
      if (chosen() === null) setTheme(system());
    };
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, []);
  const choose = (next: Theme) => {
    try {
      localStorage.setItem(key, next);
    } catch {
      // A browser that keeps nothing shows the choice until the page is left.
    }
    document.documentElement.dataset.theme = next;
    setTheme(next);
  };
  return [theme, choose];
}

export function ThemeSwitch() {
  const [theme, choose] = useTheme();
  const other: Theme = theme === "light" ? "dark" : "light";
  return (
    <button
      type="button"
      data-kind="quiet"
      onClick={() => choose(other)}
      aria-label={other === "dark" ? t("Use the dark theme") : t("Use the light theme")}
    >
      <span aria-hidden="true">{theme === "light" ? "☾" : "☀"}</span>
    </button>
  );
}
