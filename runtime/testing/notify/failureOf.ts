import { DeliveryError } from "../../src/notify/message.js";

/** Why a message was not delivered; rejects where it was. */
export function failureOf(sent: Promise<void>): Promise<DeliveryError> {
  return sent.then(
    () => {
      throw new Error("it was delivered");
    },
    (thrown: unknown) => {
      if (thrown instanceof DeliveryError) return thrown;
      throw thrown;
    },
  );
}
