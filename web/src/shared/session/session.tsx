import type { SessionView, SignedOutView, SignInMethods } from "@consilium/core/access/views";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { request, setCsrf } from "../api";
import { FailureNotice, Loading } from "../components";
import { served, t } from "../language";
import { useLeave } from "../leaving";
import { Shell } from "../Shell";
import { SetUp } from "./SetUp";
import { SignIn } from "./SignIn";

type Standing =
  | { readonly kind: "signed in"; readonly session: SessionView }
  | { readonly kind: "signed out"; readonly setup: boolean; readonly methods: SignInMethods }
  /** Nothing that needs the session is shown any more, and the session is about to end. */
  | { readonly kind: "leaving" };

const key = ["session"];
const Current = createContext<SessionView | null>(null);

/** Who is signed in; only below `SignedIn`. */
export function useSession(): SessionView {
  const session = useContext(Current);
  if (session === null) throw new Error("useSession needs SignedIn around it");
  return session;
}

async function standing(): Promise<Standing> {
  const session = await request<SessionView | SignedOutView>("GET", "/api/session");
  if (session.account === null) return { kind: "signed out", setup: session.setup, methods: session.methods };
  setCsrf(session.csrf);
  return { kind: "signed in", session };
}

/** Shows its children when signed in, otherwise the sign-in page. */
export function SignedIn({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: key, queryFn: standing, staleTime: 60_000 });
  const again = () => queries.resetQueries({ queryKey: key });
  const isSettingUp = location.pathname === "/setup";
  if (query.data?.kind === "signed in" && !isSettingUp)
    return <Current value={query.data.session}>{children}</Current>;
  return (
    <Shell name={name}>
      {isSettingUp ? (
        <SetUp name={name} onDone={again} />
      ) : query.data?.kind === "signed out" ? (
        <SignIn name={name} setup={query.data.setup} methods={query.data.methods} onDone={again} />
      ) : query.error === null ? (
        <Loading what={t("your session")} />
      ) : (
        <FailureNotice error={query.error} retry={() => query.refetch()} />
      )}
    </Shell>
  );
}

/** The signed-in person's name, and sign-out. */
export function AccountMenu() {
  const { account } = useSession();
  const queries = useQueryClient();
  const unlessUnsaved = useLeave();
  const leave = async () => {
    // Close everything that depends on the session first, such as event streams.
    queries.setQueryData<Standing>(key, { kind: "leaving" });
    await new Promise((done) => setTimeout(done, 50));
    await request("DELETE", "/api/session");
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
    await queries.resetQueries({ queryKey: key });
  };
  return (
    <>
      <span className="muted wide-only">
        {account.name}
        <span className="roomy-only"> ({served(account.role)})</span>
      </span>
      <button type="button" onClick={() => unlessUnsaved(leave)}>
        {t("Sign out")}
      </button>
    </>
  );
}
