// All commands, in the order in which help lists them. The one place that knows every command file.
import { approveCommand } from "./approve.ts";
import { branchCommand } from "./branch.ts";
import { compareCommand } from "./compare.ts";
import { compressCommand } from "./compress.ts";
import { configCommand } from "./config.ts";
import { deleteCommand } from "./delete.ts";
import { doctorCommand } from "./doctor.ts";
import { editCommand } from "./edit.ts";
import { exportCommand } from "./export.ts";
import { filesCommand } from "./files.ts";
import { flagCommands } from "./flags.ts";
import { helpCommand } from "./help.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { loopCommand } from "./loop.ts";
import { modelCommand } from "./model.ts";
import { modelsCommand } from "./models.ts";
import { newCommand } from "./new.ts";
import type { CommandRegistry } from "./parse-command.ts";
import { queueCommand } from "./queue.ts";
import { quitCommand } from "./quit.ts";
import { recoverCommand } from "./recover.ts";
import { redoCommand } from "./redo.ts";
import { resumeCommand } from "./resume.ts";
import { retryCommand } from "./retry.ts";
import { searchCommand } from "./search.ts";
import { sessionsCommand } from "./sessions.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { titleCommand } from "./title.ts";
import { toolsCommand } from "./tools.ts";
import { treeCommand } from "./tree.ts";
import { undoCommand } from "./undo.ts";
import { usageCommand } from "./usage.ts";

export const registry: CommandRegistry = {
  commands: [
    helpCommand(() => registry),
    resumeCommand,
    newCommand,
    sessionsCommand,
    searchCommand,
    undoCommand,
    redoCommand,
    filesCommand,
    retryCommand,
    editCommand,
    branchCommand,
    treeCommand,
    compareCommand,
    modelCommand,
    modelsCommand,
    loopCommand(() => registry),
    compressCommand,
    titleCommand,
    exportCommand,
    importCommand,
    queueCommand,
    recoverCommand,
    approveCommand,
    toolsCommand,
    statusCommand,
    usageCommand,
    doctorCommand,
    configCommand,
    initCommand,
    ...flagCommands,
    deleteCommand,
    stopCommand,
    quitCommand,
  ],
  later: ["backup", "prune", "repair", "restore"],
};
