export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** The lists that a completion script can request from the command. */
export const LISTS = ['run', 'pipeline', 'schedule'] as const
export type List = (typeof LISTS)[number]
