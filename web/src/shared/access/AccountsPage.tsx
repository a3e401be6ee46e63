import { Page } from "../components";
import { useSession } from "../session/session";
import { Accounts } from "./Accounts";
import type { AccessWords } from "./service";
import { Tokens } from "./Tokens";

/** Accounts of this console, and tokens for its API. */
export default function AccountsPage({ words }: { readonly words: AccessWords }) {
  const { account } = useSession();
  return (
    <Page title="Accounts and tokens" lead="People sign in with an account; programs use a token.">
      <Accounts own={account.name} roles={words.roles} />
      <Tokens words={words} />
    </Page>
  );
}
