// The name of the guard file, for those who must not touch it and do not load SQLite.

export function sidecarPath(file: string): string {
  return `${file}.guard`;
}
