import { Page } from "../components";
import { t } from "../language";
import { useSession } from "../session/session";
import { Accounts } from "./Accounts";
import type { AccessWords } from "./service";
import { Tokens } from "./Tokens";

/** Accounts of this console, and tokens for its API. */
export default function AccountsPage({ words }: { readonly words: AccessWords }) {
  const { account } = useSession();
  return (
    <Page title={t("Accounts and tokens")} lead={t("People sign in with an account; programs use a token.")}>
      <Accounts own={account.name} roles={words.roles} />
      <Tokens words={words} />
    </Page>
  );
}
