import { Page } from "../components";
import { useSession } from "../session/session";
import { Accounts } from "./Accounts";
import type { AccessWords } from "./service";
import { Tokens } from "./Tokens";

/** Who may use this console, and programs that use its API. */
export default function AccountsPage({ words }: { readonly words: AccessWords }) {
  const { account } = useSession();
  return (
    <Page title="Accounts and tokens" lead="People sign in with an account; programs carry a token.">
      <Accounts own={account.name} roles={words.roles} />
      <Tokens words={words} />
    </Page>
  );
}
