import { execFile } from 'node:child_process'
import type { SteadyClock } from '../core/clock.ts'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import { renewableToken, sendableToken, type TokenProvider, tokenError } from './tokens.ts'

/** The program's folder and environment. If absent, the program gets those of this process. */
interface CommandPlace {
  readonly folder?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

const TIMEOUT_MS = 30_000

/**
 * Gets the token from what a program prints. The program runs when a token is first needed, and again when the service
 * refuses the previous one (decision 10). `command` is the program and its arguments. No shell is involved.
 */
export function commandToken(
  command: readonly [string, ...string[]],
  clock: SteadyClock,
  place: CommandPlace = {},
): TokenProvider {
  const [program] = command
  return renewableToken(
    async () => ({ token: sendableToken(await run(command, place), `the output of ${program}`) }),
    clock,
  )
}

function run([program, ...args]: readonly [string, ...string[]], { folder, env }: CommandPlace): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 1_000_000, encoding: 'utf8', cwd: folder, env } as const
    execFile(program, args, options, (error, stdout) => {
      if (!error) return resolve(stdout)
      // The output and the arguments may contain secrets, so the error of execFile is not kept as the cause.
      const reason = error.killed
        ? `did not end within ${formatTimeLimit(TIMEOUT_MS)}`
        : `failed (${error.code ?? error.signal})`
      reject(tokenError('no-token', `the token command ${program} ${reason}`, 'run it by hand to see why'))
    })
  })
}
