import { useSession } from "../shared/session/session";

/** Whether the signed-in person may change things; a viewer may not. */
export function useCanOperate(): boolean {
  return useSession().account.role === "operator";
}
