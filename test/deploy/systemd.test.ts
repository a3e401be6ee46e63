import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { further } from "../support/further.js";
import { hasSystemd, SystemdContainer } from "../support/systemdContainer.js";

/** The units of systemd: what they allow, and that by their README's commands a federation runs. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "deploy/systemd");
const units = (await readdir(folder)).filter((name) => name.endsWith(".service"));
const isHere = await hasSystemd();

/** How exposed a unit is, 0 to 10, by `systemd-analyze security`. */
async function exposure(name: string, text: string): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), "consilium-unit-"));
  try {
    const path = join(scratch, name);
    await writeFile(path, text);
    const args = ["security", "--offline=true", "--no-pager", path];
    const { stdout } = await promisify(execFile)("systemd-analyze", args);
    return Number(/exposure level for \S+ ([0-9.]+)/.exec(stdout)?.[1]);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

describe.skipIf(!isHere)("units of systemd", () => {
  it.each(units)("%s is exposed to little, and by what it says alone", async (name) => {
    const text = await readFile(join(folder, name), "utf8");
    expect(await exposure(name, text)).toBeLessThanOrEqual(1.5);
    const bare = text.replace(
      /^(?:NoNew|Capability|Ambient|Protect|Private|Restrict|SystemCall|User=|Group=|UMask).*\n/gm,
      "",
    );
    expect(await exposure(name, bare)).toBeGreaterThan(8);
  });

  further("run a federation by the commands of their README", async () => {
    const blocks = [...(await readFile(join(folder, "README.md"), "utf8")).matchAll(/```sh\n([\s\S]*?)```/g)];
    const [install, asUser, operator, hospital] = blocks.map(([, block]) => block!);
    const container = await SystemdContainer.start(root);
    try {
      await container.sh(install!);
      const sh = (script: string) => container.sh(`${asUser}${script}`);
      const [start, invite] = operator!
        .replace(/(aggregator|releases)\.example\.org/g, "localhost")
        .split(/(?=^consilium invite)/m);
      await sh(start!);
      await expect
        .poll(() => container.sh("curl -fs http://127.0.0.1:7080/readyz || true"))
        .toContain("true");
      const { token } = JSON.parse(await sh(`${invite!.trim()} --json`)) as { token: string };
      // Without a state nothing is started, and nothing is tried over and over.
      await container.run("systemctl", "start", "consilium-agent@st-mary");
      expect(await container.sh("systemctl is-active consilium-agent@st-mary || true")).toMatch(/^inactive/);

      await container.sh(`mkdir /data && cp /opt/consilium/examples/data/hospital-a.csv /data/patients.csv
        chgrp consilium-tables /data/patients.csv && chmod 0640 /data/patients.csv && cd /tmp && printf %s ${token} > st-mary.token && chmod 0644 st-mary.token`);
      const enrolled = hospital!
        .replace("patients.parquet", "patients.csv --csv-header")
        .replace(/^cat .*setup-link\n/m, "")
        .replace(/^consilium site status.*\n/m, "");
      await sh(`cd /tmp; ${enrolled}`);
      const status = () => sh("consilium site status --state /var/lib/consilium/st-mary --json || true");
      await expect.poll(status).toMatch(/"connected": ?true/);
      const link = "/var/lib/consilium-console/st-mary/setup-link";
      await expect.poll(() => container.sh(`cat ${link} || true`)).toMatch(/^http:\/\/127\.0\.0\.1:7082\//);

      // The console has neither tables nor keys.
      const within = async (unit: string, command: string) => {
        const pid = await container.run("systemctl", "show", "-p", "MainPID", "--value", unit);
        return container.sh(`nsenter -t ${pid.trim()} -m -S 0 sh -c '${command}' || true`);
      };
      const look = "ls /var/lib/consilium/st-mary/state-key /data/patients.csv; touch /opt/x /etc/x 2>&1";
      expect(await within("consilium-agent@st-mary", look)).toMatch(
        /^\/data\/patients\.csv\n.*state-key\ntouch: .*Read-only/,
      );
      expect(await within("consilium-console@st-mary", look)).toMatch(/^touch: .*Read-only/);
      // What reads the tables has these and no key, by its user as by its unit.
      expect(await within("consilium-tables@st-mary", look)).toMatch(
        /^\/data\/patients\.csv\ntouch: .*Read-only/,
      );
      expect(await status()).toMatch(/"tablesApart": ?true/);
      const opened = container.sh("runuser -u consilium-tables -- cat /var/lib/consilium/st-mary/state-key");
      await expect(opened).rejects.toThrow(/Permission denied/);

      // The nightly backup, and a drill on what it wrote.
      await container.sh(`install -d -m 0700 -o consilium -g consilium /var/backups/consilium
        install -d -m 0755 /etc/consilium && echo "a passphrase of this test" > /etc/consilium/backup-passphrase
        chmod 0600 /etc/consilium/backup-passphrase
        systemctl start consilium-backup-site@st-mary`);
      const drill =
        "cat /var/backups/consilium/site-st-mary-*.tar.age | consilium restore - --drill --passphrase-file /tmp/passphrase";
      await container.sh("echo 'a passphrase of this test' > /tmp/passphrase && chmod 0644 /tmp/passphrase");
      expect(await sh(drill)).toContain("All checks passed.");

      // Killed, it is back.
      const pidOf = () =>
        container.run("systemctl", "show", "-p", "MainPID", "--value", "consilium-agent@st-mary");
      const first = await pidOf();
      await container.run("kill", "-9", first.trim());
      await expect.poll(pidOf).not.toMatch(new RegExp(`^(?:0|${first.trim()})$`, "m"));
      await expect.poll(status).toMatch(/"connected": ?true/);
      await container.run("systemctl", "stop", "consilium-console@st-mary", "consilium-agent@st-mary");
      const ended = await container.run(
        "journalctl",
        "-u",
        "consilium-agent@st-mary",
        "--no-pager",
        "-n",
        "20",
      );
      expect(ended).toMatch(/Deactivated successfully/);
    } finally {
      await container.close();
    }
  });
});
