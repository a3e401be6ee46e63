import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { ApiError, request, setCsrf } from "../api";
import { FailureNotice, Loading } from "../components";
import { SetUp } from "./SetUp";
import { SignIn } from "./SignIn";

/** How a person may sign in. */
export interface SignInMethods {
  readonly password: boolean;
  /** The name of the organisation's own sign-in; null if there is none. */
  readonly oidc: { readonly label: string } | null;
}

export interface Session {
  readonly account: { readonly name: string; readonly role: string };
  readonly csrf: string;
  readonly methods: SignInMethods;
}

type Standing =
  | { readonly kind: "signed in"; readonly session: Session }
  | { readonly kind: "signed out"; readonly setup: boolean; readonly methods: SignInMethods };

const Current = createContext<Session | null>(null);

/** Who is signed in; only below `SignedIn`. */
export function useSession(): Session {
  const session = useContext(Current);
  if (session === null) throw new Error("useSession needs SignedIn around it");
  return session;
}

async function standing(): Promise<Standing> {
  try {
    const session = await request<Session>("GET", "/api/session");
    setCsrf(session.csrf);
    return { kind: "signed in", session };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown;
    const { setup = false, methods = { password: true, oidc: null } } = thrown.failure as Partial<
      Extract<Standing, { kind: "signed out" }>
    >;
    return { kind: "signed out", setup, methods };
  }
}

/** Shows its children to whoever has signed in, else the way to sign in. */
export function SignedIn({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: ["session"], queryFn: standing, staleTime: 60_000 });
  // A one-time link that has been used is asked for no more.
  const again = () => queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "setup link" });
  if (location.pathname === "/setup") return <SetUp name={name} onDone={again} />;
  if (query.data === undefined) {
    if (query.error === null) return <Loading what="your session" />;
    return <FailureNotice error={query.error} retry={() => query.refetch()} />;
  }
  if (query.data.kind === "signed out")
    return <SignIn name={name} setup={query.data.setup} methods={query.data.methods} onDone={again} />;
  return <Current value={query.data.session}>{children}</Current>;
}

/** The signed-in person's name and the way out. */
export function AccountMenu() {
  const { account } = useSession();
  const queries = useQueryClient();
  const leave = async () => {
    await request("DELETE", "/api/session");
    await queries.resetQueries();
  };
  return (
    <>
      <span className="muted">
        {account.name} ({account.role})
      </span>
      <button type="button" onClick={leave}>
        Sign out
      </button>
    </>
  );
}
