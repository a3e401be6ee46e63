import { Page } from "../../shared/components";
import { useSession } from "../../shared/session/session";
import { Accounts } from "./Accounts";
import { Tokens } from "./Tokens";

/** Who may use this console, and programs that use its API. */
export default function AccountsPage() {
  const { account } = useSession();
  return (
    <Page title="Accounts and tokens" lead="People sign in with an account; programs carry a token.">
      <Accounts own={account.name} />
      <Tokens />
    </Page>
  );
}
