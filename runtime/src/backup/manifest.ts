import { z } from "zod";

/** The roles that can be backed up: the three processes' state folders, and the federation's authority. */
export const backupRoles = ["authority", "aggregator", "publisher", "site"] as const;
export type BackupRole = (typeof backupRoles)[number];

/** The first file of a backup. */
export const introductionName = "consilium-backup.json";
/** The last file: without it the backup is not whole. */
export const manifestName = "consilium-manifest.json";

export const introductionSchema = z.strictObject({
  /** 1: version 0.1.0, whose encryption is that of `sealed1.ts`. */
  format: z.enum(["consilium-backup-1", "consilium-backup-2"]),
  role: z.enum(backupRoles),
  /** Of the state folder, to tell backups apart. */
  name: z.string().max(255),
  software: z.string().max(40),
  createdAt: z.iso.datetime(),
  /** Where the records are that this backup does not hold. */
  records: z.enum(["inside", "postgresql"]),
});

export type BackupIntroduction = z.output<typeof introductionSchema>;

export const manifestSchema = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      bytes: z.int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      mode: z.int().min(0).max(0o777),
    }),
  ),
});

export type BackupFile = z.output<typeof manifestSchema>["files"][number];
