/** The minimum length of a part of an id. With one letter, `runs cancel` would find the only run of a new project. */
export const SHORTEST_RUN_ID = 4

/** For the help of every command that takes a run. */
export const RUN_HELP = `RUN is the id of a run, \`latest\`, or at least ${SHORTEST_RUN_ID} characters that only one run has: the first ones of its id, or the
first or last ones after the dash. \`latest\` is the newest run that no other run started.`
