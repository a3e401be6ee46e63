import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { Notice } from "./components";
import { t } from "./language";

/** Milliseconds before each further attempt: a service that restarts is back within them. */
const pauses = [500, 1000, 2000, 4000, 8000, 16_000];

/**
 * A component whose code the browser fetches when it is first shown. A page outlives its service: while that is away the code is
 * asked for again. If it does not come, as after an update that took these files away, a notice stands in the component's place,
 * where React's own `lazy` would leave the page blank.
 */
export function onDemand<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => {
    for (const pause of pauses) {
      const loaded = await load().catch(() => null);
      if (loaded !== null) return loaded;
      await new Promise((done) => setTimeout(done, pause));
    }
    return load().catch(() => ({ default: NotLoaded }));
  });
}

function NotLoaded() {
  return (
    <Notice
      tone="warn"
      title={t("This part of the page could not be loaded.")}
      action={
        <button type="button" onClick={() => window.location.reload()}>
          {t("Reload the page")}
        </button>
      }
    >
      <p>{t("Its service did not respond, or has been updated since you opened the page.")}</p>
    </Notice>
  );
}
