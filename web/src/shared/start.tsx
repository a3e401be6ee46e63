import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/components.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api";
import { applyTheme } from "./theme";

/** Draws an entry's pages. */
export function start(app: ReactNode): void {
  applyTheme();
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        // A refusal stays one; what was not reached is asked again.
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
