import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/components.css";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api";
import { loadLanguage } from "./language";

/** Renders an entry's pages in the reader's language. */
export async function start(app: ReactNode): Promise<void> {
  await loadLanguage();
  // People who are signed out meanwhile see the sign-in page.
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401)
      void queries.invalidateQueries({ queryKey: ["session"] });
  };
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    defaultOptions: {
      queries: {
        // Refusals are final; unreachable services are retried.
        retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status > 0),
        staleTime: 2_000,
      },
    },
  });
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>{app}</QueryClientProvider>
    </StrictMode>,
  );
}
