import path from "node:path";
import { expect, test } from "vitest";
import { type Home, type HomeRequest, resolveHome } from "../../../src/config/home.ts";

function homeOf(request: Partial<HomeRequest>): Home {
  const found = resolveHome({ env: { HOME: "/home/ann" }, platform: "linux", cwd: "/work", flags: {}, ...request });
  if (!found.ok) throw new Error(found.problem);
  return found.home;
}

test("Linux keeps data and config in their own folders", () => {
  expect(homeOf({})).toEqual({
    folder: "/home/ann/.local/share/stele",
    ledgerFile: "/home/ann/.local/share/stele/state.db",
    configFile: "/home/ann/.config/stele/config.json",
    trustFile: "/home/ann/.local/share/stele/trusted.json",
    spoolFolder: "/home/ann/.local/share/stele/spool",
    backupsFolder: "/home/ann/.local/share/stele/backups",
    imagesFolder: "/home/ann/.local/share/stele/images",
  });
});

test("XDG folders are followed when absolute, and a relative one is ignored", () => {
  const env = { HOME: "/home/ann", XDG_DATA_HOME: "/data", XDG_CONFIG_HOME: "config" };
  expect(homeOf({ env })).toMatchObject({
    ledgerFile: "/data/stele/state.db",
    configFile: "/home/ann/.config/stele/config.json",
  });
});

test("macOS keeps both in Application Support, whatever XDG says", () => {
  const home = homeOf({ env: { HOME: "/Users/ann", XDG_DATA_HOME: "/data" }, platform: "darwin" });
  expect(home.ledgerFile).toBe("/Users/ann/Library/Application Support/stele/state.db");
  expect(home.configFile).toBe("/Users/ann/Library/Application Support/stele/config.json");
});

test.each([
  ["STELE_HOME before the platform", { env: { HOME: "/home/ann", STELE_HOME: "/stele" } }, "/stele"],
  ["--home before STELE_HOME", { env: { STELE_HOME: "/stele" }, flags: { home: "/flag" } }, "/flag"],
  ["a relative --home below the folder it was given in", { flags: { home: "there" } }, "/work/there"],
  ["a quoted ~ as the person's folder", { flags: { home: "~/stele" } }, "/home/ann/stele"],
] as const)("%s", (_title, request, folder) => {
  expect(homeOf(request)).toMatchObject({
    folder,
    ledgerFile: path.join(folder, "state.db"),
    configFile: path.join(folder, "config.json"),
    spoolFolder: path.join(folder, "spool"),
  });
});

test("an empty STELE_HOME is an unset one", () => {
  expect(homeOf({ env: { HOME: "/home/ann", STELE_HOME: "" } })).toEqual(homeOf({}));
});

test("a profile is a ledger and a config of its own below the home", () => {
  expect(homeOf({ env: { STELE_HOME: "/stele" }, flags: { profile: "work" } })).toMatchObject({
    folder: "/stele/profiles/work",
    ledgerFile: "/stele/profiles/work/state.db",
    configFile: "/stele/profiles/work/config.json",
  });
  expect(homeOf({ flags: { profile: "work" } }).configFile).toBe("/home/ann/.config/stele/profiles/work/config.json");
});

test("--ledger moves the ledger's file and nothing else", () => {
  const plain = homeOf({ flags: { profile: "work" } });
  const moved = homeOf({ flags: { profile: "work", ledger: "other.db" } });
  expect(moved).toEqual({ ...plain, ledgerFile: "/work/other.db" });
});

test.each(["", ".", "..", "../other", "a/b", "-x", "a b", "x".repeat(65)])("%j is no name of a profile", (profile) => {
  const found = resolveHome({ env: {}, platform: "linux", cwd: "/", flags: { profile } });
  expect(found).toMatchObject({ ok: false, problem: `--profile is ${JSON.stringify(profile)}, which is not a name` });
});

test.each(["home", "ledger"])("an empty --%s is refused", (flag) => {
  const found = resolveHome({ env: {}, platform: "linux", cwd: "/", flags: { [flag]: "" } });
  expect(found).toMatchObject({ ok: false, problem: `--${flag} is empty` });
});
