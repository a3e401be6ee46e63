import { durationSchema } from "@consilium/core/unitSchemas";
import { z } from "zod";
import { isLoopbackUrl } from "../http/access/origin.js";

const file = z.string().min(1).max(1_000);
const address = z.email("write an address such as approvals@st-mary.example").max(254);

const channelFields = {
  mail: z
    .strictObject({
      /** The submission server. */
      host: z.string().min(1).max(253),
      port: z.int().min(1).max(65_535).default(587),
      /** `starttls`: the connection is upgraded, and refused where it cannot be. `tls`: from its first byte, as on port 465. */
      security: z.enum(["starttls", "tls"]).default("starttls"),
      /** Authorities to trust instead of the system's, in PEM. */
      caFile: file.optional(),
      user: z.string().min(1).max(300).optional(),
      passwordFile: file.optional(),
      from: address,
      to: z.array(address).min(1).max(20),
    })
    .refine((mail) => (mail.user === undefined) === (mail.passwordFile === undefined), {
      message: "give user and passwordFile together",
    })
    .optional(),
  webhook: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .max(2_000)
        .refine((text) => text.startsWith("https://") || isLoopbackUrl(text), "write an https address"),
      /** The key of the signature: at least 16 bytes. */
      secretFile: file,
      caFile: file.optional(),
    })
    .optional(),
};

const duration = z.string().max(20).pipe(durationSchema);

/** `console.notifications` of a site's config.yaml. */
export const siteNotifications = z.strictObject({
  ...channelFields,
  /** A reminder is sent so long before a study can no longer be joined. */
  reminderBefore: duration.prefault("1d"),
});

/** `notifications` of the aggregator's config.yaml. */
export const operatorNotifications = z.strictObject({
  ...channelFields,
  /** A site that was not heard for so long is reported. */
  silentAfter: duration.prefault("1h"),
});

/** What both have in common. */
export type ChannelSettings = Pick<z.output<typeof siteNotifications>, "mail" | "webhook">;
