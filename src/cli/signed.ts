import { userInfo } from 'node:os'
import { usageError } from '../core/errors.ts'
import { count, grouped } from '../core/format/figures.ts'
import type { Signed } from '../core/run.ts'
import type { Terminal } from './terminal.ts'

export interface SignFlags {
  readonly by?: string
  readonly comment?: string
}

const MAX_LENGTH = 1000

/** Who gives a command, and why, for the records of a run. Throws `text-too-long`. */
export function signedBy({ by, comment }: SignFlags, { env }: Pick<Terminal, 'env'>): Signed & { by: string } {
  const why = checked('--comment', comment)
  return { by: checked('--by', by) ?? userName(env), comment: why }
}

function checked(option: string, text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === '') return undefined
  if (text.length <= MAX_LENGTH) return text.trim()
  throw usageError(
    'text-too-long',
    `the text of ${option} has ${count(text.length, 'character')}; the limit is ${grouped(MAX_LENGTH)}`,
  )
}

/** The user of the operating system; a container may run as a user without a name. */
export function userName({ SUDO_USER, USER }: Terminal['env']): string {
  if (SUDO_USER) return SUDO_USER
  try {
    return userInfo().username
  } catch {
    return USER || `user ${process.getuid?.() ?? 'without a name'}`
  }
}
