// The one line of bin/stele that very old Nodes cannot parse.
module.exports = (program) => import(require("url").pathToFileURL(program).href);
