// Files whose content the scan of a folder never reads: names that usually hold keys and passwords.
import picomatch from "picomatch";

const SECRET_NAMES = [
  ".env*",
  "*.env",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "*.ppk",
  "id_*",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".htpasswd",
  ".git-credentials",
  "credentials*",
  ".credentials*",
  "secrets*",
  ".secrets*",
  "*.tfstate",
];

const isMatch = picomatch(SECRET_NAMES, { dot: true, nocase: true });

/** `name` is a base name. */
export function isSecretName(name: string): boolean {
  return isMatch(name);
}
