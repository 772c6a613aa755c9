// Makes a fresh clone ready to run: `node scripts/setup.cjs [--for test] [--then start|test] [arguments]`.
// This file alone is read by whatever Node is there, so it is old syntax without dependencies: it checks the
// version and leaves the rest to setup/cli.cjs.
"use strict";

var NEEDED = [20, 19];

/** What to tell a person whose Node is too old, or undefined where it is new enough. */
function versionProblem(version, execPath) {
  var parts = version.replace(/^v/, "").split(".");
  var major = +parts[0];
  if (major > NEEDED[0] || (major === NEEDED[0] && +parts[1] >= NEEDED[1])) return undefined;
  return (
    "stele needs Node " +
    NEEDED.join(".") +
    " or newer, and this is Node " +
    version.replace(/^v/, "") +
    " (" +
    execPath +
    ").\n" +
    "Get a current one from https://nodejs.org/ or with a version manager (`nvm install 22`, `fnm install 22`), then start again.\n"
  );
}

exports.versionProblem = versionProblem;

if (require.main === module) {
  var problem = versionProblem(process.version, process.execPath);
  if (problem) {
    process.stderr.write(problem);
    process.exitCode = 1;
  } else {
    require("./setup/cli.cjs").main(process.argv.slice(2));
  }
}
