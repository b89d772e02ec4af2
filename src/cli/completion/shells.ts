export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** What a script asks the command for during completion. */
export const LISTS = ['run', 'pipeline', 'schedule'] as const
export type List = (typeof LISTS)[number]
